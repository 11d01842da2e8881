//! The groups of the cluster: one meaning under all their names, nobody missing, nobody without a role.

use std::collections::{BTreeMap, BTreeSet};

use super::super::codes;
use super::super::group::{EDGE, Member, Part, Written};
use super::super::judge::{Fault, Judge, at, names};
use crate::diagnostic::{Diagnostic, Severity, suggest};
use crate::name::NodeName;

/// Judges the groups; gives the names of all nodes, in their order.
pub(in super::super) fn judge(judge: &mut Judge<'_>) -> Vec<Option<NodeName>> {
    for part in Part::ALL {
        conflicts(judge, part);
    }
    let is_written = Part::ALL.iter().any(|part| !judge.cluster.groups(*part).is_empty());
    if is_written || Part::ALL.iter().any(|part| near(judge, *part).is_some()) {
        for part in [Part::ControlPlane, Part::Worker, Part::Etcd, Part::Cluster] {
            presence(judge, part);
        }
    } else {
        no_cluster(judge);
    }
    etcd(judge);
    coverage(judge);
    node_names(judge)
}

/// Two names of one group must have the same members.
fn conflicts(judge: &mut Judge<'_>, part: Part) {
    let mut found = Vec::new();
    if let [first, others @ ..] = judge.cluster.groups(part) {
        for other in others {
            found.extend(conflict(judge, first, other));
        }
    }
    for diagnostic in found {
        judge.push(diagnostic);
    }
}

fn conflict(judge: &Judge<'_>, first: &Written<'_>, other: &Written<'_>) -> Option<Diagnostic> {
    let only = |here: &Written<'_>, there: &Written<'_>| -> Vec<String> {
        let there: BTreeSet<&str> = there.hosts().collect();
        here.hosts().filter(|host| !there.contains(host)).map(str::to_owned).collect()
    };
    let (left, right) = (only(first, other), only(other, first));
    let mut parts = Vec::new();
    for (group, hosts) in [(first, &left), (other, &right)] {
        if !hosts.is_empty() {
            let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
            parts.push(format!("only `{}` has {}", group.name, names(&hosts)));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let words =
        format!("`{}` and `{}` are one group with different members: {}", first.name, other.name, parts.join(", "));
    // The place of the fault is the member that makes the difference; a group that lacks it is shown as a whole.
    let place = |group: &Written<'_>, surplus: &[String]| match surplus.first() {
        Some(host) => judge.at_member(group.home(host), host),
        None => judge.at_group(group.name),
    };
    let shown = |group: &Written<'_>, surplus: &[String]| match surplus.first() {
        Some(host) => format!("{} is in `{}` alone", host.escape_debug(), group.name),
        None => format!("`{}`", group.name),
    };
    let diagnostic = Diagnostic::error(codes::ALIAS_CONFLICT, words);
    let diagnostic = at(diagnostic, place(first, &left), &shown(first, &left));
    Some(
        at(diagnostic, place(other, &right), &shown(other, &right))
            .help(format!("keep `{}` or `{}`, or make one the only child of the other", first.name, other.name)),
    )
}

/// A part must be written and have members. A cluster group that is not written is made of its parts.
fn presence(judge: &mut Judge<'_>, part: Part) {
    let groups = judge.cluster.groups(part);
    if groups.is_empty() {
        if part != Part::Cluster {
            absent(judge, part);
        }
        return;
    }
    if !groups.iter().all(|group| group.members.is_empty()) {
        return;
    }
    let name = groups.first().map_or(part.name(), |group| group.name);
    let diagnostic = Diagnostic::error(codes::EMPTY_GROUP, format!("group `{name}` has no member"));
    let diagnostic = at(diagnostic, judge.at_group(name), "").help(match part {
        Part::Cluster => format!("give `{name}` the groups of the cluster as its children, or leave it out"),
        _ => format!("give `{name}` its hosts, or the group that has them as a child"),
    });
    judge.push(diagnostic);
}

/// One finding for an inventory that is not about a cluster at all: of the edge's hosts alone, say.
fn no_cluster(judge: &mut Judge<'_>) {
    let wanted: Vec<String> =
        [Part::ControlPlane, Part::Etcd, Part::Worker].iter().map(|part| format!("`{}`", part.name())).collect();
    let none = format!("no group of a cluster: neither {}", wanted.join(" nor "));
    let mut words = format!("this inventory has {none}");
    let mut help = format!("add {}", wanted.join(", "));
    if judge.facts.groups.contains_key(EDGE) {
        words = format!("this inventory has the hosts of the edge (`{EDGE}`) and {none}");
        help = format!(
            "{help}; an inventory of the edge alone is not judged here: `playbooks/edge-distributed.yml` reads it"
        );
    }
    let place = judge.places.whole();
    judge.push(at(Diagnostic::error(codes::ABSENT_GROUP, words), place, "").help(help));
}

/// A group that is none of a cluster's, and whose name is nearly that of a part.
fn near<'a>(judge: &Judge<'a>, part: Part) -> Option<&'a str> {
    let others = judge.facts.groups.keys().map(String::as_str);
    others
        .filter(|name| !Part::ALL.iter().any(|part| part.names().contains(name)))
        .find(|name| suggest::nearest(name, part.names().iter().copied()).is_some())
}

pub(super) fn absent(judge: &mut Judge<'_>, part: Part) {
    let wanted = match part {
        Part::Primary => "kube-master-primary",
        part => part.name(),
    };
    let near = near(judge, part);
    let others: Vec<String> = part.names().iter().skip(1).map(|name| format!("`{name}`")).collect();
    let help = match (near, others.as_slice()) {
        (Some(near), _) => format!("did you mean `{wanted}` where you wrote `{near}`?"),
        (None, []) => format!("add a group `{wanted}`"),
        (None, _) => format!("add a group `{wanted}` (or, as it is called elsewhere, {})", others.join(", ")),
    };
    let place = match near {
        Some(near) => judge.at_group(near),
        None if part == Part::Primary => judge.at_part(Part::ControlPlane),
        None => judge.places.whole(),
    };
    judge.push(
        at(Diagnostic::error(codes::ABSENT_GROUP, format!("there is no group `{wanted}`")), place, "").help(help),
    );
}

/// Kubespray refuses an even number of members; one is no quorum to speak of.
fn etcd(judge: &mut Judge<'_>) {
    let size = judge.nodes().len();
    for part in [Part::Etcd, Part::ControlPlane] {
        let count = judge.cluster.hosts(part).len();
        let place = judge.at_part(part);
        if part == Part::Etcd && count > 0 && count.is_multiple_of(2) {
            let words = format!("etcd has {count} members, an even number");
            let help = format!("take {} or {} members: an even number outlives no more failures", count - 1, count + 1);
            judge.push(at(Diagnostic::error(codes::ETCD_EVEN, words), place, "").help(help));
        } else if count == 1 {
            let what = if part == Part::Etcd { "etcd member" } else { "control plane host" };
            // Where three hosts could share the work, one is a choice that should be seen.
            let severity = if size < 3 { Severity::Note } else { Severity::Warning };
            let words = format!("one {what} is not highly available");
            let diagnostic = Diagnostic { severity, ..Diagnostic::warning(codes::NOT_HA, words) };
            judge.push(
                at(diagnostic, place, "").help("take three hosts, or accept that the cluster stops with this one"),
            );
        }
    }
}

/// The cluster's group has all hosts of its parts, and no host without one.
fn coverage(judge: &mut Judge<'_>) {
    let cluster = judge.cluster.hosts(Part::Cluster);
    if cluster.is_empty() {
        return;
    }
    let name = judge.cluster.groups(Part::Cluster).first().map_or("k8s_cluster", |group| group.name);
    let size = judge.nodes().len();
    let marked = |parts: &[Part]| -> Vec<bool> {
        let mut marks = vec![false; size];
        let groups = parts.iter().flat_map(|part| judge.cluster.groups(*part));
        for member in groups.flat_map(|group| &group.members) {
            marks.get_mut(member.number).into_iter().for_each(|mark| *mark = true);
        }
        marks
    };
    let inside = marked(&[Part::Cluster]);
    let mut placed = marked(&[Part::ControlPlane, Part::Etcd, Part::Worker, Part::RouteReflector]);
    let is_outside = |member: &&Member<'_>| !inside.get(member.number).copied().unwrap_or_default();
    let mut missing: BTreeMap<usize, (Member<'_>, bool, Vec<&str>)> = BTreeMap::new();
    for part in [Part::ControlPlane, Part::Worker, Part::RouteReflector] {
        for group in judge.cluster.groups(part) {
            let outside: Vec<_> = group.members.iter().filter(is_outside).collect();
            // Several of one group are told once, where it is written; one of several groups is told once too.
            let alone = outside.len() == 1;
            for member in outside {
                missing.entry(member.number).or_insert_with(|| (*member, alone, Vec::new())).2.push(group.name);
            }
        }
    }
    let mut without = Vec::new();
    for member in judge.cluster.groups(Part::Cluster).iter().flat_map(|group| &group.members) {
        if placed.get_mut(member.number).is_some_and(|mark| !std::mem::replace(mark, true)) {
            without.push(member.host);
        }
    }
    for (Member { host, home, .. }, alone, groups) in missing.into_values() {
        let all = groups.join("`, `");
        let what = format!("in `{all}` but not in `{name}`");
        let help = if groups.len() == 1 {
            format!("make `{all}` a child of `{name}`")
        } else {
            format!("make `{all}` children of `{name}`")
        };
        let first = groups.first().copied().unwrap_or_default();
        let place = if alone { judge.at_member(home, host) } else { judge.at_group(first) };
        judge.fault(host, Fault::error(codes::OUTSIDE_CLUSTER, what, help).at(place));
    }
    for host in without {
        let what = format!("in `{name}`, and in no group that gives it a role");
        let help = "add it to `kube_node`, or take it out of the cluster";
        let place = judge.at_host(host);
        judge.fault(host, Fault::error(codes::NO_ROLE, what, help).at(place));
    }
}

/// The names of all nodes, in their order: a host's name is its node's. `None` for one that cannot be.
fn node_names(judge: &mut Judge<'_>) -> Vec<Option<NodeName>> {
    let mut names = Vec::with_capacity(judge.nodes().len());
    for (host, _) in judge.nodes() {
        let name = host.parse().ok();
        names.push(name.clone());
        if name.is_some() {
            continue;
        }
        let help = if host.contains([',', ' ']) {
            "write each host as a key, or on a line, of its own"
        } else {
            "name the host with `a-z`, `0-9`, `-` and `.`: its name becomes that of the Kubernetes node"
        };
        let place = judge.at_host(host);
        judge.fault(host, Fault::error(codes::NODE_NAME, "not a name that a node can have", help).at(place));
    }
    names
}
