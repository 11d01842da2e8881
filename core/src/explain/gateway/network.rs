//! Which pods reach each other: `NetworkPolicy` as the cluster's network plugin carries it out.

use std::collections::BTreeMap;

use crate::explain::answer::Divided;
use crate::explain::vantage::{Lies, Vantage};
use crate::gateway::kind::{Direction, LabelSelector, NetworkPolicyPort, NetworkPolicySpec, Object, Peer as Selected};
use crate::name::Network;

/// The label that Kubernetes gives each namespace.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// Labels.
pub(super) type Labels = BTreeMap<String, String>;

/// Pods of a namespace.
#[derive(Clone, Debug)]
pub(super) struct Pods {
    pub(super) namespace: String,
    pub(super) labels: Labels,
}

/// One end of a connection.
pub(super) enum End<'a> {
    /// An address.
    Address(Vantage),
    /// Pods, and their addresses where they are known.
    Pods(&'a Pods, Vantage),
}

enum Peer {
    Network(Network),
    Pods { namespace: Labels, pods: Labels },
}

struct Rule {
    peers: Vec<Peer>,
    ports: Vec<NetworkPolicyPort>,
}

struct Policy {
    object: Box<str>,
    namespace: Box<str>,
    pods: Labels,
    direction: Direction,
    rules: Vec<Rule>,
}

/// What the policies say of a connection.
#[derive(Debug, Eq, PartialEq)]
pub(in crate::explain) enum Reach<'a> {
    /// No policy is about these pods in this direction.
    Open,
    /// This one allows it.
    Allowed(&'a str),
    /// Some are about the pods, this one among them, and none allows it.
    Denied(&'a str),
}

/// Every policy.
pub(super) struct Policies(Vec<Policy>);

fn labels(selector: &LabelSelector<'_>) -> Labels {
    selector.match_labels.0.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

fn peer(selected: &Selected<'_>) -> Peer {
    match selected {
        Selected::Addresses { ip_block } => Peer::Network(ip_block.cidr),
        Selected::Pods { namespace_selector, pod_selector } => {
            Peer::Pods { namespace: labels(namespace_selector), pods: labels(pod_selector) }
        }
    }
}

impl Policies {
    pub(super) fn of(objects: &[Object<'_, NetworkPolicySpec<'_>>]) -> Self {
        let rule = |peers: &[Selected<'_>], ports: &[NetworkPolicyPort]| Rule {
            peers: peers.iter().map(peer).collect(),
            ports: ports.to_vec(),
        };
        let policy = |object: &Object<'_, NetworkPolicySpec<'_>>| {
            let [direction] = object.spec.policy_types;
            let rules = match direction {
                Direction::Ingress => object.spec.ingress.iter().map(|one| rule(&one.from, &one.ports)).collect(),
                Direction::Egress => object.spec.egress.iter().map(|one| rule(&one.to, &one.ports)).collect(),
            };
            Policy {
                object: super::named(&object.metadata),
                namespace: object.metadata.namespace.as_ref().into(),
                pods: labels(&object.spec.pod_selector),
                direction,
                rules,
            }
        };
        Self(objects.iter().map(policy).collect())
    }

    /// Whether pods may be connected to, or may connect, to a TCP port of the end that listens.
    pub(super) fn reach(
        &self,
        pods: &Pods,
        direction: Direction,
        end: &End<'_>,
        port: u16,
    ) -> Result<Reach<'_>, Divided> {
        let mut reach = Reach::Open;
        let about = |policy: &&Policy| {
            policy.direction == direction && *policy.namespace == *pods.namespace && selects(&policy.pods, &pods.labels)
        };
        for policy in self.0.iter().filter(about) {
            for rule in &policy.rules {
                if !rule.ports.iter().any(|open| open.port == port && open.protocol == "TCP") {
                    continue;
                }
                for peer in &rule.peers {
                    if peer.takes(end, &policy.object)? {
                        return Ok(Reach::Allowed(&policy.object));
                    }
                }
            }
            reach = Reach::Denied(&policy.object);
        }
        Ok(reach)
    }
}

/// Whether a selector takes pods or a namespace: all of its labels are theirs.
fn selects(selector: &Labels, labels: &Labels) -> bool {
    selector.iter().all(|(key, value)| labels.get(key) == Some(value))
}

impl Peer {
    fn takes(&self, end: &End<'_>, object: &str) -> Result<bool, Divided> {
        match (self, end) {
            (Self::Network(network), End::Address(from) | End::Pods(_, from)) => lies_in(*from, network, object),
            (Self::Pods { namespace, pods }, End::Pods(end, _)) => {
                let own = Labels::from([(NAMESPACE_NAME.to_owned(), end.namespace.clone())]);
                Ok(selects(namespace, &own) && selects(pods, &end.labels))
            }
            (Self::Pods { .. }, End::Address(_)) => Ok(false),
        }
    }
}

fn lies_in(from: Vantage, network: &Network, object: &str) -> Result<bool, Divided> {
    match from.lies(network) {
        Lies::Inside => Ok(true),
        Lies::Outside => Ok(false),
        Lies::Partly => Err(Divided { from, rule: object.to_owned() }),
    }
}
