//! The topology in a report.

use maud::{Markup, html as markup};

use super::section;
use crate::inventory::{Node, Role, Topology};
use crate::name::NodeName;
use crate::plan::Plan;
use crate::plan::human::primary;
use crate::plan::observed::device_words;

/// Up to this many nodes have a card each; of a larger site the control plane and etcd have one, and a table holds all.
const CARDS: usize = 60;

pub(super) fn topology(plan: &Plan) -> Markup {
    let content = markup! {
        @if let Some(pinned) = &plan.pinned {
            p.about {
                (pinned.mode.to_string()) ", Kubernetes " (pinned.kubernetes) ", " (pinned.cni.name.to_string()) " " (pinned.cni.version)
                @if let Some(edge) = &plan.edge {
                    "; edge: " (if edge.servers.is_empty() { "no host".to_owned() } else { edge.servers.join(", ") })
                }
            }
        }
        @match &plan.topology {
            None => { p { "The inventory " (plan.no_topology()) "." } },
            Some(topology) => {
                ul.nodes { @for (name, node) in cards(topology) { (card(plan, topology, name, node)) } }
                @if topology.nodes.len() > CARDS {
                    details {
                        summary { "All " (topology.nodes.len()) " nodes" }
                        (table(plan, topology))
                    }
                }
            }
        }
    };
    section("topology", "Topology", &content)
}

/// The nodes that have a card: what the others depend on first.
fn cards(topology: &Topology) -> Vec<(&NodeName, &Node)> {
    let small = topology.nodes.len() <= CARDS;
    let bears = |node: &Node| node.roles.contains(&Role::ControlPlane) || node.roles.contains(&Role::Etcd);
    let mut nodes: Vec<(&NodeName, &Node)> =
        topology.nodes.iter().filter(|(_, node)| small || bears(node)).take(CARDS).collect();
    nodes.sort_by_key(|(name, node)| (**name != topology.primary.node, node.roles.first().copied(), *name));
    nodes
}

fn address(node: &Node) -> String {
    node.addresses.known_by().map_or_else(|| "no address".to_owned(), |address| address.to_string())
}

fn card(plan: &Plan, topology: &Topology, name: &NodeName, node: &Node) -> Markup {
    let control = node.roles.contains(&Role::ControlPlane);
    markup! {
        li class=(if control { "node control" } else { "node" }) {
            b { (name) }
            @if *name == topology.primary.node { " " span.pill.note { (primary(topology)) } }
            (ready(plan, name.as_str()))
            span.mono { (address(node)) }
            @for role in &node.roles { span.chip.role { (role.word()) } }
            @if node.roles.is_empty() { span.chip.role { "no role" } }
            @for (label, value) in &node.labels { span.chip { (label) "=" (value) } }
            @for taint in &node.taints { span.chip { "taint " (taint.to_string()) } }
            @for device in &node.devices { span.chip { (device) (found(plan, name.as_str(), device)) } }
            @let seen = seen(plan, name.as_str());
            @if !seen.is_empty() { small { (seen) } }
        }
    }
}

/// What an online plan found under the reference to a device: `: /dev/sdb, 1.8 TiB, free`.
fn found(plan: &Plan, name: &str, reference: &str) -> String {
    let host = plan.observations.as_ref().and_then(|seen| seen.hosts.get(name));
    let device = host.and_then(|host| host.devices.get(reference));
    device.map(|device| format!(": {}", device_words(device.as_ref()))).unwrap_or_default()
}

/// Whether an online plan saw a node ready.
fn ready(plan: &Plan, name: &str) -> Markup {
    let cluster = plan.observations.as_ref().and_then(|seen| seen.cluster.as_ref());
    markup! {
        @if let Some(node) = cluster.and_then(|cluster| cluster.nodes.get(name)) {
            " " span class=(if node.ready { "pill good" } else { "pill bad" }) { (if node.ready { "ready" } else { "not ready" }) }
        }
    }
}

/// What else an online plan saw of a node: versions and system.
fn seen(plan: &Plan, name: &str) -> String {
    let Some(seen) = &plan.observations else { return String::new() };
    let kubelet = seen.cluster.as_ref().and_then(|cluster| cluster.nodes.get(name)).map(|node| &node.kubelet);
    let host = seen.hosts.get(name);
    let words = [
        kubelet.map(|version| format!("kubelet {version}")),
        host.map(|host| host.os.clone()),
        host.map(|host| host.architecture.clone()),
        host.and_then(|host| host.cni_binaries.as_ref()).map(|path| format!("CNI in {path}")),
    ];
    words.into_iter().flatten().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
}

fn table(plan: &Plan, topology: &Topology) -> Markup {
    markup! {
        div.scroll {
            table {
                caption { "Every node, by name" }
                thead { tr { @for heading in ["Node", "Address", "Roles", "Labels and taints"] { th scope="col" { (heading) } } } }
                tbody {
                    @for (name, node) in &topology.nodes {
                        tr {
                            th scope="row" { (name) }
                            td.mono { (address(node)) }
                            td { (crate::plan::human::roles(node)) (ready(plan, name.as_str())) }
                            td {
                                @for (label, value) in &node.labels { span.chip { (label) "=" (value) } }
                                @for taint in &node.taints { span.chip { "taint " (taint.to_string()) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
