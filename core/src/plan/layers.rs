//! The layers of a site: which would run, and in which order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Observations;
use crate::inventory::Topology;
use crate::policy::PolicyDocument;

/// A layer, in the order in which they run: each stands on those before it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The cluster itself.
    Kubernetes,
    /// Ceph.
    Storage,
    /// Istio.
    Mesh,
    /// Argo CD.
    Argo,
    /// nginx with its certificates on the edge hosts; in place right before the applications are.
    Edge,
    /// The applications that Argo CD installs.
    Applications,
    /// The edge once more: what the applications publish for it, such as the trust of a backend.
    EdgeFinal,
}

impl Layer {
    const ALL: [Self; 7] =
        [Self::Kubernetes, Self::Storage, Self::Mesh, Self::Argo, Self::Edge, Self::Applications, Self::EdgeFinal];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Storage => "storage",
            Self::Mesh => "mesh",
            Self::Argo => "argo",
            Self::Edge => "edge",
            Self::Applications => "applications",
            Self::EdgeFinal => "edge-final",
        }
    }
}

/// What would become of a layer.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerState {
    /// It would run.
    Runs,
    /// It stands, and is left as it is.
    Stands,
    /// It would run or stand: that depends on what was not seen.
    Undecided,
    /// The site does not select it.
    LeftOut,
}

impl LayerState {
    /// The words for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Stands => "stands",
            Self::Undecided => "undecided",
            Self::LeftOut => "left out",
        }
    }
}

/// A layer with what would become of it.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedLayer {
    /// The layer.
    pub layer: Layer,
    /// What would become of it.
    pub state: LayerState,
    /// Why, in a few words.
    pub because: String,
}

/// The label of a host that stores.
const STORAGE_LABEL: &str = "storage-node";

/// Every layer, in order. What was refused decides nothing: a layer that depends on it is undecided. In the place of a topology stands why
/// there is none. `fresh` says that nothing of a cluster is there.
pub(super) fn layers(
    policy: Option<&PolicyDocument>,
    topology: Result<&Topology, &str>,
    observations: Option<&Observations>,
    fresh: bool,
) -> Vec<PlannedLayer> {
    let decided = Layer::ALL.map(|layer| {
        let (state, because) = match layer {
            Layer::Kubernetes => kubernetes(observations, fresh),
            Layer::Storage => storage(topology),
            Layer::Mesh => (LayerState::Runs, "every site has it".to_owned()),
            Layer::Argo => argo(policy),
            Layer::Edge => edge(policy),
            Layer::Applications | Layer::EdgeFinal => applications(policy),
        };
        PlannedLayer { layer, state, because }
    });
    decided.into()
}

fn kubernetes(observations: Option<&Observations>, fresh: bool) -> (LayerState, String) {
    match observations.map(|seen| &seen.cluster) {
        None => (LayerState::Undecided, "a cluster that is there is left as it is; none was looked for".to_owned()),
        Some(None) if fresh => (
            LayerState::Runs,
            "there is no kubeconfig, and no host that was read holds anything of a cluster".to_owned(),
        ),
        Some(None) => {
            (LayerState::Undecided, "a cluster that is there is left as it is; whether one is was not seen".to_owned())
        }
        Some(Some(cluster)) => (LayerState::Stands, format!("cluster {} answers", cluster.uid)),
    }
}

fn storage(topology: Result<&Topology, &str>) -> (LayerState, String) {
    let topology = match topology {
        Ok(topology) => topology,
        Err(why) => return (LayerState::Undecided, format!("the inventory {why}")),
    };
    let hosts =
        topology.nodes.iter().filter(|(_, node)| node.labels.get(STORAGE_LABEL).is_some_and(|label| label == "True"));
    let names: Vec<&str> = hosts.map(|(name, _)| name.as_str()).collect();
    match names.as_slice() {
        [] => (LayerState::LeftOut, format!("no host has the label {STORAGE_LABEL}")),
        few if few.len() <= 5 => (LayerState::Runs, format!("on {}", few.join(", "))),
        many => (LayerState::Runs, format!("on {} hosts with the label {STORAGE_LABEL}", many.len())),
    }
}

fn argo(policy: Option<&PolicyDocument>) -> (LayerState, String) {
    match policy.map(|policy| &policy.argo) {
        None => refused_policy(),
        Some(None) => (LayerState::LeftOut, "the policy has no block argo".to_owned()),
        Some(Some(argo)) => (LayerState::Runs, format!("from {}", argo.repository)),
    }
}

fn edge(policy: Option<&PolicyDocument>) -> (LayerState, String) {
    match policy.map(|policy| &policy.edge) {
        None => refused_policy(),
        Some(None) => (LayerState::LeftOut, "the policy has no block edge: a foundation alone".to_owned()),
        Some(Some(edge)) => {
            let count = edge.origins.len() + edge.bindings.len();
            (LayerState::Runs, format!("{count} public {}", if count == 1 { "name" } else { "names" }))
        }
    }
}

fn applications(policy: Option<&PolicyDocument>) -> (LayerState, String) {
    match policy.map(|policy| (&policy.edge, &policy.argo)) {
        None => refused_policy(),
        Some((Some(_), Some(_))) => (LayerState::Runs, "delivery is enabled: the policy has edge and argo".to_owned()),
        Some((None, _)) => (LayerState::LeftOut, "the policy has no block edge: a foundation alone".to_owned()),
        Some((_, None)) => (LayerState::LeftOut, "the policy has no block argo".to_owned()),
    }
}

fn refused_policy() -> (LayerState, String) {
    (LayerState::Undecided, "the policy was refused".to_owned())
}
