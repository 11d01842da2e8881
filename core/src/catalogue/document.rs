//! The catalogue as it is written: `catalogue/services.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Access, BodyLimit, MeshDocument, Stream, Transport};
use crate::name::{DnsLabel, HostName, KubernetesService, Namespace, PathMatch, Port, ServiceName};
use crate::policy::Mode;

/// The services of a platform, the routes that each may expose, and the rules that each states about itself.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueDocument {
    /// 1.
    pub version: u32,
    /// The optional parts of a site. A policy selects them by name.
    #[serde(default)]
    pub profiles: BTreeMap<DnsLabel, Profile>,
    /// The gateways that a service may stand behind.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub gateways: Vec<KubernetesService>,
    /// The public CA bundles that an HTTPS backend may be verified with.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub trust: Vec<DnsLabel>,
    /// The reviewed backends by namespace: routes lead to these alone.
    pub backends: BTreeMap<Namespace, ReviewedServices>,
    /// The gateway's place in the cluster, and what it must know of the backends. Without it no gateway is rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshDocument>,
    /// The services.
    #[schemars(length(min = 1))]
    pub services: Vec<ServiceDocument>,
}

/// An optional part of a site.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The modes that may select it.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub modes: Vec<Mode>,
}

/// The reviewed Services of one namespace, each with its ports.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ReviewedServices(pub BTreeMap<KubernetesService, BTreeSet<Port>>);

/// Which list of a policy names a service's origin.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostBinding {
    /// `edge.origins`: the name belongs to the applications' domain.
    #[default]
    Application,
    /// `edge.bindings`: the name is sourced from elsewhere and does not follow the applications' domain.
    Separate,
}

/// A service: one host name of a site, and what is reachable there.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceDocument {
    /// Its name, unique in the catalogue.
    pub name: ServiceName,
    /// The optional part of a site that it belongs to; without one every site may bind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<DnsLabel>,
    /// Which list of a policy names its origin.
    #[serde(default)]
    pub binding: HostBinding,
    /// Rule: every site of these modes that has an edge binds it.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub required_in: Vec<Mode>,
    /// Rule: its host name begins with this label, whatever the domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_label: Option<DnsLabel>,
    /// Rule: its routes take exactly these paths, none more and none less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathMatch>>,
    /// Rule: `smtp.public_api` of a policy is this service's origin.
    #[serde(default)]
    pub public_api: bool,
    /// The clients at the external AAI that people sign in to it with: the private AAI file of a site that binds it binds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("uniqueItems" = true))]
    pub aai_clients: Vec<DnsLabel>,
    /// The gateway that it stands behind.
    pub gateway: KubernetesService,
    /// Its routes.
    #[schemars(length(min = 1))]
    pub routes: Vec<RouteDocument>,
}

/// A route: paths of a host, who may use them, and the backend that answers.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RouteDocument {
    /// Its name, unique in its service.
    pub name: DnsLabel,
    /// The paths that it takes.
    #[serde(rename = "match")]
    pub path: PathMatch,
    /// Who may use it.
    pub access: Access,
    /// What is spoken.
    pub transport: Transport,
    /// Where it leads.
    pub backend: BackendDocument,
    /// Whether it may be upgraded to a WebSocket.
    #[serde(default)]
    pub websocket: bool,
    /// Seconds between two reads or writes; the edge's default is 60.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400), extend("x-unit" = "seconds"))]
    pub timeout: Option<u32>,
    /// Seconds to connect; nginx keeps no promise above 75.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 75), extend("x-unit" = "seconds"))]
    pub connect_timeout: Option<u32>,
    /// How large a request body may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyLimit>,
    /// Which halves of an exchange are passed on while they are still being sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Stream>,
    /// Whether `%2f`, `//` and `;` pass through as they came.
    #[serde(default)]
    pub encoded_slashes: bool,
}

/// What the gateway speaks to a backend.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Plain HTTP/1.1.
    #[default]
    Http,
    /// Plain HTTP/2.
    Grpc,
    /// TLS, verified by `sni` and `trust`.
    Https,
}

/// The Service behind a route.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BackendDocument {
    /// Kubernetes Service.
    pub service: KubernetesService,
    /// Its namespace.
    pub namespace: Namespace,
    /// Its port.
    pub port: Port,
    /// What is spoken to it.
    #[serde(default)]
    pub protocol: Protocol,
    /// With `https`: the name that is sent as SNI and stands in the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sni: Option<HostName>,
    /// With `https`: the CA bundle that the certificate chains to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<DnsLabel>,
}
