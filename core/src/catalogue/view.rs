//! The route table as a value for programs.

use serde_json::{Value, json};

use super::{Backend, BackendProtocol, BodyLimit, Route, RouteTable};
use crate::name::PathMatch;

/// The hosts in order, each `{origin, host, port, routes}`; a route has `{id, owner, name, match, path, access, transport, backend,
/// websocket, timeout, connect_timeout, body, stream, encoded_slashes}`, with `null` where the edge's default holds.
pub fn view(table: &RouteTable) -> Value {
    let hosts = table.hosts().iter().map(|host| {
        json!({
            "origin": host.origin,
            "host": host.origin.host(),
            "port": host.origin.port(),
            "routes": host.routes.iter().map(route).collect::<Vec<_>>(),
        })
    });
    Value::Array(hosts.collect())
}

fn route(route: &Route) -> Value {
    json!({
        "id": route.id,
        "owner": route.owner.name(),
        "name": route.name,
        "match": match route.path { PathMatch::Exact(_) => "exact", PathMatch::Prefix(_) => "prefix" },
        "path": route.path.path(),
        "access": route.access,
        "transport": route.transport,
        "backend": backend(&route.backend),
        "websocket": route.websocket,
        "timeout": route.timeout,
        "connect_timeout": route.connect_timeout,
        "body": route.body.map(body),
        "stream": route.stream,
        "encoded_slashes": route.encoded_slashes,
    })
}

fn body(limit: BodyLimit) -> Value {
    match limit {
        BodyLimit::Bytes(bytes) => json!(bytes),
        BodyLimit::Unlimited => json!("unlimited"),
    }
}

fn backend(backend: &Backend) -> Value {
    let (protocol, sni, trust) = match &backend.protocol {
        BackendProtocol::Http => ("http", None, None),
        BackendProtocol::Grpc => ("grpc", None, None),
        BackendProtocol::Https { sni, trust } => ("https", Some(sni), Some(trust)),
    };
    json!({
        "service": backend.service,
        "namespace": backend.namespace,
        "port": backend.port,
        "protocol": protocol,
        "sni": sni,
        "trust": trust,
    })
}
