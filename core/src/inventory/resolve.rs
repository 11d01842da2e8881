//! From facts to a topology.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::group::{Member, Part, Written};
use super::judge::Judge;
use super::plain::PlainFacts;
use super::rules::{address, device, group, label, primary, taint, variable};
use super::{Facts, Group, Membership, Node, Primary, Source, Topology, codes};
use crate::diagnostic::{Findings, Place, Report};
use crate::name::NodeName;

/// What an inventory means.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The cluster, as everybody may see it.
    pub topology: Topology,
    /// What the inventory binds the site to: private.
    pub bindings: Bindings,
    /// Where the primary asks for a way to the API.
    pub api_access_at: Option<Place>,
    /// Warnings and notes.
    pub notes: Report,
}

/// What the primary host's variables bind a site to. They are private: no record and no output has them.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Serialize)]
pub struct Bindings {
    /// `pharos_external_aai_file`: the path of the external AAI file.
    pub external_aai_file: Option<String>,
    /// `pharos_api_access`: how the Kubernetes API is reached.
    pub api_access: ApiAccess,
    /// `pharos_expected_cluster_uid`: the cluster that the site must be.
    pub expected_cluster_uid: Option<String>,
    /// `pharos_expected_ceph_fsid`: the Ceph that the site must have.
    pub expected_ceph_fsid: Option<String>,
}

/// How the Kubernetes API is reached.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApiAccess {
    /// As the kubeconfig says.
    #[default]
    Direct,
    /// Through SSH to the primary.
    Ssh,
}

/// What an inventory is judged for.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Purpose {
    /// Any operation but a fresh installation: references to devices are kept as they are.
    #[default]
    Existing,
    /// A fresh installation, which writes to the devices: each is named by its id, and storage hosts have some.
    Fresh,
}

/// Judges an inventory and gives its topology.
///
/// # Errors
/// `inventory/*`: every fault of the inventory.
pub fn resolve(facts: &Facts, sources: &[Source]) -> Result<Resolved, Report> {
    resolve_for(facts, sources, Purpose::Existing)
}

/// The same for a purpose.
///
/// # Errors
/// `inventory/*`: every fault of the inventory.
pub fn resolve_for(facts: &Facts, sources: &[Source], purpose: Purpose) -> Result<Resolved, Report> {
    let plain = PlainFacts::of(facts);
    let facts = plain.facts();
    let mut judge = Judge::new(&plain, sources);
    judge.writing();
    let names = group::judge(&mut judge);
    let primary = primary::judge(&mut judge);
    let addresses = address::judge(&mut judge);
    let (labels, storage) = label::judge(&mut judge);
    let taints = taint::judge(&mut judge);
    let devices = device::judge(&mut judge, purpose, &storage);
    let primary_host = primary.map(|(host, _)| host);
    let api_access_at = primary_host.and_then(|host| judge.at_variable(host, "pharos_api_access", &[]));
    let bindings = variable::judge(&mut judge, primary_host.unwrap_or_default());
    let properties = addresses.into_iter().zip(labels).zip(taints).zip(devices);
    let mut nodes: Vec<Node> = properties
        .map(|(((addresses, labels), taints), devices)| Node { addresses, labels, taints, devices, ..Node::default() })
        .collect();
    memberships(&judge, &mut nodes);
    let groups = native_groups(facts, &judge, &names);
    let aliases = aliases(&judge, &names);
    let primary = primary.and_then(|(host, because)| Some(Primary { node: named(&judge, &names, host)?, because }));
    let nodes = names.into_iter().zip(nodes).filter_map(|(name, node)| Some((name?, node))).collect();
    let topology = primary.map(|primary| Topology { nodes, primary, groups, aliases });
    let (topology, report) = judge.into_findings().conclude(topology)?;
    match topology {
        Some(topology) => Ok(Resolved { topology, bindings, api_access_at, notes: report }),
        // What has no primary was refused above.
        None => Err(report),
    }
}

/// The name of a node by that of its host.
fn named(judge: &Judge<'_>, names: &[Option<NodeName>], host: &str) -> Option<NodeName> {
    names.get(judge.number(host)?)?.clone()
}

/// What a fresh installation asks for of the devices, beyond what every operation does.
pub fn fresh_faults(facts: &Facts, sources: &[Source]) -> Report {
    let report = resolve_for(facts, sources, Purpose::Fresh).map_or_else(|report| report, |resolved| resolved.notes);
    let mut findings = Findings::new();
    let asked =
        report.diagnostics().iter().filter(|each| [codes::DEVICE_BY_ID, codes::NO_DEVICES].contains(&each.code));
    asked.for_each(|each| findings.push(each.clone()));
    findings.into_report()
}

/// Gives each node its roles and the way to each of its groups.
fn memberships(judge: &Judge<'_>, nodes: &mut [Node]) {
    for part in Part::ALL {
        let mut done = vec![false; nodes.len()];
        let group: Arc<str> = part.name().into();
        for written in judge.cluster.groups(part) {
            let mut ways = HashMap::new();
            for Member { host, home, number } in &written.members {
                let (Some(done), Some(node)) = (done.get_mut(*number), nodes.get_mut(*number)) else { continue };
                if !std::mem::replace(done, true) {
                    let way: &Arc<[String]> = ways.entry(*home).or_insert_with(|| way(written, home, part.name()));
                    node.roles.extend(part.role());
                    if node.memberships.is_empty() {
                        node.memberships.reserve_exact(2); // What most have: a part and the cluster.
                    }
                    let at = judge.places.origin(home, host);
                    node.memberships.push(Membership { group: Arc::clone(&group), by_way_of: Arc::clone(way), at });
                }
            }
        }
    }
    if judge.cluster.groups(Part::Cluster).is_empty() {
        for node in nodes {
            by_parts(node);
        }
    }
}

/// The groups from a member's own to one that is a part, which is left out if it has the part's name.
fn way(written: &Written<'_>, direct: &str, name: &str) -> Arc<[String]> {
    let mut way: Vec<String> = written.way(direct).into_iter().map(str::to_owned).collect();
    if way.last().is_some_and(|last| last == name) {
        way.pop();
    }
    way.into()
}

/// The membership of a cluster whose group is not written: by the first part of Kubernetes that a node is in.
fn by_parts(node: &mut Node) {
    let parts = [Part::ControlPlane, Part::Worker, Part::RouteReflector];
    let found = parts
        .into_iter()
        .find_map(|part| Some((part, node.memberships.iter().find(|one| *one.group == *part.name())?.clone())));
    if let Some((part, member)) = found {
        let mut by_way_of = member.by_way_of.to_vec();
        if !by_way_of.last().is_some_and(|last| part.names().contains(&last.as_str())) {
            by_way_of.push(member.group.to_string());
        }
        let (group, by_way_of) = (Part::Cluster.name().into(), by_way_of.into());
        node.memberships.push(Membership { group, by_way_of, at: member.at });
    }
}

/// The groups as they are written that have a node among their members.
fn native_groups(facts: &Facts, judge: &Judge<'_>, names: &[Option<NodeName>]) -> BTreeMap<String, Group> {
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    let candidates = || facts.groups.iter().filter(|(name, _)| !matches!(name.as_str(), "all" | "ungrouped"));
    for (name, group) in candidates() {
        let hosts: Vec<NodeName> = group.hosts.iter().filter_map(|host| named(judge, names, host)).collect();
        if !hosts.is_empty() {
            groups.insert(name, Group { hosts, children: Vec::new() });
        }
    }
    // A group that has nodes by its children alone counts too, and its parents after it.
    loop {
        let more: Vec<&str> = candidates()
            .filter(|(name, group)| {
                !groups.contains_key(name.as_str())
                    && group.children.iter().any(|child| groups.contains_key(child.as_str()))
            })
            .map(|(name, _)| name.as_str())
            .collect();
        if more.is_empty() {
            break;
        }
        groups.extend(more.into_iter().map(|name| (name, Group::default())));
    }
    let kept: BTreeSet<&str> = groups.keys().copied().collect();
    for (name, group) in candidates() {
        if let Some(own) = groups.get_mut(name.as_str()) {
            own.children = group.children.iter().filter(|child| kept.contains(child.as_str())).cloned().collect();
        }
    }
    groups.into_iter().map(|(name, group)| (name.to_owned(), group)).collect()
}

/// The members of each part by its modern name. A cluster whose group is not written is made of its parts.
fn aliases(judge: &Judge<'_>, names: &[Option<NodeName>]) -> BTreeMap<String, Vec<NodeName>> {
    let mut aliases = BTreeMap::new();
    for part in Part::ALL.into_iter().filter(|part| *part != Part::Primary) {
        let own = judge.cluster.groups(part);
        let made = part == Part::Cluster && own.is_empty();
        let parts = if made { vec![Part::ControlPlane, Part::Worker, Part::RouteReflector] } else { vec![part] };
        let mut seen = vec![false; names.len()];
        let groups = parts.iter().flat_map(|part| judge.cluster.groups(*part));
        let members = groups.flat_map(|group| &group.members);
        let once =
            members.filter(|member| seen.get_mut(member.number).is_some_and(|seen| !std::mem::replace(seen, true)));
        let hosts: Vec<NodeName> = once.filter_map(|member| names.get(member.number)?.clone()).collect();
        if !hosts.is_empty() {
            aliases.insert(part.name().to_owned(), hosts);
        }
    }
    aliases
}
