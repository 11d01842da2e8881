//! The public edge as a plan keeps it: hosts, certificates and routes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalogue::{Access, BackendProtocol, Route, RouteTable, Transport, VirtualHost};
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
    }
}
