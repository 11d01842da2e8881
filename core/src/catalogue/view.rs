//! The route table as a value for programs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Access, Backend, BackendProtocol, BodyLimit, Protocol, Route, RouteTable, Stream, Transport, VirtualHost};
use crate::name::{DnsLabel, HostName, KubernetesService, Namespace, Origin, PathMatch, Port, UrlPath};

/// The hosts of the table as one value; `null` stands where the edge's default holds.
pub fn view(table: &RouteTable) -> Value {
    // Texts, numbers and lists alone: none of it cannot be written.
    serde_json::to_value(hosts(table)).unwrap_or_default()
}

/// The hosts of the table, in order.
pub fn hosts(table: &RouteTable) -> Vec<HostView> {
    table.hosts().iter().map(HostView::of).collect()
}

/// A host name and what is served there.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct HostView {
    /// The origin that clients address: scheme, host and port.
    pub origin: Origin,
    /// Its host name.
    pub host: HostName,
    /// Its port.
    pub port: Port,
    /// Its routes, the most specific first.
    pub routes: Vec<RouteView>,
}

/// A route.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RouteView {
    /// The joined name of owner and route, unique in the site: the name of its upstream, log and objects.
    pub id: DnsLabel,
    /// The service or laboratory that states it.
    pub owner: String,
    /// Its name among the owner's.
    pub name: DnsLabel,
    /// How the path is compared.
    #[serde(rename = "match")]
    pub compared: PathComparison,
    /// The path; a prefix matches whole segments.
    pub path: UrlPath,
    /// Who may use it.
    pub access: Access,
    /// How clients speak to it.
    pub transport: Transport,
    /// Where it leads.
    pub backend: BackendView,
    /// Whether a connection may be upgraded to a WebSocket.
    pub websocket: bool,
    /// The longest time between two reads from the backend, in seconds.
    pub timeout: Option<u32>,
    /// The longest time until the backend accepts a connection, in seconds.
    pub connect_timeout: Option<u32>,
    /// The largest body of a request: bytes, or `unlimited`.
    pub body: Option<BodyLimit>,
    /// What is passed on without being collected first.
    pub stream: Stream,
    /// Whether an encoded slash in the path is passed on as it is.
    pub encoded_slashes: bool,
}

/// How a path is compared.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PathComparison {
    /// As a whole.
    Exact,
    /// By its first segments.
    Prefix,
}

/// Where a route leads.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct BackendView {
    /// The Service.
    pub service: KubernetesService,
    /// Its namespace.
    pub namespace: Namespace,
    /// Its port.
    pub port: Port,
    /// How the gateway speaks to it.
    pub protocol: Protocol,
    /// With `https`: the name that is sent to it and that its certificate must have.
    pub sni: Option<HostName>,
    /// With `https`: the trust that its certificate is verified with.
    pub trust: Option<DnsLabel>,
}

impl HostView {
    fn of(host: &VirtualHost) -> Self {
        Self {
            origin: host.origin.clone(),
            host: host.origin.host().clone(),
            port: host.origin.port(),
            routes: host.routes.iter().map(RouteView::of).collect(),
        }
    }
}

impl RouteView {
    /// The view of one route.
    pub fn of(route: &Route) -> Self {
        Self {
            id: route.id.clone(),
            owner: route.owner.name().to_owned(),
            name: route.name.clone(),
            compared: match route.path {
                PathMatch::Exact(_) => PathComparison::Exact,
                PathMatch::Prefix(_) => PathComparison::Prefix,
            },
            path: route.path.path().clone(),
            access: route.access,
            transport: route.transport,
            backend: BackendView::of(&route.backend),
            websocket: route.websocket,
            timeout: route.timeout,
            connect_timeout: route.connect_timeout,
            body: route.body,
            stream: route.stream,
            encoded_slashes: route.encoded_slashes,
        }
    }
}

impl BackendView {
    fn of(backend: &Backend) -> Self {
        let (protocol, sni, trust) = match &backend.protocol {
            BackendProtocol::Http => (Protocol::Http, None, None),
            BackendProtocol::Grpc => (Protocol::Grpc, None, None),
            BackendProtocol::Https { sni, trust } => (Protocol::Https, Some(sni.clone()), Some(trust.clone())),
        };
        Self {
            service: backend.service.clone(),
            namespace: backend.namespace.clone(),
            port: backend.port,
            protocol,
            sni,
            trust,
        }
    }
}
