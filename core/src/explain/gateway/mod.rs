//! The mesh's gateway as a model: who reaches it, what it makes of a request, who may use which route, and how it reaches the backend.
//!
//! It walks the rendered objects. What Istio and Envoy make of them is written down here from their sources and documents (Istio 1.27,
//! Envoy 1.35 and later), each function beside what it follows. Filters run in Envoy's order: paths are normalised, a route is chosen,
//! the authorization policies are asked, and only then a request without a route is answered 404.

mod authorization;
mod network;
mod path;
mod routing;
mod trust;

use super::answer::Divided;
use super::edge::Verification;
use super::question::{Caller, Question};
use super::vantage::Vantage;
use crate::catalogue::Backend;
use crate::gateway::kind::{Direction, Metadata};
use crate::gateway::{GatewaySettings, Objects};
use crate::name::{DnsLabel, Network};
use network::{End, Pods};

pub(super) use authorization::Decision;
pub(super) use network::Reach;
pub use path::Normalization;
pub(super) use routing::{Entry, Routed};
pub(super) use trust::{Unverified, Verified, covers};

/// The methods that Envoy's HTTP/1 codec knows, but for `CONNECT`, whose target is no path; it answers 400 to all others.
const METHODS: [&str; 33] = [
    "ACL",
    "BIND",
    "CHECKOUT",
    "COPY",
    "DELETE",
    "GET",
    "HEAD",
    "LINK",
    "LOCK",
    "MERGE",
    "MKACTIVITY",
    "MKCALENDAR",
    "MKCOL",
    "MOVE",
    "MSEARCH",
    "NOTIFY",
    "OPTIONS",
    "PATCH",
    "POST",
    "PROPFIND",
    "PROPPATCH",
    "PURGE",
    "PUT",
    "REBIND",
    "REPORT",
    "SEARCH",
    "SOURCE",
    "SUBSCRIBE",
    "TRACE",
    "UNBIND",
    "UNLINK",
    "UNLOCK",
    "UNSUBSCRIBE",
];

/// The objects of a gateway, made ready to be asked.
pub(super) struct Gateway {
    normalization: Option<Normalization>,
    /// Istio's word for it.
    pub(super) normalization_word: &'static str,
    trusted_proxies: u8,
    routes: routing::Routes,
    policies: authorization::Policies,
    trust: trust::Trust,
    network: network::Policies,
    pods: Pods,
    /// The port that its pods listen on.
    port: u16,
    edges: Vec<Network>,
    settings: GatewaySettings,
}

/// A request as it reaches the gateway.
pub(super) struct Incoming<'a> {
    /// The method.
    pub(super) method: &'a str,
    /// The request target.
    pub(super) target: Vec<u8>,
    /// The `Host` header.
    pub(super) host: String,
    /// What `X-Forwarded-For` says.
    pub(super) forwarded_for: Forwarded<'a>,
    /// How the edge verifies the gateway; `None` if it speaks plain text to it, and for whoever else speaks to it.
    pub(super) verified: Option<&'a Verification>,
}

/// What `X-Forwarded-For` says.
pub(super) enum Forwarded<'a> {
    /// The one address that the edge knows.
    Client(Vantage),
    /// A text that the sender made up.
    Text(&'a str),
    /// Nothing.
    Absent,
}

/// Where a connection to the gateway comes from.
#[derive(Clone, Copy)]
pub(super) struct Peer(pub(super) Vantage);

impl Peer {
    fn within(self, networks: &[Network], rule: &str) -> Result<bool, Divided> {
        authorization::within(self.0, networks, rule)
    }
}

/// `namespace/name`.
fn named(metadata: &Metadata<'_>) -> Box<str> {
    format!("{}/{}", metadata.namespace, metadata.name).into()
}

/// Why Envoy answers a request by itself.
pub(super) struct Unreadable {
    /// With which status.
    pub(super) status: u16,
    /// The reason, in words.
    pub(super) reason: &'static str,
}

/// What the gateway reads of a request before any rule is asked.
pub(super) struct Read {
    /// The target, normalised.
    pub(super) target: Vec<u8>,
    /// The host that was asked for.
    pub(super) host: String,
    /// The client, as the gateway believes it to be.
    pub(super) client: Vantage,
}

impl Read {
    /// The host as the route table looks it up: in lower case and without a port (`ignore_port_in_host_matching`).
    pub(super) fn name(&self) -> String {
        let host = self.host.as_str();
        let name = if host.ends_with(']') { host } else { host.rsplit_once(':').map_or(host, |(name, _)| name) };
        name.to_ascii_lowercase()
    }

    /// The path without its query.
    pub(super) fn path(&self) -> &[u8] {
        path::split_query(&self.target).0
    }
}

impl Gateway {
    pub(super) fn of(objects: &Objects<'_>, settings: &GatewaySettings) -> Self {
        let labels = settings.mesh.pods.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let word = objects.mesh_config.path_normalization.normalization;
        Self {
            normalization: Normalization::of(word),
            normalization_word: word,
            trusted_proxies: objects.mesh_config.default_config.gateway_topology.num_trusted_proxies,
            routes: routing::Routes::of(&objects.gateways, &objects.virtual_services),
            policies: authorization::Policies::of(&objects.authorization_policies),
            trust: trust::Trust::of(objects),
            network: network::Policies::of(&objects.network_policies),
            pods: Pods { namespace: settings.mesh.namespace.to_string(), labels },
            port: objects
                .services
                .iter()
                .flat_map(|service| &service.spec.ports)
                .map(|port| port.target_port)
                .next()
                .unwrap_or_default(),
            edges: settings.policy.edges.clone(),
            settings: settings.clone(),
        }
    }

    /// Where the connections of an edge come from: the first of its addresses, for all of them are treated alike.
    pub(super) fn edge(&self) -> Vantage {
        self.edges.first().map_or(Vantage::Anywhere, |network| Vantage::Network(*network))
    }

    /// Whether a caller reaches the gateway's pods at all; `None` for a process of the node that they run on, which no policy keeps away.
    pub(super) fn entrance(&self, question: &Question, peer: Peer) -> Result<Option<Reach<'_>>, Divided> {
        let pods;
        let end = match &question.caller {
            Caller::Node => return Ok(None),
            Caller::Client | Caller::Edge => End::Address(peer.0),
            Caller::Pod { namespace, labels } => {
                pods = Pods { namespace: namespace.to_string(), labels: labels.clone() };
                End::Pods(&pods, peer.0)
            }
        };
        self.network.reach(&self.pods, Direction::Ingress, &end, self.port).map(Some)
    }

    /// Reads a request, or says what Envoy answers before any rule is asked.
    pub(super) fn read(&self, incoming: &Incoming<'_>, peer: Peer) -> Result<Read, Unreadable> {
        // Balsa's `isUrlValid` and `isMethodValid`: blanks, control characters and bytes beyond ASCII are in no target.
        let sendable = |byte: &u8| matches!(byte, 9 | 12 | b'!'..=b'~');
        let host_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!$%&'()*+,-.:;=@[]_~".contains(&byte);
        if !METHODS.contains(&incoming.method) {
            return Err(Unreadable { status: 400, reason: "Envoy knows no such method" });
        }
        if !incoming.target.iter().all(sendable) {
            return Err(Unreadable {
                status: 400,
                reason: "the target holds a blank, a control character or a byte beyond ASCII",
            });
        }
        if !incoming.host.bytes().all(host_byte) {
            return Err(Unreadable { status: 400, reason: "the `Host` is none" });
        }
        let (host, target) = match absolute(&incoming.target) {
            Some((host, target)) => (host, target),
            None => (incoming.host.trim_matches(' ').to_owned(), incoming.target.clone()),
        };
        match target.first() {
            Some(b'/') => {}
            // An absolute form without a path.
            Some(b'?') => {
                return Err(Unreadable { status: 404, reason: "an absolute form without a path is served for nobody" });
            }
            _ => return Err(Unreadable { status: 400, reason: "the target has no path" }),
        }
        let normalised = self.normalization.and_then(|normalization| normalization.apply(&target));
        let reason = "the path cannot be normalised: it holds a `#` or an encoded NUL";
        let target = normalised.ok_or(Unreadable { status: 400, reason })?;
        Ok(Read { target, host, client: self.client(incoming, peer) })
    }

    /// `Utility::getLastAddressFromXFF`: of the addresses in `X-Forwarded-For` the one that the trusted proxies vouch for, counted from the
    /// end; the peer itself where there are too few, or that one is no address.
    fn client(&self, incoming: &Incoming<'_>, peer: Peer) -> Vantage {
        let Some(skipped) = self.trusted_proxies.checked_sub(1) else { return peer.0 };
        match incoming.forwarded_for {
            Forwarded::Client(client) if skipped == 0 => client,
            Forwarded::Client(_) | Forwarded::Absent => peer.0,
            Forwarded::Text(text) => {
                let stated = text.rsplit(',').nth(usize::from(skipped)).and_then(|one| one.trim().parse().ok());
                // An address of IPv4 in the clothes of IPv6 stays one of IPv6.
                stated.map_or(peer.0, |address| Vantage::Network(Network::of_host(address)))
            }
        }
    }

    /// Which route takes it.
    pub(super) fn route(&self, read: &Read) -> Routed<'_> {
        self.routes.route(&read.name(), read.path())
    }

    /// Whether anybody allows it.
    pub(super) fn authorise(&self, read: &Read, peer: Peer) -> Result<Decision<'_>, Divided> {
        self.policies.decide(&read.host, read.path(), read.client, &peer)
    }

    /// How the backend of a route is verified.
    pub(super) fn verified(&self, entry: &Entry) -> Option<&Verified> {
        self.trust.of_service(&entry.service, entry.port)
    }

    /// The Secret that holds the CA bundle of a trust reference.
    pub(super) fn bundle(&self, trust: &str) -> String {
        let published = trust.parse::<DnsLabel>().ok().and_then(|name| self.settings.mesh.trust.get(&name));
        published.map_or(trust, |published| published.published.as_str()).to_owned()
    }

    /// Whether the gateway's pods may connect to the backend's, and these may be connected to.
    pub(super) fn backend(&self, backend: &Backend) -> Result<(Reach<'_>, Reach<'_>, u16), Divided> {
        let stated = self.settings.pods(&backend.namespace, &backend.service);
        let labels = match stated {
            Some(stated) => stated.pods.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            // What a laboratory's pods are known by.
            None => network::Labels::from([("app.kubernetes.io/name".to_owned(), backend.service.to_string())]),
        };
        let target = stated.and_then(|stated| stated.ports.iter().find(|port| port.service == backend.port));
        let port = target.map_or(backend.port, |target| target.pod).get();
        let pods = Pods { namespace: backend.namespace.to_string(), labels };
        let out = self.network.reach(&self.pods, Direction::Egress, &End::Pods(&pods, Vantage::Anywhere), port)?;
        let into = self.network.reach(&pods, Direction::Ingress, &End::Pods(&self.pods, Vantage::Anywhere), port)?;
        Ok((out, into, port))
    }
}

/// An absolute form, as Envoy's HTTP/1 codec takes it apart: its host goes before the header.
fn absolute(target: &[u8]) -> Option<(String, Vec<u8>)> {
    let text = std::str::from_utf8(target).ok()?;
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"))?;
    let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    Some((host.to_owned(), path.as_bytes().to_vec()))
}
