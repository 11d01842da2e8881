//! What a policy and an edge environment have in common: the selection that a catalogue is resolved for.

use super::{EdgeEnvironment, Gateway, Mode, PolicyDocument, rules};
use crate::diagnostic::{Findings, Place};
use crate::document::Document;
use crate::name::{DnsLabel, HostName, Network, Origin, ServiceName};

/// A document that selects services of a catalogue: a policy, or the edge environment rendered from one.
pub trait Environment {
    /// What it selects.
    fn selection(&self) -> Selection<'_>;

    /// Judges it as far as that needs no catalogue.
    fn judge(&self, findings: &mut Findings) {
        rules::judge(&self.selection(), findings);
    }
}

/// What an environment selects.
pub struct Selection<'a> {
    /// The kind of site.
    pub mode: Mode,
    /// The selected profiles.
    pub profiles: &'a [DnsLabel],
    /// The edge; `None` for a foundation alone.
    pub edge: Option<SelectedEdge<'a>>,
    /// The hosts that a site names and no service of a catalogue has.
    pub(crate) others: Vec<OtherHost<'a>>,
    document: &'a dyn Places,
}

/// Where things stand in a document, whatever its type.
trait Places {
    fn place(&self, pointer: &str) -> Place;
    fn key_place(&self, pointer: &str) -> Place;
}

impl<T> Places for Document<T> {
    fn place(&self, pointer: &str) -> Place {
        Self::place(self, pointer)
    }

    fn key_place(&self, pointer: &str) -> Place {
        Self::key_place(self, pointer)
    }
}

/// The edge that an environment selects.
pub struct SelectedEdge<'a> {
    /// The origin of each service.
    pub bound: Vec<Bound<'a>>,
    /// Who may use management routes.
    pub management_networks: &'a [Network],
    /// The gateway.
    pub gateway: &'a Gateway,
    /// The JSON pointer of the object that holds these: empty, or `/edge`.
    pub pointer: &'static str,
}

/// A host that a site relies on and does not serve by a service of the catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherHost<'a> {
    pub(crate) host: &'a HostName,
    /// What has it.
    pub(crate) whose: &'static str,
    /// The pointer to where it is said.
    pub(crate) pointer: &'static str,
}

/// A service with its origin.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// The service.
    pub service: &'a ServiceName,
    /// Its origin.
    pub origin: &'a Origin,
    /// Which list of the document it stands in.
    pub list: List,
}

/// The list of a document that binds a service to its origin.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum List {
    /// The one list of an edge environment.
    Environment,
    /// `edge.origins` of a policy.
    Origins,
    /// `edge.bindings` of a policy.
    Bindings,
}

impl List {
    /// Its JSON pointer.
    pub const fn pointer(self) -> &'static str {
        match self {
            Self::Environment => "/origins",
            Self::Origins => "/edge/origins",
            Self::Bindings => "/edge/bindings",
        }
    }

    /// Its key as people write it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Environment => "origins",
            Self::Origins => "edge.origins",
            Self::Bindings => "edge.bindings",
        }
    }
}

impl Selection<'_> {
    /// The place of the node at a JSON pointer.
    pub fn place(&self, pointer: &str) -> Place {
        self.document.place(pointer)
    }

    /// The place of a service's origin.
    pub fn place_of(&self, bound: &Bound<'_>) -> Place {
        self.place(&format!("{}/{}", bound.list.pointer(), bound.service))
    }

    /// The place where a service is named.
    pub fn place_of_name(&self, bound: &Bound<'_>) -> Place {
        self.document.key_place(&format!("{}/{}", bound.list.pointer(), bound.service))
    }

    /// The services with their origins; none for a foundation alone.
    pub fn bound(&self) -> &[Bound<'_>] {
        self.edge.as_ref().map_or(&[], |edge| edge.bound.as_slice())
    }
}

fn bound<'a>(
    list: List,
    origins: impl IntoIterator<Item = (&'a ServiceName, &'a Origin)>,
) -> impl Iterator<Item = Bound<'a>> {
    origins.into_iter().map(move |(service, origin)| Bound { service, origin, list })
}

fn others<'a>(
    gateway: Option<(&'static str, &'a HostName)>,
    issuer: Option<&'a HostName>,
    relay: Option<&'a HostName>,
) -> Vec<OtherHost<'a>> {
    let issuer = issuer.map(|host| OtherHost { host, whose: "the identity issuer", pointer: "/identity/issuer" });
    let relay = relay.map(|host| OtherHost { host, whose: "the mail relay", pointer: "/smtp/host" });
    let gateway = gateway.map(|(pointer, host)| OtherHost { host, whose: "the gateway", pointer });
    [issuer, relay, gateway].into_iter().flatten().collect()
}

impl Environment for Document<EdgeEnvironment> {
    fn selection(&self) -> Selection<'_> {
        let environment = &self.value;
        Selection {
            mode: environment.mode,
            profiles: &environment.profiles,
            edge: Some(SelectedEdge {
                bound: bound(List::Environment, &environment.origins).collect(),
                management_networks: &environment.management_networks,
                gateway: &environment.gateway,
                pointer: "",
            }),
            others: others(environment.gateway.sni.as_ref().map(|sni| ("/gateway/sni", sni)), None, None),
            document: self,
        }
    }
}

impl Environment for Document<PolicyDocument> {
    fn selection(&self) -> Selection<'_> {
        let policy = &self.value;
        Selection {
            mode: policy.mode,
            profiles: &policy.profiles,
            edge: policy.edge.as_ref().map(|edge| SelectedEdge {
                bound: bound(List::Origins, &edge.origins).chain(bound(List::Bindings, &edge.bindings)).collect(),
                management_networks: &edge.management_networks,
                gateway: &edge.gateway,
                pointer: "/edge",
            }),
            others: others(
                policy.edge.as_ref().and_then(|edge| Some(("/edge/gateway/sni", edge.gateway.sni.as_ref()?))),
                policy.identity.as_ref().map(|identity| identity.issuer.host()),
                policy.smtp.as_ref().and_then(|smtp| smtp.host.as_ref()),
            ),
            document: self,
        }
    }

    fn judge(&self, findings: &mut Findings) {
        rules::judge(&self.selection(), findings);
        rules::judge_policy(self, findings);
    }
}
