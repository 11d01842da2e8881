//! What is read of the API's answers: the fields that are used, and no others. Kubernetes may leave any of them out.

use std::collections::BTreeMap;

use pharos_core::inventory::TaintEffect;
use serde::Deserialize;

/// A page of a list.
#[derive(Debug, Deserialize)]
pub(super) struct Page<T> {
    #[serde(default)]
    pub(super) metadata: PageMetadata,
    #[serde(default = "Vec::new")]
    pub(super) items: Vec<T>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PageMetadata {
    /// Where the next page begins; empty on the last.
    #[serde(default, rename = "continue")]
    pub(super) next: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) namespace: String,
    #[serde(default)]
    pub(super) uid: String,
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
}

/// Any object of which only the identity is wanted.
#[derive(Debug, Deserialize)]
pub(super) struct Identified {
    pub(super) metadata: Metadata,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Version {
    pub(super) git_version: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) metadata: Metadata,
    #[serde(default)]
    pub(super) spec: NodeSpec,
    #[serde(default)]
    pub(super) status: NodeStatus,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeSpec {
    #[serde(default)]
    pub(super) taints: Vec<NodeTaint>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeTaint {
    pub(super) key: String,
    #[serde(default)]
    pub(super) value: String,
    pub(super) effect: TaintEffect,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NodeStatus {
    #[serde(default)]
    pub(super) addresses: Vec<Address>,
    #[serde(default)]
    pub(super) conditions: Vec<Condition>,
    #[serde(default)]
    pub(super) node_info: NodeInfo,
}

#[derive(Debug, Deserialize)]
pub(super) struct Address {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) address: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) status: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NodeInfo {
    #[serde(rename = "machineID")]
    pub(super) machine_id: String,
    pub(super) kubelet_version: String,
    pub(super) architecture: String,
    pub(super) os_image: String,
    pub(super) kernel_version: String,
    pub(super) container_runtime_version: String,
}

/// Rook's `CephCluster`.
#[derive(Debug, Deserialize)]
pub(super) struct CephCluster {
    pub(super) metadata: Metadata,
    #[serde(default)]
    pub(super) status: CephStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CephStatus {
    pub(super) phase: String,
    pub(super) ceph: CephHealth,
    pub(super) version: CephVersion,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CephHealth {
    pub(super) fsid: String,
    pub(super) health: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CephVersion {
    pub(super) version: String,
}
