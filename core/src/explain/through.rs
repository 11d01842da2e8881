//! The way from the gateway to the backend: each hop asked in turn, and its rule said with its places.

use super::answer::{Answer, Answered, Hop, HopName};
use super::edge::Verification;
use super::gateway::{
    Decision, Entry, Gateway, Incoming, Peer, Reach, Read, Routed, Unreadable, Unverified, Verified, covers,
};
use super::question::{Caller, Presented, Question};
use super::sources::Sources;
use super::vantage::Vantage;
use super::words::sender;
use crate::catalogue::{BackendProtocol, Transport};
use crate::diagnostic::{Label, Report};

/// What a walk needs.
pub(super) struct Through<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) sources: &'a Sources,
    pub(super) question: &'a Question,
    /// Where the connection to the gateway comes from.
    pub(super) peer: Peer,
}

/// How the edge verifies the gateway. nginx answers in its place where it is not who it should be.
pub(super) fn entrance_trust(sources: &Sources, question: &Question, verified: &Verification) -> Hop {
    let asked = format!(
        "SNI `{}` is sent; a certificate for that name, which chains to `{}`, is asked for",
        verified.name, verified.trust
    );
    let fault = question.gateway.as_ref().and_then(|presented| {
        let named = || presented.names.iter().any(|own| covers(own, &verified.name));
        if presented.trusted {
            (!named()).then_some("the one that is presented has another name")
        } else {
            Some("the one that is presented does not chain to it")
        }
    });
    let places = [("/edge/gateway/trust", "the CA bundle"), ("/edge/gateway/sni", "the name")];
    Hop {
        name: HopName::EntranceTrust,
        refused: fault.map(|_| Answered::Status(502)),
        object: "the edge's server".to_owned(),
        rule: fault.map_or_else(|| asked.clone(), |fault| format!("{asked}, and {fault}")),
        places: places.into_iter().flat_map(|(key, text)| sources.policy(key, text)).collect(),
    }
}

/// A hop that lets a request through.
fn passed(name: HopName, object: String, rule: String, places: Vec<Label>) -> Hop {
    Hop { name, refused: None, object, rule, places }
}

impl Through<'_> {
    /// Asks hop by hop until one refuses.
    pub(super) fn walk(&self, incoming: &Incoming<'_>, answer: &mut Answer) -> Result<(), Report> {
        let entrance = self.entrance()?;
        let refused = entrance.refused.is_some();
        answer.hops.push(entrance);
        if refused {
            return Ok(());
        }
        if let Some(verified) = incoming.verified {
            let hop = entrance_trust(self.sources, self.question, verified);
            let refused = hop.refused.is_some();
            answer.hops.push(hop);
            if refused {
                return Ok(());
            }
        }
        let read = match self.gateway.read(incoming, self.peer) {
            Ok(read) => read,
            Err(unreadable) => {
                answer.hops.push(self.unreadable(&unreadable));
                return Ok(());
            }
        };
        answer.paths.gateway = Some(read.path().to_vec());
        let routed = self.gateway.route(&read);
        let authorised = self.authorisation(&read)?;
        let (hop, entry) = self.routing(&routed, &read, authorised.refused.is_none());
        if let Some(entry) = entry {
            answer.route = Some(entry.route.clone());
            answer.transport = Some(entry.transport);
            // Envoy asks a backend of HTTP/2 for a tunnel (RFC 8441), which no gRPC server gives.
            answer.upgraded = answer.upgraded.map(|upgraded| upgraded && entry.transport == Transport::Http);
        }
        let refused = hop.refused.is_some() || authorised.refused.is_some();
        let is_route = hop.refused.is_none();
        answer.hops.push(hop);
        if is_route {
            answer.hops.push(authorised);
        }
        if let (Some(entry), false) = (entry, refused) {
            self.to_backend(entry, answer)?;
        }
        Ok(())
    }

    fn entrance(&self) -> Result<Hop, Report> {
        let peer = self.peer;
        let who = match &self.question.caller {
            Caller::Client => "the edge".to_owned(),
            Caller::Edge => format!("the edge ({})", peer.0),
            Caller::Node => "the node".to_owned(),
            Caller::Pod { namespace, .. } => format!("the pod of namespace `{namespace}`"),
        };
        let name = HopName::Entrance;
        let Some(reach) = self.gateway.entrance(self.question, peer)? else {
            let rule = "no policy keeps a process away from the pods of its own node".to_owned();
            return Ok(passed(name, "NetworkPolicy of Kubernetes".to_owned(), rule, Vec::new()));
        };
        let edges = |text| self.sources.policy("/gateway/edges", text);
        let callers = |text| self.sources.policy("/gateway/callers", text);
        Ok(match reach {
            Reach::Open => passed(
                name,
                "no NetworkPolicy".to_owned(),
                format!("no policy is about the gateway's pods, and {who} may connect as everybody may"),
                self.sources.policy("/gateway", "neither `edges` nor `callers`"),
            ),
            Reach::Allowed(object) => {
                let is_pod = matches!(self.question.caller, Caller::Pod { .. });
                let places = if is_pod { callers("who may connect") } else { edges("who may connect") };
                passed(name, format!("NetworkPolicy {object}"), format!("{who} may connect to the gateway"), places)
            }
            Reach::Denied(object) => Hop {
                name,
                refused: Some(match self.question.caller {
                    // nginx waits for a connection, and answers in the gateway's place.
                    Caller::Client => Answered::Status(504),
                    _ => Answered::Unreachable,
                }),
                object: format!("NetworkPolicy {object}"),
                rule: format!("{who} is not among those who may connect to the gateway"),
                places: edges("the edges").into_iter().chain(callers("the callers")).collect(),
            },
        })
    }

    fn unreadable(&self, unreadable: &Unreadable) -> Hop {
        Hop {
            name: HopName::Gateway,
            refused: Some(Answered::Status(unreadable.status)),
            object: format!("Envoy itself, path normalisation {}", self.gateway.normalization_word),
            rule: unreadable.reason.to_owned(),
            places: self.sources.mesh("/path_normalization", "how paths are normalised"),
        }
    }

    /// Which route takes it. Without one Envoy answers 404, unless the policies have refused before.
    fn routing<'g>(&self, routed: &Routed<'g>, read: &Read, allowed: bool) -> (Hop, Option<&'g Entry>) {
        let name = HopName::Gateway;
        let refused = Some(Answered::Status(if allowed { 404 } else { 403 }));
        match routed {
            Routed::Taken(entry) => {
                let rule = format!("the host and path are those of route `{}`", entry.route);
                let places = self.sources.route(&entry.route, "/match", "the path");
                let object = format!("VirtualService {}, route {}", entry.object, entry.route);
                (passed(name, object, rule, places), Some(entry))
            }
            Routed::NoHost => {
                let rule = format!("no virtual service is bound to the host `{}`", read.host.escape_debug());
                let places = self.sources.policy("/edge/origins", "the names that are served");
                (Hop { name, refused, object: "no VirtualService".to_owned(), rule, places }, None)
            }
            Routed::NoPath(object) => {
                let places = self.sources.host(&read.name(), "/routes", "none of these takes the path");
                let rule = "no route of this host takes the path".to_owned();
                (Hop { name, refused, object: format!("VirtualService {object}"), rule, places }, None)
            }
        }
    }

    fn authorisation(&self, read: &Read) -> Result<Hop, Report> {
        let peer = self.peer;
        let name = HopName::Authorization;
        let networks = || {
            let mut places = self.sources.policy("/edge/management_networks", "whose requests");
            places.extend(self.sources.policy("/gateway/edges", "by whose word"));
            places
        };
        Ok(match self.gateway.authorise(read, peer)? {
            Decision::Unguarded => {
                passed(name, "no AuthorizationPolicy".to_owned(), "nothing is refused".to_owned(), Vec::new())
            }
            Decision::Allowed(policy, by_sender) => {
                let mut places = self.of_route(policy.route.as_ref(), "/access", "");
                let rule = if by_sender {
                    places.extend(networks());
                    format!("`remoteIpBlocks` admits {}, and `ipBlocks` the connection from {}", read.client, peer.0)
                } else {
                    "the host and path are admitted, whoever asks".to_owned()
                };
                passed(name, format!("AuthorizationPolicy {}", policy.object), rule, places)
            }
            Decision::Sender(policy) => {
                let mut places = self.of_route(policy.route.as_ref(), "/access", "");
                places.extend(networks());
                let rule = format!(
                    "the client is {}, and the connection comes from {}: not both are admitted",
                    sender(read.client),
                    sender(peer.0)
                );
                let object = format!("AuthorizationPolicy {}", policy.object);
                Hop { name, refused: Some(Answered::Status(403)), object, rule, places }
            }
            Decision::Nobody => Hop {
                name,
                refused: Some(Answered::Status(403)),
                object: "no AuthorizationPolicy".to_owned(),
                rule: "none admits this host and path, and what none admits is refused".to_owned(),
                places: self.sources.host(&read.name(), "/routes", "a policy for each of these"),
            },
        })
    }

    fn of_route(&self, route: Option<&crate::name::DnsLabel>, key: &str, text: &str) -> Vec<Label> {
        route.map(|route| self.sources.route(route, key, text)).unwrap_or_default()
    }

    /// Trust, Service and the policies between pods.
    fn to_backend(&self, entry: &Entry, answer: &mut Answer) -> Result<(), Report> {
        let trust = match self.gateway.verified(entry) {
            None => self.plain(entry),
            Some(verified) => self.verified(entry, verified),
        };
        let refused = trust.refused.is_some();
        answer.hops.push(trust);
        if refused {
            return Ok(());
        }
        let backend = &entry.backend;
        let (mut rule, places) = match self.sources.reviewed(backend, "the reviewed ports") {
            Some(places) => (format!("port {} is reviewed", backend.port), places),
            None => (
                format!("port {} is the laboratory's own", backend.port),
                self.sources.route(&entry.route, "/backend", "the laboratory's Service"),
            ),
        };
        if backend.protocol == BackendProtocol::Grpc {
            rule.push_str(
                ", and spoken to over HTTP/2 whatever the client speaks: the backend answers what is no gRPC call",
            );
        }
        let object = format!("Service {}/{}", backend.namespace, backend.service);
        answer.hops.push(passed(HopName::Service, object, rule, places));
        answer.hops.push(self.pods(entry)?);
        Ok(())
    }

    fn plain(&self, entry: &Entry) -> Hop {
        let places = self.sources.route(&entry.route, "/backend", "no `protocol: https`");
        let rule = "the backend is spoken to in plain text".to_owned();
        passed(HopName::Trust, "no TLS of a DestinationRule".to_owned(), rule, places)
    }

    fn verified(&self, entry: &Entry, verified: &Verified) -> Hop {
        let mut places = self.sources.route(&entry.route, "/backend/trust", "the CA bundle");
        let recognised = if verified.fingerprints.is_empty() {
            places.extend(self.sources.route(&entry.route, "/backend/sni", "the name"));
            format!("a certificate for `{}`", verified.names.join("` or `"))
        } else {
            places.extend(self.sources.policy("/gateway/fingerprints", "the certificates"));
            "a certificate of a stated fingerprint".to_owned()
        };
        let object = format!("DestinationRule {}", verified.object);
        let asked = format!(
            "SNI `{}` is sent; {recognised}, signed by the CA of Secret `{}`, is asked for",
            verified.sni, verified.bundle
        );
        let fault = |presented: &Presented| verified.refuses(presented, |trust| self.gateway.bundle(trust));
        let (refused, rule) = match self.question.backend.as_ref().and_then(fault) {
            None => (None, asked),
            Some(why) => {
                let fault = match why {
                    Unverified::Authority => "another CA signed the one that is presented",
                    Unverified::Name => "the one that is presented has another name",
                    Unverified::Fingerprint => "the one that is presented has another fingerprint",
                };
                (Some(Answered::Status(503)), format!("{asked}, and {fault}"))
            }
        };
        Hop { name: HopName::Trust, refused, object, rule, places }
    }

    fn pods(&self, entry: &Entry) -> Result<Hop, Report> {
        let backend = &entry.backend;
        let (out, into, port) = self.gateway.backend(backend)?;
        let mut places = self.sources.pods(backend, "", "the pods behind the Service");
        if places.is_empty() {
            places = self.sources.route(&entry.route, "/backend", "pods by the name of the Service");
        }
        let name = HopName::NetworkPolicy;
        let refused = Some(Answered::Status(503));
        Ok(match (out, into) {
            (Reach::Denied(object), _) => {
                let rule = format!("the gateway may not connect to port {port} of the pods");
                Hop { name, refused, object: format!("NetworkPolicy {object}"), rule, places }
            }
            (_, Reach::Denied(object)) => {
                let rule = format!("port {port} of the pods lets the gateway not in");
                Hop { name, refused, object: format!("NetworkPolicy {object}"), rule, places }
            }
            (Reach::Allowed(object), Reach::Allowed(other)) => {
                let rule = format!("the gateway may connect to port {port} of the pods, which lets it in");
                passed(name, format!("NetworkPolicy {object} and {other}"), rule, places)
            }
            (out, into) => {
                let object = match (out, into) {
                    (Reach::Allowed(object), _) | (_, Reach::Allowed(object)) => format!("NetworkPolicy {object}"),
                    _ => "no NetworkPolicy".to_owned(),
                };
                places.extend(self.sources.pods(backend, "/ingress", "who keeps the policy that lets it in"));
                let rule = format!(
                    "no policy of ours keeps the gateway from port {port} of the pods; what else there is about them is not known"
                );
                passed(name, object, rule, places)
            }
        })
    }
}

/// Where a caller's connection to the gateway comes from.
pub(super) fn peer(gateway: &Gateway, question: &Question) -> Peer {
    match (&question.caller, question.from) {
        (Caller::Client, _) | (Caller::Edge, Vantage::Anywhere) => Peer(gateway.edge()),
        (_, from) => Peer(from),
    }
}
