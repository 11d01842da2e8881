//! Which values the faults of the writing make doubtful. They stay in the value as they were guessed; nothing may rest on them.

use super::remains::Lost;
use super::tree::{Content, NodeId, Tree, join};
use crate::diagnostic::Diagnostic;

/// What findings of the first pass, and of making the value, leave in doubt. `None` if that cannot be said: where aliases
/// are, a fault may stand in one place and show in another.
pub(super) fn doubts<'f>(tree: &Tree, findings: impl IntoIterator<Item = &'f Diagnostic>) -> Option<Lost> {
    let mut lost = Lost::default();
    for finding in findings {
        if tree.has_anchors() {
            return None;
        }
        for label in &finding.labels {
            let (start, _) = label.place.span()?;
            locate(tree, start.offset, &mut lost);
        }
    }
    Some(lost)
}

/// Finds the innermost value that an offset belongs to: of a list also what stands before an item, and of a mapping what
/// stands between a key and its value, for a tag is written there. A key that is refused, or there twice, may have been meant for
/// another: what it leaves open is the mapping.
fn locate(tree: &Tree, offset: usize, lost: &mut Lost) {
    let (mut pointer, mut node) = (String::new(), tree.root());
    // The collection whose members are not all known for the fault.
    let mut open = None;
    while tree.span(node).start <= offset {
        let (inner, value, unnamed) = match tree.content(node) {
            Content::Scalar(_) => break,
            Content::List(items) => {
                let found = (0..).zip(items).find(|(_, item)| offset < end(tree, **item));
                let Some((at, item)) = found else { break };
                (format!("{pointer}/{at}"), Some(*item), true)
            }
            Content::Mapping(entries) => {
                let found = entries.iter().find(|entry| {
                    let until = end(tree, entry.key).max(end(tree, entry.value));
                    (tree.span(entry.key).start..until).contains(&offset)
                });
                let Some(entry) = found else { break };
                let in_key = offset < end(tree, entry.key);
                let key = tree.text(entry.key).unwrap_or_default();
                (join(&pointer, key), (!in_key).then_some(entry.value), in_key)
            }
        };
        open = unnamed.then_some(pointer);
        pointer = inner;
        match value {
            Some(value) => node = value,
            None => break,
        }
    }
    if let Some(open) = open {
        lost.member_of(open);
    }
    lost.value(pointer);
}

/// The end of a node; one that is empty counts as one byte long.
fn end(tree: &Tree, id: NodeId) -> usize {
    let span = tree.span(id);
    span.end.max(span.start + 1)
}
