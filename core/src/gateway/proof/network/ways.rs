//! The ways that network policies open: from whom or to whom, at which ports.

use std::fmt::{self, Display, Formatter};

use crate::catalogue::{Destination, PodLabels};
use crate::gateway::kind::{LabelSelector, Map, NetworkPolicyPort, Peer};
use crate::gateway::proof::selectors::named;
use crate::name::Network;

/// Labels, in the order of their keys.
pub(super) type Labels<'o> = Vec<(&'o str, &'o str)>;

/// What a selector asks for.
pub(super) fn asked<'o>(selector: &'o LabelSelector<'_>) -> Labels<'o> {
    let mut labels: Labels<'o> =
        selector.match_labels.0.iter().map(|(key, value)| (key.as_ref(), value.as_ref())).collect();
    labels.sort_unstable();
    labels
}

/// What a document states of pods.
pub(super) fn stated(pods: &PodLabels) -> Labels<'_> {
    pods.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

/// The other end of a way.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) enum End<'o> {
    /// Pods of one namespace that are told by their labels.
    Pods(&'o str, Labels<'o>),
    /// A network.
    Network(Network),
    /// More than any document can state: pods of several namespaces, all pods of one, or anybody.
    Open(String),
}

/// The label that Kubernetes gives each namespace.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

impl<'o> End<'o> {
    /// What a policy names.
    fn of(peer: &'o Peer<'_>) -> Self {
        let (namespaces, pods) = match peer {
            Peer::Addresses { ip_block } => return Self::Network(ip_block.cidr),
            Peer::Pods { namespace_selector, pod_selector } => (&namespace_selector.match_labels, pod_selector),
        };
        let words = |namespaces: String| Self::Open(format!("{} of {namespaces}", named(&pods.match_labels)));
        match namespaces.0.as_slice() {
            [(key, name)] if key == NAMESPACE_NAME && !pods.match_labels.is_empty() => Self::Pods(name, asked(pods)),
            [(key, name)] if key == NAMESPACE_NAME => words(format!("namespace `{name}`")),
            [] => words("every namespace".to_owned()),
            _ => words(format!("every namespace with {}", labels(namespaces))),
        }
    }

    /// What a document names.
    pub(super) fn stated(destination: &'o Destination) -> Self {
        match destination {
            Destination::Pods(set) => Self::Pods(set.namespace.as_str(), stated(&set.labels)),
            Destination::Network(network) => Self::Network(*network),
        }
    }
}

fn labels(map: &Map<'_>) -> String {
    named(map).trim_start_matches("pods ").to_owned()
}

impl Display for End<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pods(namespace, labels) => {
                let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
                write!(f, "pods `{}` of namespace `{namespace}`", labels.join(","))
            }
            Self::Network(network) => write!(f, "`{network}`"),
            Self::Open(words) => f.write_str(words),
        }
    }
}

/// A way: its other end, and the port; every port if there is none.
pub(super) type Way<'o> = (End<'o>, Option<NetworkPolicyPort>);

/// The ways of a rule. To name no peer is to name everybody, and to name no port every port.
pub(super) fn ways<'o>(peers: &'o [Peer<'_>], ports: &'o [NetworkPolicyPort]) -> Vec<Way<'o>> {
    let ends = match peers {
        [] => vec![End::Open("anybody".to_owned())],
        peers => peers.iter().map(End::of).collect(),
    };
    let ports: Vec<Option<NetworkPolicyPort>> = match ports {
        [] => vec![None],
        ports => ports.iter().copied().map(Some).collect(),
    };
    ends.into_iter().flat_map(|end| ports.iter().map(move |port| (end.clone(), *port)).collect::<Vec<_>>()).collect()
}

/// A port as people say it.
pub(super) fn port_words(port: Option<NetworkPolicyPort>) -> String {
    match port {
        None => "every port".to_owned(),
        Some(NetworkPolicyPort { protocol: "TCP", port }) => format!("port {port}"),
        Some(NetworkPolicyPort { protocol, port }) => format!("{protocol} port {port}"),
    }
}
