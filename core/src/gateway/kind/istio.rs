//! Istio's kinds.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::object::{LabelSelector, Map, ServiceHost, Spec, Text};

/// Which requests a gateway listens for.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct GatewaySpec<'a> {
    /// The pods that do.
    pub selector: Arc<Map<'a>>,
    /// Where, and for whom.
    pub servers: Vec<Server<'a>>,
}

impl Spec for GatewaySpec<'_> {
    const API_VERSION: &'static str = "networking.istio.io/v1";
    const KIND: &'static str = "Gateway";
}

/// A listener.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Server<'a> {
    /// Its port.
    pub port: ServerPort,
    /// The hosts that it serves, each `namespace/host`: only virtual services of that namespace are heard (`.` is the gateway's own).
    pub hosts: Vec<Text<'a>>,
    /// How it speaks TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<ServerTls<'a>>,
}

/// The port of a listener.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ServerPort {
    /// The number of the port of the gateway's Service.
    pub number: u16,
    /// What it is called.
    pub name: &'static str,
    /// `HTTP` or `HTTPS`.
    #[schemars(extend("enum" = ["HTTP", "HTTPS"]))]
    pub protocol: &'static str,
}

/// TLS that a listener terminates.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerTls<'a> {
    /// `SIMPLE`.
    #[schemars(extend("const" = "SIMPLE"))]
    pub mode: &'static str,
    /// The Secret of the certificate, in the gateway's namespace.
    pub credential_name: Text<'a>,
    /// The oldest version.
    #[schemars(extend("const" = "TLSV1_2"))]
    pub min_protocol_version: &'static str,
}

/// Which requests of a host go where.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VirtualServiceSpec<'a> {
    /// The host, and no other.
    pub hosts: [Text<'a>; 1],
    /// The gateways that it is served by.
    pub gateways: Vec<Text<'a>>,
    /// `.`: seen in its own namespace alone.
    pub export_to: [&'static str; 1],
    /// The routes. The first that matches takes the request.
    pub http: Vec<HttpRoute<'a>>,
}

impl Spec for VirtualServiceSpec<'_> {
    const API_VERSION: &'static str = "networking.istio.io/v1";
    const KIND: &'static str = "VirtualService";
}

/// A route of a virtual service.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct HttpRoute<'a> {
    /// The joined name of our route: it stands in the access log.
    pub name: Text<'a>,
    /// The requests that it takes: those that one of these takes.
    #[serde(rename = "match")]
    pub matches: Vec<HttpMatch<'a>>,
    /// Where they go.
    pub route: [RouteDestination; 1],
    /// Seconds that the whole exchange may take. Absent where it may take as long as it likes: an explicit zero is refused by the API
    /// server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Seconds>,
    /// When a request is sent once more.
    pub retries: HttpRetry,
}

/// Requests that a route takes.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct HttpMatch<'a> {
    /// By their path, without the query.
    pub uri: StringMatch<'a>,
}

/// How texts are compared.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum StringMatch<'a> {
    /// Equal.
    Exact(Text<'a>),
    /// Beginning so, letter by letter: segments mean nothing to it.
    Prefix(Text<'a>),
}

impl StringMatch<'_> {
    /// What texts are compared with.
    pub fn text(&self) -> &str {
        match self {
            Self::Exact(text) | Self::Prefix(text) => text,
        }
    }

    /// Whether a text is taken.
    pub fn takes(&self, text: &str) -> bool {
        match self {
            Self::Exact(exact) => text == exact,
            Self::Prefix(prefix) => text.starts_with(prefix.as_ref()),
        }
    }
}

/// Where a route leads, with all of its requests.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct RouteDestination {
    /// The Service.
    pub destination: Destination,
}

/// A port of a Service.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Destination {
    /// The full name of the Service.
    #[schemars(with = "ServiceHost")]
    pub host: Arc<str>,
    /// Its port.
    pub port: PortSelector,
}

/// A port by its number.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct PortSelector {
    /// The number.
    pub number: u16,
}

/// A time in whole seconds, written `30s`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Seconds(pub u32);

impl JsonSchema for Seconds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[1-9][0-9]*s$" })
    }
}

impl Serialize for Seconds {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_str(&format_args!("{}s", self.0))
    }
}

/// When a request is sent once more.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpRetry {
    /// How often.
    pub attempts: u8,
    /// After which failures.
    pub retry_on: &'static str,
}

/// How the gateway speaks to a Service.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DestinationRuleSpec<'a> {
    /// The full name of the Service.
    #[schemars(with = "ServiceHost")]
    pub host: Arc<str>,
    /// `.`: seen in its own namespace alone.
    pub export_to: [&'static str; 1],
    /// How.
    pub traffic_policy: TrafficPolicy<'a>,
}

impl Spec for DestinationRuleSpec<'_> {
    const API_VERSION: &'static str = "networking.istio.io/v1";
    const KIND: &'static str = "DestinationRule";
}

/// How a Service is spoken to, port by port.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrafficPolicy<'a> {
    /// The ports that differ from the mesh.
    pub port_level_settings: Vec<PortTrafficPolicy<'a>>,
}

/// How one port is spoken to.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PortTrafficPolicy<'a> {
    /// The port of the Service.
    pub port: PortSelector,
    /// The connections to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection_pool: Option<ConnectionPool>,
    /// TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<ClientTls<'a>>,
}

/// The connections to a port.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ConnectionPool {
    /// Those that carry HTTP.
    pub http: HttpPool,
}

/// How HTTP is carried.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpPool {
    /// `UPGRADE`: as HTTP/2 whatever the client spoke.
    #[schemars(extend("const" = "UPGRADE"))]
    pub h2_upgrade_policy: &'static str,
}

/// TLS to a backend.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientTls<'a> {
    /// `SIMPLE`: the backend shows a certificate, the gateway none.
    #[schemars(extend("const" = "SIMPLE"))]
    pub mode: &'static str,
    /// The Secret of the public CA bundle, in the gateway's namespace.
    pub credential_name: Text<'a>,
    /// The name that is sent as SNI.
    pub sni: Text<'a>,
    /// The names of which the certificate must have one. Empty where it is recognised by its fingerprint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subject_alt_names: Vec<Text<'a>>,
}

/// Which requests the gateway lets through.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct AuthorizationPolicySpec<'a> {
    /// The pods that it binds.
    pub selector: LabelSelector<'a>,
    /// `ALLOW`: what no policy allows is denied.
    #[schemars(extend("const" = "ALLOW"))]
    pub action: &'static str,
    /// What it allows: the requests that one of these takes.
    pub rules: [AuthorizationRule<'a>; 1],
}

impl Spec for AuthorizationPolicySpec<'_> {
    const API_VERSION: &'static str = "security.istio.io/v1";
    const KIND: &'static str = "AuthorizationPolicy";
}

/// Requests that are allowed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct AuthorizationRule<'a> {
    /// From one of these; from anywhere if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<From<'a>>,
    /// For this.
    pub to: [To<'a>; 1],
}

/// Where requests come from.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct From<'a> {
    /// All that it states must hold.
    pub source: Source<'a>,
}

/// A client, and who brings its requests.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source<'a> {
    /// The networks of the client: its address is what the trusted proxy says.
    pub remote_ip_blocks: Arc<[Text<'a>]>,
    /// The networks of the proxy that says so: the connection comes from there.
    pub ip_blocks: Arc<[Text<'a>]>,
}

/// What is asked for.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct To<'a> {
    /// All that it states must hold.
    pub operation: Operation<'a>,
}

/// Hosts and paths.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation<'a> {
    /// The hosts, with and without the port of their origin.
    pub hosts: Arc<[Text<'a>]>,
    /// The paths; one with a final `*` takes what begins so.
    pub paths: Vec<Text<'a>>,
    /// The paths that are not for everybody who may use the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_paths: Vec<Text<'a>>,
}
