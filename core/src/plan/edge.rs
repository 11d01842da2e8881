//! The public edge as a plan keeps it: hosts, certificates and routes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{Access, BackendProtocol, Route, RouteTable, RouteView, Transport, VirtualHost};
use crate::edge::CertificateFiles;
use crate::name::{DnsLabel, HostName, Origin, PathMatch};

/// What every edge host serves: all of them the same.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedEdge {
    /// The inventory's hosts of the group `platform-edge`, by name; they are not contacted.
    pub servers: Vec<String>,
    /// The public host names, in order.
    pub hosts: Vec<PlannedHost>,
}

/// A public host name.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedHost {
    /// Its origin.
    pub origin: Origin,
    /// The certificate that each edge needs for it; `None` where TLS is not spoken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<PlannedCertificate>,
    /// Its routes, the most specific first.
    pub routes: Vec<PlannedRoute>,
}

/// A certificate that is needed, and that no plan sees.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedCertificate {
    /// The name that it must carry.
    pub host: HostName,
    /// Where each edge host has its chain. It is there alone, and no plan contacts an edge host.
    pub chain: String,
}

/// A route.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedRoute {
    /// Its name, unique in the site.
    pub id: DnsLabel,
    /// The paths that it takes.
    pub path: PathMatch,
    /// Who may use it.
    pub access: Access,
    /// What is spoken.
    pub transport: Transport,
    /// Whether it may be upgraded to a WebSocket.
    pub websocket: bool,
    /// Where it leads.
    pub backend: PlannedBackend,
    /// What else is stated of it, by the words of the catalogue: `timeout`, `body`, `stream`. What is not stated is not here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Value>,
}

/// Where a route leads.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedBackend {
    /// `<service>.<namespace>:<port>`.
    pub address: String,
    /// What is spoken to it: `http`, `grpc` or `https`.
    pub protocol: String,
}

/// What the edge hosts of a site serve.
pub(super) fn planned(table: &RouteTable, servers: &[String]) -> PlannedEdge {
    let mut servers = servers.to_vec();
    servers.sort();
    servers.dedup();
    PlannedEdge { servers, hosts: table.hosts().iter().map(planned_host).collect() }
}

fn planned_host(host: &VirtualHost) -> PlannedHost {
    let name = host.origin.host();
    let certificate = host.origin.is_https().then(|| PlannedCertificate {
        host: name.clone(),
        chain: CertificateFiles::lineage(name).certificate.to_string(),
    });
    PlannedHost { origin: host.origin.clone(), certificate, routes: host.routes.iter().map(planned_route).collect() }
}

fn planned_route(route: &Route) -> PlannedRoute {
    let backend = &route.backend;
    PlannedRoute {
        id: route.id.clone(),
        path: route.path.clone(),
        access: route.access,
        transport: route.transport,
        websocket: route.websocket,
        backend: PlannedBackend {
            address: format!("{}.{}:{}", backend.service, backend.namespace, backend.port),
            protocol: match backend.protocol {
                BackendProtocol::Http => "http",
                BackendProtocol::Grpc => "grpc",
                BackendProtocol::Https { .. } => "https",
            }
            .to_owned(),
        },
        settings: settings(route),
    }
}

/// What a [`PlannedRoute`] has keys of its own for, in the view of a route.
const KEPT: [&str; 9] = ["id", "owner", "name", "match", "path", "access", "transport", "websocket", "backend"];

/// What is stated of a route beside that: whatever the view of it gains is here of itself.
fn settings(route: &Route) -> BTreeMap<String, Value> {
    let Ok(Value::Object(view)) = serde_json::to_value(RouteView::of(route)) else { return BTreeMap::new() };
    let backend = view.get("backend").and_then(Value::as_object).cloned().unwrap_or_default();
    let verified = backend.into_iter().filter(|(key, _)| ["sni", "trust"].contains(&key.as_str()));
    let others = view.into_iter().filter(|(key, _)| !KEPT.contains(&key.as_str()));
    others.chain(verified).filter(|(_, value)| !value.is_null()).collect()
}
