//! What is done when a mapping is complete: merge keys are brought in, and keys that are written twice reported.

use std::collections::{HashMap, HashSet};

use super::codes;
use super::parse::MAX_ALIASED_NODES;
use super::tree::{Content, Entry, NodeId, Tree};
use crate::diagnostic::{Diagnostic, Findings};

/// Up to this many entries each is compared with each.
const FEW: usize = 12;

/// Whether no key is there twice: true of nearly every mapping, and seen here without an allocation.
fn all_differ(tree: &Tree, entries: &[Entry]) -> bool {
    let mut keys = [""; FEW];
    for (at, entry) in entries.iter().enumerate() {
        let key = tree.text(entry.key).unwrap_or_default();
        if keys.iter().take(at).any(|earlier| *earlier == key) {
            return false;
        }
        if let Some(slot) = keys.get_mut(at) {
            *slot = key;
        }
    }
    true
}

/// Reports the keys that are written twice.
pub(super) fn duplicates(tree: &Tree, entries: &[Entry], findings: &mut Findings) {
    if entries.len() <= FEW && all_differ(tree, entries) {
        return;
    }
    let mut first: HashMap<&str, Entry> = HashMap::with_capacity(entries.len());
    for entry in entries {
        let key = tree.text(entry.key).unwrap_or_default();
        let earlier = *first.entry(key).or_insert(*entry);
        if earlier.key != entry.key {
            let words = format!("the key `{}` is written twice in this mapping", key.escape_debug());
            findings.push(
                Diagnostic::error(codes::DUPLICATE_KEY, words)
                    .at(tree.node_place(entry.key), "again here")
                    .at(tree.node_place(earlier.key), "first here")
                    .help("keep one of the two"),
            );
        }
    }
}

/// The entries that merge keys bring into a mapping: its own go before, then the values in their order. `merged` counts the
/// entries that were looked at in the whole text; `None` if they are too many.
pub(super) fn merged(
    tree: &Tree,
    own: &[Entry],
    values: &[NodeId],
    merged: &mut u64,
    findings: &mut Findings,
) -> Option<Vec<Entry>> {
    let mut seen: HashSet<&str> = own.iter().filter_map(|entry| tree.text(entry.key)).collect();
    let mut new = Vec::new();
    for value in values {
        let sources = match tree.content(*value) {
            Content::List(items) => items,
            _ => std::slice::from_ref(value),
        };
        for source in sources {
            let Content::Mapping(entries) = tree.content(*source) else {
                let words = "a merge key `<<` takes a mapping or a list of mappings";
                findings.push(
                    Diagnostic::error(codes::ALIAS, words)
                        .at(tree.node_place(*source), "")
                        .help("write an alias of a mapping, for example `<<: *defaults`"),
                );
                continue;
            };
            *merged += entries.len() as u64;
            if *merged > MAX_ALIASED_NODES {
                return None;
            }
            new.extend(entries.iter().filter(|entry| seen.insert(tree.text(entry.key).unwrap_or_default())));
        }
    }
    Some(new)
}
