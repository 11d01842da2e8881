//! Routes that were judged: what the edge, the gateway and the policies are rendered from.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BodyLimit;
use crate::name::{DnsLabel, HostName, KubernetesService, Namespace, Origin, PathMatch, Port, ServiceName};

/// Who may use a route.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everybody.
    Public,
    /// The management networks alone.
    Management,
}

/// What is spoken over a route.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// HTTP/1.1 between edge and gateway.
    Http,
    /// gRPC: HTTP/2 all the way.
    Grpc,
}

/// Which halves of an exchange are passed on while they are still being sent.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Neither.
    #[default]
    None,
    /// The request.
    Request,
    /// The response.
    Response,
    /// Both.
    Both,
}

impl Stream {
    /// Whether the request is passed on unbuffered.
    pub fn request(self) -> bool {
        matches!(self, Self::Request | Self::Both)
    }

    /// Whether the response is passed on unbuffered.
    pub fn response(self) -> bool {
        matches!(self, Self::Response | Self::Both)
    }
}

/// How the gateway reaches the backend.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum BackendProtocol {
    /// Plain HTTP/1.1.
    Http,
    /// Plain HTTP/2.
    Grpc,
    /// TLS, verified.
    Https {
        /// The name that is sent as SNI and must stand in the certificate.
        sni: HostName,
        /// The trust reference: the name of the public CA bundle.
        trust: DnsLabel,
    },
}

/// The Service behind a route.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Backend {
    /// Kubernetes Service.
    pub service: KubernetesService,
    /// Its namespace.
    pub namespace: Namespace,
    /// Its port.
    pub port: Port,
    /// What is spoken to it.
    pub protocol: BackendProtocol,
}

/// Who states a route: a service of the catalogue or a laboratory.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Owner {
    /// A catalogue service.
    Service(ServiceName),
    /// A laboratory extension.
    Laboratory(DnsLabel),
}

impl Owner {
    /// The owner's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Service(name) => name.as_str(),
            Self::Laboratory(name) => name.as_str(),
        }
    }
}

/// One route, judged: its combination of transport, WebSocket, streams, body and time is sound.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Route {
    /// `<owner>-<name>`: the upstream's, log's and object's name, unique over all owners, 63 characters at most.
    pub id: DnsLabel,
    /// Who states it.
    pub owner: Owner,
    /// Its name, unique in its owner.
    pub name: DnsLabel,
    /// The paths it takes.
    pub path: PathMatch,
    /// Who may use it.
    pub access: Access,
    /// What is spoken.
    pub transport: Transport,
    /// Where it leads.
    pub backend: Backend,
    /// Whether it may be upgraded to a WebSocket.
    pub websocket: bool,
    /// Seconds between two reads or writes, 1-86 400; `None` leaves the edge's default of 60.
    pub timeout: Option<u32>,
    /// Seconds to connect, 1-75; `None` leaves the edge's default.
    pub connect_timeout: Option<u32>,
    /// How large a request body may be; `None` leaves the edge's default.
    pub body: Option<BodyLimit>,
    /// What is passed on unbuffered.
    pub stream: Stream,
    /// Whether `%2f`, `//` and `;` pass through as they came.
    pub encoded_slashes: bool,
}

impl Route {
    /// Its place among the routes of its host: the most specific first.
    fn order(&self) -> (bool, Reverse<usize>, &str) {
        let path = self.path.path().as_str();
        (matches!(self.path, PathMatch::Prefix(_)), Reverse(path.len()), path)
    }
}

/// The routes of one host name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct VirtualHost {
    /// Its origin.
    pub origin: Origin,
    /// Its routes, unique in their paths, the most specific first: exact before prefix, longer before shorter.
    pub routes: Vec<Route>,
}

/// Every route of a site, by host name in ascending order. Only [`crate::catalogue`] makes one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RouteTable {
    hosts: Vec<VirtualHost>,
}

impl RouteTable {
    /// From hosts whose routes have been judged; puts them in order.
    pub(crate) fn new(mut hosts: Vec<VirtualHost>) -> Self {
        for host in &mut hosts {
            host.routes.sort_by(|one, other| one.order().cmp(&other.order()));
        }
        hosts.sort_by(|a, b| a.origin.host().cmp(b.origin.host()));
        Self { hosts }
    }

    /// The hosts, by name.
    pub fn hosts(&self) -> &[VirtualHost] {
        &self.hosts
    }

    /// All routes, host by host.
    pub fn routes(&self) -> impl Iterator<Item = (&Origin, &Route)> {
        self.hosts.iter().flat_map(|host| host.routes.iter().map(move |route| (&host.origin, route)))
    }
}
