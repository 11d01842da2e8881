//! What an online plan saw of the world: read, never changed. None of it is secret.

use std::collections::BTreeMap;
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PresentedCertificate;
use crate::inventory::Taint;

/// Everything that was observed; what is `None` or empty was not looked at, or is not there.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Observations {
    /// The Kubernetes API; `None` where none was seen, as before a fresh installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterObservation>,
    /// The Ceph cluster, as its `CephCluster` object states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceph: Option<CephObservation>,
    /// The hosts that were read over ssh, by inventory name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hosts: BTreeMap<String, HostObservation>,
}

/// A Kubernetes cluster, as its API states it.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterObservation {
    /// The UID of the namespace kube-system, which is the cluster's.
    pub uid: String,
    /// The version of the API server, as it states it: `v1.33.5`.
    pub version: String,
    /// The nodes by name.
    pub nodes: BTreeMap<String, NodeObservation>,
    /// The certificate that the API server presents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<PresentedCertificate>,
}

/// A node of the cluster.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NodeObservation {
    /// Its UID.
    pub uid: String,
    /// The machine id that its kubelet reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine_id: String,
    /// The version of its kubelet: `v1.33.5`.
    pub kubelet: String,
    /// Whether it is ready.
    pub ready: bool,
    /// Its processor, as Kubernetes names it: `amd64`, `arm64`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub architecture: String,
    /// Its system, in its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub os: String,
    /// Its kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// Its container runtime with version: `containerd://2.1.4`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runtime: String,
    /// Its internal addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<IpAddr>,
    /// Its labels, but those that a kubelet gives itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Its taints, but those by which Kubernetes says how a node is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Taint>,
}

/// A Ceph cluster.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CephObservation {
    /// Its identity, the fsid.
    pub fsid: String,
    /// `HEALTH_OK`, `HEALTH_WARN` or `HEALTH_ERR`.
    pub health: String,
    /// The phase that the operator states: `Ready`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// The image or version that runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// A host, as raw reads over ssh found it.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HostObservation {
    /// The content of `/etc/machine-id`.
    pub machine_id: String,
    /// Its system, in its own words: `Debian GNU/Linux 13 (trixie)`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub os: String,
    /// Its kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// Its processor, as `uname -m` names it: `x86_64`, `aarch64`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub architecture: String,
    /// Kernel parameters that were read, by name: `fs.inotify.max_user_instances`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctls: BTreeMap<String, u64>,
    /// Where containerd looks for CNI programs, if containerd is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cni_binaries: Option<String>,
    /// Whether something of a cluster is there already: a kubelet's or etcd's state.
    #[serde(default)]
    pub occupied: bool,
    /// The devices that the inventory names for it, by their references, each with what it is; nothing where there is none. Looked at
    /// only before a fresh installation.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub devices: BTreeMap<String, Option<DeviceObservation>>,
}

/// A block device of a host.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceObservation {
    /// The device itself: `/dev/sdb`.
    pub path: String,
    /// What it is, as the kernel names it: `disk`, `part`.
    pub kind: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What stands at its beginning: the kind of a file system, of a partition table, of a volume.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
    /// What uses it: where it is mounted, and the devices that are made of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
}

/// What makes a site this one and no other: what stays through every operation but a new installation.
#[derive(Debug, Serialize)]
struct Identities<'o> {
    cluster: Option<&'o str>,
    nodes: BTreeMap<&'o str, &'o str>,
    machines: BTreeMap<&'o str, &'o str>,
    ceph: Option<&'o str>,
}

impl Observations {
    /// The fingerprint of the live identities: the UIDs of cluster and nodes, the machine ids, the Ceph cluster's fsid. Versions and
    /// health are not among them.
    pub fn identities(&self) -> super::Fingerprint {
        let nodes = self.cluster.iter().flat_map(|cluster| &cluster.nodes);
        let machines = self.hosts.iter().map(|(name, host)| (name.as_str(), host.machine_id.as_str()));
        super::Fingerprint::of(&Identities {
            cluster: self.cluster.as_ref().map(|cluster| cluster.uid.as_str()),
            nodes: nodes.map(|(name, node)| (name.as_str(), node.uid.as_str())).collect(),
            machines: machines.collect(),
            ceph: self.ceph.as_ref().map(|ceph| ceph.fsid.as_str()),
        })
    }
}
