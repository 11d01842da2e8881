//! What is done when a mapping is complete: keys that are written twice are reported, merge keys brought in.

use std::collections::HashMap;

use super::codes;
use super::parse::MAX_ALIASED_NODES;
use super::tree::{Content, Entry, Mapping, NodeId, SMALL, Tree};
use crate::diagnostic::{Diagnostic, Findings};

/// Sorts the keys of a mapping for look-ups and reports those that are written twice.
pub(super) fn index(tree: &Tree, mapping: &mut Mapping, findings: &mut Findings) {
    sort(tree, mapping);
    for (earlier, later) in doubled(tree, mapping) {
        let key = tree.text(later.key).unwrap_or_default();
        let words = format!("the key `{}` is written twice in this mapping", key.escape_debug());
        findings.push(
            Diagnostic::error(codes::DUPLICATE_KEY, words)
                .at(tree.node_place(later.key), "again here")
                .at(tree.node_place(earlier.key), "first here")
                .help("keep one of the two"),
        );
    }
}

/// Each key that was there before, with its first entry.
fn doubled(tree: &Tree, mapping: &Mapping) -> Vec<(Entry, Entry)> {
    let key = |entry: &Entry| tree.text(entry.key).unwrap_or_default();
    let mut doubled = Vec::new();
    if mapping.sorted.is_empty() {
        for (at, entry) in mapping.entries.iter().enumerate() {
            let earlier = mapping.entries.iter().take(at).find(|other| key(other) == key(entry));
            doubled.extend(earlier.map(|earlier| (*earlier, *entry)));
        }
        return doubled;
    }
    let mut first: HashMap<&str, Entry> = HashMap::with_capacity(mapping.entries.len());
    for entry in &mapping.entries {
        let earlier = *first.entry(key(entry)).or_insert(*entry);
        if earlier.key != entry.key {
            doubled.push((earlier, *entry));
        }
    }
    doubled
}

fn sort(tree: &Tree, mapping: &mut Mapping) {
    if mapping.entries.len() > SMALL {
        let mut sorted: Vec<u32> = (0u32..).take(mapping.entries.len()).collect();
        let key = |number: &u32| mapping.entries.get(*number as usize).and_then(|entry| tree.text(entry.key));
        // A stable sort: of two equal keys the first is found, or an equal one; they have been reported.
        sorted.sort_by(|a, b| key(a).cmp(&key(b)));
        mapping.sorted = sorted;
    }
}

/// Brings the entries of the values of merge keys into a mapping: its own go before, then the values in their order.
/// `merged` counts the entries that were looked at in the whole text; false if they are too many.
pub(super) fn merge(
    tree: &Tree,
    mapping: &mut Mapping,
    values: &[NodeId],
    merged: &mut u64,
    findings: &mut Findings,
) -> bool {
    for value in values {
        let sources = match &tree.target(*value).content {
            Content::List(items) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        for source in sources {
            let Content::Mapping(from) = &tree.target(*source).content else {
                let words = "a merge key `<<` takes a mapping or a list of mappings";
                findings.push(
                    Diagnostic::error(codes::ALIAS, words)
                        .at(tree.node_place(*source), "")
                        .help("write an alias of a mapping, for example `<<: *defaults`"),
                );
                continue;
            };
            *merged += from.entries.len() as u64;
            if *merged > MAX_ALIASED_NODES {
                return false;
            }
            let new = |entry: &&Entry| tree.text(entry.key).is_some_and(|key| tree.entry(mapping, key).is_none());
            let new: Vec<Entry> = from.entries.iter().filter(new).copied().collect();
            mapping.entries.extend(new);
            mapping.sorted.clear();
            sort(tree, mapping);
        }
    }
    true
}
