//! The text.

use std::fmt::Write;

use super::super::{Membership, Node, PrimaryBecause, Topology};
use super::roles;

/// A topology for people: the nodes with what they do, and where each membership came from. Ends with a line end.
pub fn human(topology: &Topology) -> String {
    let mut text = String::new();
    let count = topology.nodes.len();
    let because = match topology.primary.because {
        PrimaryBecause::Group => "the member of kube-master-primary",
        PrimaryBecause::FirstControlPlane => "the first host of the control plane",
    };
    let nodes = if count == 1 { "node" } else { "nodes" };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{count} {nodes}; the primary is {}, {because}", topology.primary.node);
    for (alias, members) in &topology.aliases {
        let _ = writeln!(text, "  {alias}: {}", members.len());
    }
    for (name, node) in &topology.nodes {
        let _ = writeln!(text, "\n{name}: {}", roles(node));
        properties(&mut text, node);
        for membership in &node.memberships {
            let _ = writeln!(text, "  {name} is {}", came(membership));
        }
    }
    text
}

/// `kube_node: hosts.yml:41 by way of kube-node`.
fn came(membership: &Membership) -> String {
    let Membership { group, by_way_of, at } = membership;
    if by_way_of.is_empty() {
        format!("{group}: {at}")
    } else {
        format!("{group}: {at} by way of {}", by_way_of.join(", "))
    }
}

fn properties(text: &mut String, node: &Node) {
    let stated = node.addresses.stated().map(|(variable, address)| format!("{variable} {address}")).collect();
    let labels: Vec<String> = node.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let taints: Vec<String> = node.taints.iter().map(ToString::to_string).collect();
    for (what, list) in
        [("addresses", stated), ("labels", labels), ("taints", taints), ("devices", node.devices.clone())]
    {
        if !list.is_empty() {
            let _ = writeln!(text, "  {what}: {}", list.join(", "));
        }
    }
}
