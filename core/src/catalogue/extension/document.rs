//! An extension as it is written: the routes that a laboratory adds to a site.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalogue::{Access, BackendDocument, BodyLimit, Protocol, RouteDocument, Stream, Transport};
use crate::name::{DnsLabel, HostName, KubernetesService, Namespace, PathMatch, Port};

/// The routes that a laboratory adds to a site: hosts, paths and backends of its own, behind the site's edge and gateway.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionDocument {
    /// 1.
    pub version: u32,
    /// The laboratory's name, unique among the laboratories of a site.
    pub name: DnsLabel,
    /// The laboratory's namespace: all its backends are there, and no route of the catalogue leads there.
    pub namespace: Namespace,
    /// Its routes.
    #[schemars(length(min = 1))]
    pub routes: Vec<ExtensionRoute>,
}

/// A route of a laboratory: what a route of the catalogue states, and the host that it is on.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionRoute {
    /// Its name, unique in its laboratory.
    pub name: DnsLabel,
    /// The host that it is on: none of the site's own, and none of another laboratory.
    pub host: HostName,
    /// The paths that it takes.
    #[serde(rename = "match")]
    pub path: PathMatch,
    /// Who may use it.
    pub access: Access,
    /// What is spoken.
    pub transport: Transport,
    /// Where it leads.
    pub backend: ExtensionBackend,
    /// Whether it may be upgraded to a WebSocket.
    #[serde(default)]
    pub websocket: bool,
    /// Seconds between two reads or writes; the edge's default is 60.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout: Option<u32>,
    /// Seconds to connect; nginx keeps no promise above 75.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 75))]
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

/// The Service behind a laboratory's route. Its namespace is the laboratory's.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionBackend {
    /// Kubernetes Service.
    pub service: KubernetesService,
    /// Its port.
    pub port: Port,
    /// What is spoken to it.
    #[serde(default)]
    pub protocol: Protocol,
    /// With `https`: the name that is sent as SNI and stands in the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sni: Option<HostName>,
    /// With `https`: the CA bundle that the certificate chains to: one of the catalogue's `trust`, or one that the laboratory brings,
    /// whose name begins with the laboratory's and a hyphen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<DnsLabel>,
}

impl ExtensionDocument {
    /// Its routes as the catalogue would write them, without their hosts.
    pub(in crate::catalogue) fn as_catalogue_routes(&self) -> Vec<RouteDocument> {
        self.routes.iter().map(|route| route.as_catalogue_route(&self.namespace)).collect()
    }
}

impl ExtensionRoute {
    fn as_catalogue_route(&self, namespace: &Namespace) -> RouteDocument {
        let ExtensionBackend { service, port, protocol, sni, trust } = &self.backend;
        RouteDocument {
            name: self.name.clone(),
            path: self.path.clone(),
            access: self.access,
            transport: self.transport,
            backend: BackendDocument {
                service: service.clone(),
                namespace: namespace.clone(),
                port: *port,
                protocol: *protocol,
                sni: sni.clone(),
                trust: trust.clone(),
            },
            websocket: self.websocket,
            timeout: self.timeout,
            connect_timeout: self.connect_timeout,
            body: self.body,
            stream: self.stream,
            encoded_slashes: self.encoded_slashes,
        }
    }
}
