//! What is different between two plans, named.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Fingerprint, Fingerprints, Observations, Plan, PlannedRoute, inputs};
use crate::inventory::{Node, Topology};
use crate::name::NodeName;

/// Which part of a plan moved.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The revision.
    Source,
    /// Nodes, groups, mode, Kubernetes version or CNI.
    Topology,
    /// Addresses, labels, taints and devices; the edge hosts.
    Inventory,
    /// The policy.
    Policy,
    /// The routes that follow from catalogue and policy.
    Routes,
    /// The private file of the external identity.
    ExternalIdentity,
    /// What is there: cluster, nodes, machines, Ceph.
    Identities,
}

impl Subject {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Topology => "topology",
            Self::Inventory => "inventory",
            Self::Policy => "policy",
            Self::Routes => "routes",
            Self::ExternalIdentity => "external identity",
            Self::Identities => "identities",
        }
    }
}

/// One thing that moved.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// Which part.
    pub subject: Subject,
    /// What, in a few words: `n2 left etcd`.
    pub text: String,
}

/// Everything that an operation is bound to and that is different in `new`, part by part. The instant, findings and the state of
/// layers are no part of it: they follow from what is.
pub fn moved(old: &Plan, new: &Plan) -> Vec<Moved> {
    let mut list = List(Vec::new());
    if old.environment != new.environment {
        list.add(Subject::Source, format!("another environment: {}, not {}", new.environment, old.environment));
    }
    source(old, new, &mut list);
    topologies(old, new, &mut list);
    pinned(old, new, &mut list);
    edges(old, new, &mut list);
    policies(old, new, &mut list);
    routes(old, new, &mut list);
    if old.fingerprints.external_identity != new.fingerprints.external_identity {
        list.add(Subject::ExternalIdentity, "the file of the external identity changed".to_owned());
    }
    // An offline plan saw nothing, which is no difference in what is there.
    if let (Some(old), Some(new)) = (&old.observations, &new.observations) {
        identities(old, new, &mut list);
    }
    unnamed(&old.fingerprints, &new.fingerprints, &mut list);
    list.0
}

/// A fingerprint that moved although nothing did that both records keep: an older release kept less, and bound the plan to as much.
fn unnamed(old: &Fingerprints, new: &Fingerprints, list: &mut List) {
    use Subject::{Identities, Inventory, Policy, Routes, Source, Topology};
    let differ =
        |part: fn(&Fingerprints) -> Option<&Fingerprint>| part(old).zip(part(new)).is_some_and(|(old, new)| old != new);
    let parts: [(bool, &[Subject], Subject, &str); 5] = [
        (old.source != new.source, &[Source], Source, "the source"),
        (differ(|all| all.topology.as_ref()), &[Topology], Topology, "the topology"),
        (differ(|all| all.inputs.as_ref()), &[Topology, Inventory, Routes], Inventory, "the inventory or the routes"),
        (differ(|all| all.policy.as_ref()), &[Topology, Policy], Policy, "the policy"),
        (differ(|all| all.identities.as_ref()), &[Identities], Identities, "what is there"),
    ];
    for (moved, named_by, subject, what) in parts {
        if moved && !list.0.iter().any(|moved| named_by.contains(&moved.subject)) {
            list.add(subject, format!("{what} changed in what one of the two plans does not keep"));
        }
    }
}

struct List(Vec<Moved>);

impl List {
    fn add(&mut self, subject: Subject, text: String) {
        self.0.push(Moved { subject, text });
    }

    /// Names that only one side has.
    fn names<'n>(
        &mut self,
        subject: Subject,
        old: impl IntoIterator<Item = &'n str>,
        new: impl IntoIterator<Item = &'n str>,
        words: [&dyn Fn(&str) -> String; 2],
    ) {
        let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (old.into_iter().collect(), new.into_iter().collect());
        let [added, removed] = words;
        new.difference(&old).for_each(|name| self.add(subject, added(name)));
        old.difference(&new).for_each(|name| self.add(subject, removed(name)));
    }
}

fn source(old: &Plan, new: &Plan, list: &mut List) {
    let (old, new) = (&old.revision, &new.revision);
    if old.commit != new.commit {
        list.add(Subject::Source, format!("commit {} became {}", short(&old.commit), short(&new.commit)));
    }
    match (old.dirty, new.dirty) {
        (false, true) => list.add(Subject::Source, "the working tree has uncommitted changes".to_owned()),
        (true, false) => list.add(Subject::Source, "the working tree has no uncommitted changes any more".to_owned()),
        _ => {}
    }
}

/// The first twelve characters of a commit.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn topologies(old: &Plan, new: &Plan, list: &mut List) {
    let why = new.no_topology();
    let (old, new) = match (&old.topology, &new.topology) {
        (Some(old), Some(new)) => (old, new),
        (None, None) => return,
        (None, Some(_)) => {
            return list.add(Subject::Topology, "the inventory was judged, which it had not been".to_owned());
        }
        (Some(_), None) => return list.add(Subject::Topology, format!("the inventory {why}")),
    };
    list.names(
        Subject::Topology,
        old.nodes.keys().map(NodeName::as_str),
        new.nodes.keys().map(NodeName::as_str),
        [&|name| format!("added {name}"), &|name| format!("removed {name}")],
    );
    groups(old, new, list);
    if old.primary.node != new.primary.node {
        list.add(Subject::Topology, format!("the primary was {}, and is {}", old.primary.node, new.primary.node));
    }
    let (before, after) = (inputs::orders(old), inputs::orders(new));
    for (group, order) in &after {
        if before.get(group).is_some_and(|before| reordered(before, order)) {
            list.add(Subject::Inventory, format!("the order of {group} changed: {}", words(order)));
        }
    }
    for (name, node) in &new.nodes {
        if let Some(before) = old.nodes.get(name) {
            stated(name.as_str(), before, node, list);
        }
    }
}

/// Whether the same members stand in another order.
fn reordered(before: &[&NodeName], after: &[&NodeName]) -> bool {
    let set = |members: &[&NodeName]| -> BTreeSet<NodeName> { members.iter().copied().cloned().collect() };
    before != after && set(before) == set(after)
}

fn words(members: &[&NodeName]) -> String {
    members.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Who joined and left which group. The groups of a node that came or went come and go with it.
fn groups(old: &Topology, new: &Topology, list: &mut List) {
    let names: BTreeSet<&String> = old.aliases.keys().chain(new.aliases.keys()).collect();
    for group in names {
        let members = |topology: &Topology| -> BTreeSet<NodeName> {
            topology.aliases.get(group).into_iter().flatten().cloned().collect()
        };
        let (before, after) = (members(old), members(new));
        for name in after.difference(&before).filter(|name| old.nodes.contains_key(*name)) {
            list.add(Subject::Topology, format!("{name} joined {group}"));
        }
        for name in before.difference(&after).filter(|name| new.nodes.contains_key(*name)) {
            list.add(Subject::Topology, format!("{name} left {group}"));
        }
    }
}

/// What is stated about a node that stayed.
fn stated(name: &str, old: &Node, new: &Node, list: &mut List) {
    let addresses = |node: &Node| {
        let stated = &node.addresses;
        let number = |ip: Option<std::net::IpAddr>| ip.map(|ip| ip.to_string()).unwrap_or_default();
        [
            ("ansible_host", stated.address.as_ref().map(ToString::to_string).unwrap_or_default()),
            ("ip", number(stated.ip)),
            ("access_ip", number(stated.access_ip)),
            ("ip6", number(stated.ip6)),
        ]
    };
    for ((key, before), (_, after)) in addresses(old).into_iter().zip(addresses(new)) {
        if before != after {
            list.add(Subject::Inventory, format!("{key} of {name} {}", change(&before, &after)));
        }
    }
    let labels: BTreeSet<&String> = old.labels.keys().chain(new.labels.keys()).collect();
    for label in labels {
        let value = |node: &Node| node.labels.get(label).cloned();
        if value(old) != value(new) {
            let words = change(&value(old).unwrap_or_default(), &value(new).unwrap_or_default());
            list.add(Subject::Inventory, format!("label {label} of {name} {words}"));
        }
    }
    let texts = |node: &Node| node.taints.iter().map(ToString::to_string).collect::<Vec<_>>();
    for (what, before, after) in
        [("taint", texts(old), texts(new)), ("device", old.devices.clone(), new.devices.clone())]
    {
        list.names(
            Subject::Inventory,
            before.iter().map(String::as_str),
            after.iter().map(String::as_str),
            [&|text| format!("{name} has {what} {text}"), &|text| format!("{name} has no {what} {text} any more")],
        );
    }
}

fn change(before: &str, after: &str) -> String {
    match (before, after) {
        ("", after) => format!("is stated: {after}"),
        (_, "") => format!("is not stated any more; it was {before}"),
        _ => format!("changed from {before} to {after}"),
    }
}

fn pinned(old: &Plan, new: &Plan, list: &mut List) {
    let (Some(old), Some(new)) = (&old.pinned, &new.pinned) else { return };
    if old.mode != new.mode {
        list.add(Subject::Topology, format!("mode {}", change(&old.mode.to_string(), &new.mode.to_string())));
    }
    if old.kubernetes != new.kubernetes {
        list.add(Subject::Topology, format!("Kubernetes {}", change(&old.kubernetes, &new.kubernetes)));
    }
    if old.cni != new.cni {
        let text = |cni: &crate::policy::Cni| format!("{} {}", cni.name, cni.version);
        list.add(Subject::Topology, format!("CNI {}", change(&text(&old.cni), &text(&new.cni))));
    }
}

fn edges(old: &Plan, new: &Plan, list: &mut List) {
    let servers = |plan: &Plan| plan.edge.as_ref().map(|edge| edge.servers.clone()).unwrap_or_default();
    list.names(
        Subject::Inventory,
        servers(old).iter().map(String::as_str),
        servers(new).iter().map(String::as_str),
        [&|name| format!("added edge {name}"), &|name| format!("removed edge {name}")],
    );
}

fn policies(old: &Plan, new: &Plan, list: &mut List) {
    match (&old.policy, &new.policy) {
        (Some(old), Some(new)) => {
            let value = |policy| serde_json::to_value(policy).unwrap_or_default();
            keys(Subject::Policy, "policy", "", &value(old), &value(new), list);
        }
        (None, None) => {}
        (None, Some(_)) => list.add(Subject::Policy, "the policy is not refused any more".to_owned()),
        (Some(_), None) => list.add(Subject::Policy, "the policy is refused".to_owned()),
    }
}

/// What differs below a key of `what`. What the cluster is built from is the topology's.
fn keys(subject: Subject, what: &str, path: &str, old: &Value, new: &Value, list: &mut List) {
    if old == new || subject == Subject::Policy && ["foundation", "mode"].contains(&path) {
        return;
    }
    if let (Value::Object(before), Value::Object(after)) = (old, new) {
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names {
            let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match (before.get(name), after.get(name)) {
                (Some(old), Some(new)) => keys(subject, what, &below, old, new, list),
                (None, Some(_)) => list.add(subject, format!("{what} {below} added")),
                _ => list.add(subject, format!("{what} {below} removed")),
            }
        }
        return;
    }
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    };
    let words = match (plain(old), plain(new)) {
        (Some(old), Some(new)) => format!("{what} {path} changed from {old} to {new}"),
        _ => format!("{what} {path} changed"),
    };
    list.add(subject, words);
}

fn routes(old: &Plan, new: &Plan, list: &mut List) {
    let table = |plan: &Plan| -> BTreeMap<String, (String, PlannedRoute)> {
        let hosts = plan.edge.iter().flat_map(|edge| &edge.hosts);
        hosts
            .flat_map(|host| host.routes.iter().map(|route| (host.origin.to_string(), route.clone())))
            .map(|(origin, route)| (route.id.to_string(), (origin, route)))
            .collect()
    };
    let (before, after) = (table(old), table(new));
    list.names(
        Subject::Routes,
        before.keys().map(String::as_str),
        after.keys().map(String::as_str),
        [&|id| format!("added route {id}"), &|id| format!("removed route {id}")],
    );
    for (id, (origin, route)) in &after {
        let Some((old_origin, old_route)) = before.get(id) else { continue };
        if origin != old_origin {
            list.add(Subject::Routes, format!("route {id} moved from {old_origin} to {origin}"));
        }
        // A record of an older release keeps no settings: what they were is not known.
        let settings = !old_route.settings.is_empty() && !route.settings.is_empty();
        let [before, after] = [old_route, route].map(|route| flat(route, settings));
        keys(Subject::Routes, &format!("route {id}:"), "", &before, &after, list);
    }
}

/// A route with its settings among its other keys.
fn flat(route: &PlannedRoute, settings: bool) -> Value {
    let Ok(Value::Object(mut keys)) = serde_json::to_value(route) else { return Value::Null };
    keys.remove("settings");
    keys.extend(route.settings.clone().into_iter().filter(|_| settings));
    Value::Object(keys)
}

fn identities(old: &Observations, new: &Observations, list: &mut List) {
    let subject = Subject::Identities;
    let cluster = |seen: &Observations| seen.cluster.as_ref().map(|cluster| cluster.uid.clone()).unwrap_or_default();
    let ceph = |seen: &Observations| seen.ceph.as_ref().map(|ceph| ceph.fsid.clone()).unwrap_or_default();
    for (what, before, after) in [("the cluster", cluster(old), cluster(new)), ("Ceph", ceph(old), ceph(new))] {
        match (before.as_str(), after.as_str()) {
            _ if before == after => {}
            ("", _) => list.add(subject, format!("{what} answers: {after}")),
            (_, "") => list.add(subject, format!("{what} does not answer any more; it was {before}")),
            _ => list.add(subject, format!("{what} is another one: {after}, not {before}")),
        }
    }
    let nodes = |seen: &Observations| -> BTreeMap<String, String> {
        let nodes = seen.cluster.iter().flat_map(|cluster| &cluster.nodes);
        nodes.map(|(name, node)| (name.clone(), node.uid.clone())).collect()
    };
    let machines = |seen: &Observations| -> BTreeMap<String, String> {
        seen.hosts.iter().map(|(name, host)| (name.clone(), host.machine_id.clone())).collect()
    };
    for (what, before, after) in [("node", nodes(old), nodes(new)), ("machine", machines(old), machines(new))] {
        list.names(
            subject,
            before.keys().map(String::as_str),
            after.keys().map(String::as_str),
            [&|name| format!("{what} {name} appeared"), &|name| format!("{what} {name} disappeared")],
        );
        for (name, id) in &after {
            if before.get(name).is_some_and(|old| old != id) {
                list.add(subject, format!("{what} {name} is another one"));
            }
        }
    }
}
