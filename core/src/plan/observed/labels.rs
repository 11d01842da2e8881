//! Labels and taints of the nodes that run, beside those of the inventory.

use std::collections::BTreeMap;

use super::{SERVICES, about, listed};
use crate::diagnostic::{Code, Diagnostic, Findings};
use crate::inventory::{Node, STORAGE_LABELS, Topology};
use crate::plan::{ClusterObservation, NodeObservation, codes};

/// Whether a label of a node is kept: those by which a kubelet says what its machine is are its own.
pub fn is_observed_label(key: &str) -> bool {
    !matches!(key.split_once('/'), Some(("kubernetes.io" | "beta.kubernetes.io", _)))
}

/// Whether a taint of a node is kept: those by which Kubernetes says how a node is come and go, and the control plane has its own.
pub fn is_observed_taint(key: &str) -> bool {
    let own = ["node.kubernetes.io", "node.cloudprovider.kubernetes.io", "node-role.kubernetes.io"];
    !key.split_once('/').is_some_and(|(prefix, _)| own.contains(&prefix))
}

/// What is different, with the nodes that it is different on: a site has thousands of nodes.
type Differences<'n> = BTreeMap<String, Vec<&'n str>>;

pub(super) fn judge(cluster: &ClusterObservation, topology: &Topology, findings: &mut Findings) {
    let (mut by_label, mut by_taint) = (Differences::new(), Differences::new());
    for (name, node) in &topology.nodes {
        let Some(live) = cluster.nodes.get(name.as_str()) else { continue };
        labels(node, live, |words| by_label.entry(words).or_default().push(name.as_str()));
        taints(node, live, |words| by_taint.entry(words).or_default().push(name.as_str()));
    }
    tell(codes::LABELS_DIFFER, &by_label, "kubectl label", findings);
    tell(codes::TAINTS_DIFFER, &by_taint, "kubectl taint", findings);
}

/// Labels that the inventory states, and those of the platform that it does not: by these storage and services choose their hosts.
fn labels(node: &Node, live: &NodeObservation, mut differ: impl FnMut(String)) {
    for (key, stated) in node.labels.iter().filter(|(key, _)| is_observed_label(key)) {
        match live.labels.get(key) {
            Some(there) if there == stated => {}
            Some(there) => differ(format!("label `{key}` is `{there}`, and `{stated}` in the inventory")),
            None => differ(format!("label `{key}={stated}` of the inventory is missing")),
        }
    }
    let choices = STORAGE_LABELS.into_iter().chain([SERVICES.0]);
    for key in choices.filter(|key| !node.labels.contains_key(*key)) {
        if let Some(there) = live.labels.get(key) {
            differ(format!("label `{key}={there}` is not in the inventory"));
        }
    }
}

fn taints(node: &Node, live: &NodeObservation, mut differ: impl FnMut(String)) {
    for stated in node.taints.iter().filter(|taint| is_observed_taint(&taint.key) && !live.taints.contains(taint)) {
        differ(format!("taint `{stated}` of the inventory is missing"));
    }
    for there in live.taints.iter().filter(|taint| is_observed_taint(&taint.key) && !node.taints.contains(taint)) {
        differ(format!("taint `{there}` is not in the inventory"));
    }
}

fn tell(code: Code, differences: &Differences<'_>, command: &str, findings: &mut Findings) {
    for (words, nodes) in differences {
        findings.push(
            Diagnostic::warning(code, words.as_str())
                .at(about("node", &listed(nodes.iter().copied())), "")
                .help(format!("set it with `{command}`, or correct the inventory if the cluster is right")),
        );
    }
}
