//! The plan as it is recorded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Finding, Fingerprint, Grade, KeyedFingerprint, Observations, Obstacle, PlannedEdge, PlannedLayer, SeenCertificate,
    finding,
};
use crate::certificate::UnixTime;
use crate::diagnostic::{Class, Code, code};
use crate::environment::Operation;
use crate::inventory::Topology;
use crate::name::{EnvironmentName, NodeName};
use crate::policy::{Cni, Mode, PolicyDocument};

/// What an operation would do to a site. A record: it holds nothing secret, and everything that is needed to read it later.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// 2.
    pub version: u32,
    /// The environment.
    pub environment: EnvironmentName,
    /// The one operation that it is for.
    pub operation: Operation,
    /// Whether it was made without looking at the site: an offline plan authorises nothing.
    pub offline: bool,
    /// When it was made.
    pub at: UnixTime,
    /// The source that it was made from.
    pub revision: Revision,
    /// What it is bound to.
    pub fingerprints: Fingerprints,
    /// What the cluster is built from; `None` if the policy was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Pinned>,
    /// The policy; `None` if it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyDocument>,
    /// The nodes and groups; `None` if the inventory was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// Every layer, in the order in which they run.
    pub layers: Vec<PlannedLayer>,
    /// The public edge; `None` for a foundation alone, or if it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<PlannedEdge>,
    /// The certificates that were seen: whom the administration machine trusts, what it signs in with, what the API server presents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<SeenCertificate>,
    /// What is refused or graded, the gravest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What was not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<Unseen>,
    /// Why it authorises no change; empty if it may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// What an online plan saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observations: Option<Observations>,
}

impl Plan {
    /// The fingerprint of all of it: what the journal knows it by.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self)
    }

    /// Why there is no topology, in words for "the inventory ...".
    pub(super) fn no_topology(&self) -> &'static str {
        finding::no_topology(&self.findings)
    }

    /// How many findings have this grade.
    pub fn count(&self, grade: Grade) -> usize {
        self.findings.iter().filter(|finding| finding.grade == grade).count()
    }

    /// The exit status of the command that makes this plan, as [`Report::exit_status`](crate::diagnostic::Report::exit_status) has it.
    pub fn exit_status(&self) -> u8 {
        let refused = self.findings.iter().filter(|finding| finding.grade == Grade::Error);
        // A code that this release does not know is of a plan that it did not make.
        let class = |finding: &Finding| code::find(&finding.code).map_or(Class::Refusal, Code::class);
        refused.map(class).max().map_or(0, Class::exit_status)
    }
}

/// The source that a plan was made from.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Revision {
    /// The commit.
    pub commit: String,
    /// Whether the working tree has changes that are in no commit. They are not in the plan's source.
    pub dirty: bool,
}

/// What the cluster is built from.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    /// The kind of site.
    pub mode: Mode,
    /// The release of Kubernetes, without the `v`.
    pub kubernetes: String,
    /// The network plugin.
    pub cni: Cni,
}

impl Pinned {
    pub(super) fn of(policy: &PolicyDocument) -> Self {
        Self { mode: policy.mode, kubernetes: policy.foundation.kubernetes.clone(), cni: policy.foundation.cni.clone() }
    }
}

/// What a plan is bound to. A part that was refused has none.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprints {
    /// Of the revision.
    pub source: Fingerprint,
    /// Of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Fingerprint>,
    /// Of the public inputs: the inventory's public projection, the edge hosts and the routes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Fingerprint>,
    /// Of exactly the nodes' names, the groups of the cluster, the mode, the Kubernetes version and the CNI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Fingerprint>,
    /// Of the live identities; an offline plan has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identities: Option<Fingerprint>,
    /// Of the private file of the external identity, keyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_identity: Option<KeyedFingerprint>,
}

/// What the topology fingerprint covers.
#[derive(Serialize)]
struct Shape<'p> {
    nodes: Vec<&'p NodeName>,
    groups: &'p std::collections::BTreeMap<String, Vec<NodeName>>,
    primary: &'p NodeName,
    mode: Mode,
    kubernetes: &'p str,
    cni: &'p Cni,
}

/// The fingerprint of what no operation but an installation may change: nodes, groups, mode, Kubernetes version and CNI. Addresses,
/// labels, taints and devices are inputs; a group that is spelt in another way is the same group.
pub(super) fn topology_fingerprint(topology: &Topology, pinned: &Pinned) -> Fingerprint {
    let mut groups = topology.aliases.clone();
    for members in groups.values_mut() {
        members.sort();
    }
    Fingerprint::of(&Shape {
        nodes: topology.nodes.keys().collect(),
        groups: &groups,
        primary: &topology.primary.node,
        mode: pinned.mode,
        kubernetes: &pinned.kubernetes,
        cni: &pinned.cni,
    })
}

/// What a plan did not look at.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unseen {
    /// The Kubernetes API: whether there is a cluster, which one, its nodes and versions.
    Cluster,
    /// Ceph: which cluster, and its health.
    Ceph,
    /// The hosts: machine ids, system, processor, kernel parameters, and devices before a fresh installation.
    Hosts,
    /// The certificates of the edge: no plan contacts an edge host.
    Certificates,
}

impl Unseen {
    /// What that means, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Cluster => "the Kubernetes API: whether there is a cluster, its identity, nodes and versions",
            Self::Ceph => "Ceph: its identity and health",
            Self::Hosts => "the hosts: machine ids, system, processor, kernel parameters, devices",
            Self::Certificates => "the certificates of the edge: whether they are there, and how long they last",
        }
    }
}
