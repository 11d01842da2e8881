//! What the rules have in common: the facts, the places, and a collection of faults in which those of many hosts are one.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::group::{Cluster, Graph, Part};
use super::place::Places;
use super::plain::PlainFacts;
use super::quick::Map;
use super::{Facts, HostFacts, Origin, Source, codes};
use crate::diagnostic::{self, Code, Diagnostic, Findings, Place, Severity};

/// A judgement of one inventory.
pub(super) struct Judge<'a> {
    pub(super) facts: &'a Facts,
    pub(super) cluster: Cluster<'a>,
    pub(super) places: Places,
    graph: Graph<'a>,
    nodes: Vec<(&'a str, &'a HostFacts)>,
    known_nodes: Map<&'a str, Known<'a>>,
    findings: Findings,
    /// Faults of hosts, in the order in which they were found.
    faults: Vec<(Fault, Vec<&'a str>)>,
    known: HashMap<(&'static str, String, String), usize>,
}

/// What is at hand of a node.
#[derive(Clone, Copy)]
struct Known<'a> {
    /// Its number in the order of the names.
    number: usize,
    /// A group whose own host it is.
    home: &'a str,
}

/// A fault that several hosts may have from one line.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) severity: Severity,
    /// What is wrong, without the host.
    pub(super) what: String,
    pub(super) help: String,
    pub(super) place: Option<Place>,
}

impl Fault {
    pub(super) fn error(code: Code, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, what: what.into(), help: help.into(), place: None }
    }

    pub(super) fn at(self, place: Option<Place>) -> Self {
        Self { place, ..self }
    }
}

/// The facts of a host of which nothing is known.
static NOTHING: HostFacts = HostFacts {
    address: Value::Null,
    ip: Value::Null,
    access_ip: Value::Null,
    ip6: Value::Null,
    labels: Value::Null,
    taints: Value::Null,
    devices: Value::Null,
    pharos: std::collections::BTreeMap::new(),
};

impl<'a> Judge<'a> {
    pub(super) fn new(plain: &'a PlainFacts<'_>, sources: &[Source]) -> Self {
        let facts = plain.facts();
        let mut cluster = Cluster::of(facts);
        let mut known_nodes = Map::default();
        for member in cluster.written.values().flatten().flat_map(|written| &written.members) {
            known_nodes.entry(member.host).or_insert(Known { number: 0, home: member.home });
        }
        let mut nodes: Vec<(&str, &HostFacts)> = known_nodes.keys().map(|name| (*name, &NOTHING)).collect();
        nodes.sort_unstable_by_key(|(name, _)| *name);
        // Both are in the order of the names.
        let mut all = facts.hosts.iter().peekable();
        for (number, (name, own)) in nodes.iter_mut().enumerate() {
            while all.next_if(|(other, _)| other.as_str() < *name).is_some() {}
            if let Some((_, facts)) = all.next_if(|(other, _)| other.as_str() == *name) {
                *own = facts;
            }
            if let Some(known) = known_nodes.get_mut(name) {
                known.number = number;
            }
        }
        for member in cluster.written.values_mut().flatten().flat_map(|written| &mut written.members) {
            member.number = known_nodes.get(member.host).map_or(0, |known| known.number);
        }
        let mut judge = Self {
            facts,
            cluster,
            nodes,
            places: Places::read(facts, sources),
            graph: Graph::new(facts),
            known_nodes,
            findings: Findings::new(),
            faults: Vec::new(),
            known: HashMap::new(),
        };
        judge.names(plain);
        judge
    }

    /// Adds what slipped among the names. What one line brings is one finding.
    fn names(&mut self, plain: &PlainFacts<'_>) {
        let mut told = HashSet::new();
        for odd in &plain.odd {
            let place = match odd.host {
                Some(host) => self.at_member(odd.group, host),
                None => self.at_group(odd.group),
            };
            let (words, help) = (odd.words(), odd.help());
            if told.insert((words.clone(), help.clone(), place.as_ref().map(Place::to_text))) {
                self.push(at(Diagnostic::error(codes::NO_NAME, words), place, "").help(help));
            }
        }
    }

    /// The members of the cluster and of etcd, by name, with what is known of them.
    pub(super) fn nodes(&self) -> Vec<(&'a str, &'a HostFacts)> {
        self.nodes.clone()
    }

    /// What is known of a host.
    pub(super) fn host(&self, name: &str) -> &'a HostFacts {
        self.facts.hosts.get(name).unwrap_or(&NOTHING)
    }

    /// The number of a node in the order of the names.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.known_nodes.get(name).map(|known| known.number)
    }

    /// The place of a host: where it is a member.
    pub(super) fn at_host(&self, host: &str) -> Option<Place> {
        let group =
            self.known_nodes.get(host).map(|known| known.home).or_else(|| self.graph.groups_of(host).first().copied());
        self.at_member(group.unwrap_or_default(), host)
    }

    /// The place of a membership, or the source that brought it.
    pub(super) fn at_member(&self, group: &str, host: &str) -> Option<Place> {
        if let Some(place) = self.places.member(group, host) {
            return Some(place);
        }
        match self.places.origin(group, host) {
            Origin::Plugin { source, .. } => Some(diagnostic::Source::private(&source, "").whole()),
            _ => self.places.whole(),
        }
    }

    /// The place of a group.
    pub(super) fn at_group(&self, group: &str) -> Option<Place> {
        self.places.group(group).or_else(|| self.places.whole())
    }

    /// The place of what a host has for a variable, or of a part of that.
    pub(super) fn at_variable(&self, host: &str, name: &str, path: &[&str]) -> Option<Place> {
        self.places.variable(&self.graph, host, name, path).or_else(|| self.at_host(host))
    }

    /// The place of a group's member, of a whole part of the cluster.
    pub(super) fn at_part(&self, part: Part) -> Option<Place> {
        match self.cluster.groups(part).first() {
            Some(group) => self.at_group(group.name),
            None => self.places.whole(),
        }
    }

    /// Adds what is wrong with the writing itself.
    pub(super) fn writing(&mut self) {
        let Self { places, known_nodes, findings, .. } = self;
        places.slips(|host| known_nodes.contains_key(host)).for_each(|diagnostic| findings.push(diagnostic));
    }

    /// Adds a finding about the inventory or a group.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic);
    }

    /// Adds the fault of a host. What one line brings to many hosts becomes one finding.
    pub(super) fn fault(&mut self, host: &'a str, fault: Fault) {
        let place = fault.place.as_ref().map_or(String::new(), Place::to_text);
        let key = (fault.code.name(), format!("{}\n{}", fault.what, fault.help), place);
        if let Some((_, hosts)) = self.known.get(&key).and_then(|at| self.faults.get_mut(*at)) {
            hosts.push(host);
            return;
        }
        self.known.insert(key, self.faults.len());
        self.faults.push((fault, vec![host]));
    }

    /// Everything that was found.
    pub(super) fn into_findings(mut self) -> Findings {
        for (fault, hosts) in self.faults {
            let message = format!("{}: {}", names(&hosts), fault.what);
            let mut diagnostic = Diagnostic { severity: fault.severity, ..Diagnostic::error(fault.code, message) };
            if let Some(place) = fault.place {
                diagnostic = diagnostic.at(place, "");
            }
            self.findings.push(diagnostic.help(fault.help));
        }
        self.findings
    }
}

/// Adds a place to a diagnostic, if there is one.
pub(super) fn at(diagnostic: Diagnostic, place: Option<Place>, words: &str) -> Diagnostic {
    match place {
        Some(place) => diagnostic.at(place, words),
        None => diagnostic,
    }
}

/// Names of hosts in a message: the first few.
pub(super) fn names(hosts: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = hosts.iter().take(SHOWN).map(|host| host.escape_debug().to_string()).collect();
    match hosts.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// What to write where a list or mapping is wanted. In a section `:vars` of INI quotes about it make a text of it.
pub(super) fn unquoted(value: &Value, help: String) -> String {
    match value {
        Value::String(text) if text.starts_with(['{', '[']) => {
            format!("{help}; in a section `:vars` leave out the quotes about the whole")
        }
        _ => help,
    }
}
