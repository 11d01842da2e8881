//! What an online plan sees of a cluster.

use std::collections::BTreeMap;
use std::io::ErrorKind::NotFound;

use pharos_core::access::several_ceph_clusters;
use pharos_core::diagnostic::Report;
use pharos_core::inventory::Taint;
use pharos_core::plan::{
    CephObservation, ClusterObservation, NodeObservation, Observations, PresentedCertificate, is_observed_label,
    is_observed_taint,
};

use super::Access;
use super::api::Reader;
use super::shapes::{CephCluster, Identified, Metadata, Node, NodeTaint, Version};
use crate::error::io;

/// Reads the identity of a cluster, its versions, nodes and Ceph cluster, with GET requests alone. Blocks until all is read.
/// Without Rook's kind there is no Ceph cluster.
///
/// # Errors
/// `access/*`, `file/*`, `document/*`
pub fn observe(access: &Access<'_>) -> Result<Observations, Report> {
    if access.may_be_missing && matches!(access.kubeconfig.symlink_metadata(), Err(error) if error.kind() == NotFound) {
        return Ok(Observations::default());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| io(access.kubeconfig, "use", &error))?.block_on(read(access))
}

async fn read(access: &Access<'_>) -> Result<Observations, Report> {
    let reader = Reader::open(access).await?;
    let version: Version = reader.get("/version").await?;
    let namespace: Identified = reader.get("/api/v1/namespaces/kube-system").await?;
    let nodes = nodes(&reader).await?;
    let certificate = PresentedCertificate::read(&reader.presented());
    let cluster = ClusterObservation { uid: namespace.metadata.uid, version: version.git_version, nodes, certificate };
    Ok(Observations { cluster: Some(cluster), ceph: ceph(&reader).await?, ..Observations::default() })
}

async fn nodes(reader: &Reader) -> Result<BTreeMap<String, NodeObservation>, Report> {
    let nodes = std::cell::RefCell::new(BTreeMap::new());
    let take = |node: Node| {
        nodes.borrow_mut().insert(node.metadata.name.clone(), observation(node));
    };
    reader.list("/api/v1/nodes", || nodes.borrow_mut().clear(), take).await?;
    Ok(nodes.into_inner())
}

fn observation(node: Node) -> NodeObservation {
    let Node { metadata, spec, status } = node;
    let taints = spec.taints.into_iter().filter(|taint| is_observed_taint(&taint.key));
    let labels = metadata.labels.into_iter().filter(|(key, _)| is_observed_label(key));
    let info = status.node_info;
    let internal = status.addresses.iter().filter(|address| address.kind == "InternalIP");
    NodeObservation {
        uid: metadata.uid,
        machine_id: info.machine_id,
        kubelet: info.kubelet_version,
        ready: status.conditions.iter().any(|condition| condition.kind == "Ready" && condition.status == "True"),
        architecture: info.architecture,
        os: info.os_image,
        kernel: info.kernel_version,
        runtime: info.container_runtime_version,
        addresses: internal.filter_map(|address| address.address.parse().ok()).collect(),
        labels: labels.collect(),
        taints: taints.map(|NodeTaint { key, value, effect }| Taint { key, value, effect }).collect(),
    }
}

async fn ceph(reader: &Reader) -> Result<Option<CephObservation>, Report> {
    let found = std::cell::RefCell::new(Vec::new());
    let take = |cluster: CephCluster| found.borrow_mut().push(cluster);
    reader.list("/apis/ceph.rook.io/v1/cephclusters", || found.borrow_mut().clear(), take).await?;
    let mut found = found.into_inner();
    match (found.pop(), found.is_empty()) {
        (None, _) => Ok(None),
        (Some(CephCluster { status, .. }), true) => Ok(Some(CephObservation {
            fsid: status.ceph.fsid,
            health: status.ceph.health,
            phase: status.phase,
            version: status.version.version,
        })),
        (Some(last), false) => {
            let name = |Metadata { name, namespace, .. }: &Metadata| format!("{namespace}/{name}");
            let names: Vec<String> = found.iter().chain([&last]).map(|cluster| name(&cluster.metadata)).collect();
            Err(several_ceph_clusters(reader.kubeconfig(), &names))
        }
    }
}
