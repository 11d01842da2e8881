//! Inventories and variable files in YAML: for the places alone, so what Ansible would refuse is skipped, and what our own
//! documents may not hold (look-alikes, vaults' tags) does not matter.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::index::{Assignment, Index, Level, Slip, Spot, is_of_interest};
use super::range;
use crate::document::tree::{Content, Entry, NodeId, Tree};
use crate::inventory::codes;
use crate::inventory::plain::{is_plain, shown};

/// What keys are called that are variables.
const VARIABLE: &str = "variable ";

/// What keys are called that are hosts, or ranges of them.
const HOST: &str = "host ";

/// Adds what stands in an inventory.
pub(super) fn inventory(tree: &Tree, file: usize, index: &mut Index) {
    let mut reader = Reader { tree, file, index };
    for entry in &*reader.counting(tree.root(), "group ") {
        reader.group(*entry, "");
    }
}

/// Adds what stands in a file of variables of a group or host.
pub(super) fn variables(tree: &Tree, file: usize, index: &mut Index, owner: Owner<'_>) {
    Reader { tree, file, index }.variables(tree.root(), "", Level::Beside, owner);
}

/// Whose variables they are.
#[derive(Clone, Copy)]
pub(super) enum Owner<'a> {
    Group(&'a str),
    /// Whether the host is written by its own name, or in a range.
    Host(&'a str, bool),
}

struct Reader<'a> {
    tree: &'a Tree,
    file: usize,
    index: &'a mut Index,
}

impl<'a> Reader<'a> {
    fn entries(&self, node: NodeId) -> &'a [Entry] {
        match self.tree.content(node) {
            Content::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The place of a key, without its quotes.
    fn spot(&self, key: NodeId) -> Spot {
        Spot::new(self.file, &self.range(key))
    }

    fn range(&self, key: NodeId) -> Range<usize> {
        let span = self.tree.span(key);
        let written = self.tree.source().text().get(span.clone()).unwrap_or_default();
        let first = written.split('\n').next().unwrap_or_default().trim_end();
        span.start..span.start + first.len()
    }

    /// The entries of a mapping that count. Of keys that it has twice Ansible takes the last, and drops all that the first has: these
    /// are slips. Of variables only those that are of interest are looked at.
    fn counting(&mut self, mapping: NodeId, what: &str) -> Cow<'a, [Entry]> {
        let entries = self.entries(mapping);
        if entries.len() < 2 {
            return entries.into();
        }
        let mut last = HashMap::with_capacity(entries.len());
        let mut dropped = Vec::new();
        for entry in entries {
            let Some(name) = self.tree.text(entry.key).filter(|name| what != VARIABLE || is_of_interest(name)) else {
                continue;
            };
            let Some(earlier) = last.insert(name, entry.key) else { continue };
            dropped.push(earlier);
            let name = if what == HOST { spoken(name, &range::hosts(name)) } else { shown(name) };
            let words =
                format!("{what}`{}` is written twice in one mapping: Ansible drops the first", name.escape_debug());
            let slip =
                Slip::new(codes::WRITTEN_TWICE, self.spot(entry.key), &words, "make one of them, with what both have");
            let earlier = Some(self.spot(earlier));
            self.index.slips.push(Slip { earlier, ..slip });
        }
        if dropped.is_empty() {
            return entries.into();
        }
        entries.iter().copied().filter(|entry| !dropped.contains(&entry.key)).collect()
    }

    /// Slips of that kind in the value of a variable.
    fn value(&mut self, value: NodeId) {
        match self.tree.content(value) {
            Content::Mapping(_) => {
                let entries = self.counting(value, "");
                entries.iter().for_each(|entry| self.value(entry.value));
            }
            Content::List(items) => items.iter().for_each(|item| self.value(*item)),
            Content::Scalar(_) => {}
        }
    }

    fn group(&mut self, entry: Entry, above: &str) {
        let Some(name) = self.tree.text(entry.key) else { return };
        self.index.group(name, self.spot(entry.key), !self.entries(entry.value).is_empty());
        let pointer = format!("{above}/{}", escaped(&shown(name)));
        for part in &*self.counting(entry.value, "") {
            match (self.tree.text(part.key), self.tree.text(part.value)) {
                // A single name may stand without a colon.
                (Some("hosts"), Some(pattern)) => self.hosts(name, pattern, part.value, None, &pointer),
                (Some("children"), Some(child)) if !child.is_empty() => {
                    self.index.group(child, self.spot(part.value), false);
                }
                (Some("hosts"), None) => {
                    let pointer = format!("{pointer}/hosts");
                    for host in &*self.counting(part.value, HOST) {
                        let Some(pattern) = self.tree.text(host.key) else { continue };
                        self.hosts(name, pattern, host.key, Some(host.value), &pointer);
                    }
                }
                (Some("children"), None) => {
                    let pointer = format!("{pointer}/children");
                    for child in &*self.counting(part.value, "group ") {
                        self.group(*child, &pointer);
                    }
                }
                (Some("vars"), None) => {
                    self.variables(part.value, &format!("{pointer}/vars"), Level::Inventory, Owner::Group(name));
                }
                _ => {}
            }
        }
    }

    fn hosts(&mut self, group: &str, pattern: &str, at: NodeId, variables: Option<NodeId>, pointer: &str) {
        let hosts = range::hosts(pattern);
        if hosts.is_empty() {
            self.index.slips.push(Slip::range(self.spot(at)));
        }
        let by_name = hosts.len() == 1;
        if let Some(variables) = variables.filter(|node| !self.entries(*node).is_empty()) {
            let pointer = format!("{pointer}/{}", escaped(&spoken(pattern, &hosts)));
            for host in &hosts {
                self.variables(variables, &pointer, Level::Inventory, Owner::Host(host, by_name));
            }
        }
        let spot = self.spot(at);
        for host in hosts {
            self.index.member(group, host, spot, by_name);
        }
    }

    fn variables(&mut self, mapping: NodeId, pointer: &str, level: Level, owner: Owner<'_>) {
        for entry in &*self.counting(mapping, VARIABLE) {
            let Some(name) = self.tree.text(entry.key).filter(|name| is_of_interest(name)) else { continue };
            let value: (Arc<str>, _) = (format!("{pointer}/{}", escaped(&shown(name))).into(), entry.value);
            self.value(entry.value);
            let text = self.tree.source().text().get(self.tree.span(entry.value)).unwrap_or_default().trim();
            let assignment = Assignment { spot: self.spot(entry.key), value: Some(value), text: text.into() };
            match owner {
                Owner::Group(group) => self.index.group_variable(level, group, name, assignment),
                Owner::Host(host, by_name) => self.index.host_variable(level, (host, by_name), name, assignment),
            }
        }
    }
}

/// A pattern of hosts as it may be shown: all of it, if those are names that it stands for.
fn spoken<'p>(pattern: &'p str, hosts: &[String]) -> Cow<'p, str> {
    if hosts.first().is_some_and(|host| is_plain(host)) { pattern.into() } else { shown(pattern) }
}

/// A key as a token of a JSON pointer (RFC 6901).
pub(super) fn escaped(key: &str) -> std::borrow::Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}
