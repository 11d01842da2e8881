//! The groups of a cluster: what they are called, and who is in them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::plain::PlainFacts;
use super::quick::Set;
use super::{Facts, Role};

/// A group that means something to a cluster, under whatever name.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Part {
    ControlPlane,
    Primary,
    Worker,
    Etcd,
    RouteReflector,
    Cluster,
}

impl Part {
    pub(super) const ALL: [Self; 6] =
        [Self::ControlPlane, Self::Primary, Self::Worker, Self::Etcd, Self::RouteReflector, Self::Cluster];

    /// Its names: the modern one of Kubespray, the native ones, and those with the hyphens replaced.
    pub(super) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::ControlPlane => &["kube_control_plane", "kube-control-plane", "kube-master", "kube_master"],
            Self::Primary => &["kube-master-primary", "kube_master_primary"],
            Self::Worker => &["kube_node", "kube-node"],
            Self::Etcd => &["etcd"],
            Self::RouteReflector => &["calico_rr", "calico-rr"],
            Self::Cluster => &["k8s_cluster", "k8s-cluster"],
        }
    }

    /// The name that it is spoken of by. The primary has no modern one.
    pub(super) fn name(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }

    /// What its members do.
    pub(super) const fn role(self) -> Option<Role> {
        match self {
            Self::ControlPlane => Some(Role::ControlPlane),
            Self::Worker => Some(Role::Worker),
            Self::Etcd => Some(Role::Etcd),
            Self::RouteReflector => Some(Role::RouteReflector),
            Self::Primary | Self::Cluster => None,
        }
    }
}

/// The names that a group of the cluster may have, in every spelling: the members of these are all that a plan looks at.
pub fn cluster_groups() -> impl Iterator<Item = &'static str> {
    Part::ALL.into_iter().flat_map(|part| part.names().iter().copied())
}

/// The names that a group of the cluster may be written with, the modern one first; none for any other group.
pub fn names_of_group(modern: &str) -> &'static [&'static str] {
    Part::ALL.into_iter().find(|part| part.name() == modern).map_or(&[], Part::names)
}

/// The group of the hosts that serve the public edge.
pub(super) const EDGE: &str = "platform-edge";

/// The hosts that serve the public edge, those of the group's children too, in Ansible's order. They need not be in the cluster.
pub fn edge_hosts(facts: &Facts) -> Vec<String> {
    Written::of(PlainFacts::of(facts).facts(), EDGE).hosts().map(str::to_owned).collect()
}

/// One group of the inventory that is a part of the cluster, with all its members.
#[derive(Debug)]
pub(super) struct Written<'a> {
    /// Its name as it is written.
    pub(super) name: &'a str,
    /// Its members in Ansible's order, those of its children too.
    pub(super) members: Vec<Member<'a>>,
    /// How each of its descendants came to it: the group that is its parent.
    parents: HashMap<&'a str, &'a str>,
}

/// A member of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    pub(super) host: &'a str,
    /// The group whose own host it is.
    pub(super) home: &'a str,
    /// Its number among the nodes, in the order of their names; given once all are known.
    pub(super) number: usize,
}

impl<'a> Written<'a> {
    /// Walks a group as Ansible does: itself, its children, their children.
    pub(super) fn of(facts: &'a Facts, name: &'a str) -> Self {
        let mut written = Self { name, members: Vec::new(), parents: HashMap::new() };
        let mut seen = Set::default();
        let mut queue = VecDeque::from([name]);
        while let Some(at) = queue.pop_front() {
            let Some(group) = facts.groups.get(at) else { continue };
            let own = group.hosts.iter().map(String::as_str).filter(|host| seen.insert(*host));
            written.members.extend(own.map(|host| Member { host, home: at, number: 0 }));
            for child in &group.children {
                if child != name && !written.parents.contains_key(child.as_str()) {
                    written.parents.insert(child, at);
                    queue.push_back(child);
                }
            }
        }
        written
    }

    /// The names of the members.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &'a str> {
        self.members.iter().map(|member| member.host)
    }

    /// The group whose own host a member is.
    pub(super) fn home(&self, host: &str) -> &'a str {
        self.members.iter().find(|member| member.host == host).map_or(self.name, |member| member.home)
    }

    /// The groups from the one whose own host a member is to this one.
    pub(super) fn way(&self, from: &'a str) -> Vec<&'a str> {
        let mut way = vec![from];
        let mut at = from;
        while let Some(parent) = self.parents.get(at) {
            way.push(parent);
            at = parent;
        }
        way
    }
}

/// The parts of the cluster as they are written: of each all groups that are it.
#[derive(Debug)]
pub(super) struct Cluster<'a> {
    pub(super) written: BTreeMap<Part, Vec<Written<'a>>>,
    members: BTreeMap<Part, Rc<[&'a str]>>,
}

impl<'a> Cluster<'a> {
    pub(super) fn of(facts: &'a Facts) -> Self {
        let groups = |part: Part| -> Vec<Written<'a>> {
            let names = part.names().iter().filter_map(|name| facts.groups.get_key_value(*name));
            names.map(|(name, _)| Written::of(facts, name)).collect()
        };
        let written: BTreeMap<Part, Vec<Written<'a>>> =
            Part::ALL.into_iter().map(|part| (part, groups(part))).collect();
        let members = written.iter().map(|(part, groups)| (*part, members(groups))).collect();
        Self { written, members }
    }

    /// The groups that are a part; none if no such group is written.
    pub(super) fn groups(&self, part: Part) -> &[Written<'a>] {
        self.written.get(&part).map_or(&[], Vec::as_slice)
    }

    /// The members of a part, in the order in which Ansible has them.
    pub(super) fn hosts(&self, part: Part) -> Rc<[&'a str]> {
        self.members.get(&part).map_or_else(|| Rc::new([]) as _, Rc::clone)
    }
}

/// The members of groups that are one.
fn members<'a>(groups: &[Written<'a>]) -> Rc<[&'a str]> {
    if let [only] = groups {
        return only.hosts().collect();
    }
    let mut seen = Set::default();
    groups.iter().flat_map(Written::hosts).filter(|host| seen.insert(*host)).collect()
}

/// Which groups a host is in. Made when the first is asked for: an inventory without faults never needs it.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    facts: &'a Facts,
    upward: OnceCell<Upward<'a>>,
}

#[derive(Debug)]
struct Upward<'a> {
    parents: HashMap<&'a str, Vec<&'a str>>,
    of_host: HashMap<&'a str, Vec<&'a str>>,
    /// How many groups lie between a group and the top, on the longest way.
    depth: HashMap<&'a str, usize>,
}

impl<'a> Upward<'a> {
    fn of(facts: &'a Facts) -> Self {
        let mut upward = Self { parents: HashMap::new(), of_host: HashMap::new(), depth: HashMap::new() };
        let groups = || facts.groups.iter().filter(|(name, _)| name.as_str() != "all");
        for (name, group) in groups() {
            for child in &group.children {
                upward.parents.entry(child).or_default().push(name);
            }
            for host in &group.hosts {
                upward.of_host.entry(host).or_default().push(name);
            }
        }
        // From the top down, each group after all its parents. Ansible refuses a circle; here it would have no depth.
        let mut waiting: HashMap<&str, usize> = upward.parents.iter().map(|(name, list)| (*name, list.len())).collect();
        let mut ready: Vec<&str> =
            groups().map(|(name, _)| name.as_str()).filter(|name| !waiting.contains_key(name)).collect();
        while let Some(group) = ready.pop() {
            let depth = upward.depth.get(group).copied().unwrap_or_default();
            for child in facts.groups.get(group).into_iter().flat_map(|group| &group.children) {
                let below = upward.depth.entry(child).or_default();
                *below = (*below).max(depth + 1);
                if let Some(left) = waiting.get_mut(child.as_str()) {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        ready.push(child);
                    }
                }
            }
        }
        upward
    }
}

impl<'a> Graph<'a> {
    pub(super) fn new(facts: &'a Facts) -> Self {
        Self { facts, upward: OnceCell::new() }
    }

    fn upward(&self) -> &Upward<'a> {
        self.upward.get_or_init(|| Upward::of(self.facts))
    }

    /// The groups of a host, but `all`: the deepest first, whose variables have the last word.
    pub(super) fn groups_of(&self, host: &str) -> Vec<&'a str> {
        let upward = self.upward();
        let mut found: Vec<&str> = upward.of_host.get(host).cloned().unwrap_or_default();
        let mut seen: HashSet<&str> = found.iter().copied().collect();
        let mut at = 0;
        while let Some(group) = found.get(at).copied() {
            at += 1;
            found.extend(upward.parents.get(group).into_iter().flatten().filter(|parent| seen.insert(**parent)));
        }
        let depth = |group| upward.depth.get(group).copied().unwrap_or_default();
        let mut ranked: Vec<(usize, &str)> = found.into_iter().map(|group| (depth(group), group)).collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        ranked.into_iter().map(|(_, group)| group).collect()
    }
}
