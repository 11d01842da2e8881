//! The public inputs of a plan, in the form that is hashed: what an operation would do otherwise, and nothing else.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Fingerprint;
use crate::catalogue::{self, RouteTable};
use crate::inventory::{Addresses, Node, Taint, Topology, names_of_group};
use crate::name::NodeName;

/// What is hashed. Places, groups that mean nothing to a cluster, spellings, and the order of what is a set leave it as it is.
#[derive(Serialize)]
struct Inputs<'d> {
    nodes: BTreeMap<&'d NodeName, NodeInputs<'d>>,
    groups: BTreeMap<&'d str, Vec<&'d NodeName>>,
    orders: BTreeMap<&'static str, Vec<&'d NodeName>>,
    primary: &'d NodeName,
    edges: Vec<&'d str>,
    routes: Option<Value>,
}

/// What is stated about a node.
#[derive(Serialize)]
struct NodeInputs<'d> {
    addresses: &'d Addresses,
    labels: &'d BTreeMap<String, String>,
    taints: Vec<&'d Taint>,
    devices: Vec<&'d str>,
}

/// The fingerprint of the public inputs: nodes with what is stated of them, groups, edge hosts and routes.
pub(super) fn fingerprint(topology: &Topology, edges: &[String], routes: Option<&RouteTable>) -> Fingerprint {
    Fingerprint::of(&Inputs {
        nodes: topology.nodes.iter().map(|(name, node)| (name, NodeInputs::of(node))).collect(),
        groups: topology.aliases.iter().map(|(name, members)| (name.as_str(), set(members))).collect(),
        orders: orders(topology),
        primary: &topology.primary.node,
        edges: set(edges).into_iter().map(String::as_str).collect(),
        routes: routes.map(catalogue::view),
    })
}

impl<'d> NodeInputs<'d> {
    fn of(node: &'d Node) -> Self {
        Self {
            addresses: &node.addresses,
            labels: &node.labels,
            taints: set(&node.taints),
            devices: set(&node.devices).into_iter().map(String::as_str).collect(),
        }
    }
}

/// What has no order and holds nothing twice.
fn set<T: Ord>(items: &[T]) -> Vec<&T> {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort();
    items.dedup();
    items
}

/// The groups whose order means something to Kubespray: it numbers the members of etcd by it.
const ORDERED: [&str; 1] = ["etcd"];

/// The order of each group that has a fixed one: its own hosts as they are written. Ansible does not fix that of its children's.
pub(super) fn orders(topology: &Topology) -> BTreeMap<&'static str, Vec<&NodeName>> {
    let order = |group: &'static str| {
        let written = names_of_group(group).iter().find_map(|name| topology.groups.get(*name))?;
        written.children.is_empty().then(|| (group, written.hosts.iter().collect()))
    };
    ORDERED.into_iter().filter_map(order).collect()
}
