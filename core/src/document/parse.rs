//! The first pass: a text within its budget becomes a tree, and the faults of its writing are found.

use std::sync::Arc;

use granit_parser::{Parser, StrInput};

use super::builder::Builder;
use super::codes;
use super::tree::Tree;
use crate::diagnostic::{Diagnostic, Findings, Source};

/// The largest text, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most levels of lists and mappings, aliases written out.
pub const MAX_DEPTH: usize = 64;
/// The most nodes that aliases may add to those that are written, and the most entries that merge keys may.
pub const MAX_ALIASED_NODES: u64 = 100_000;

/// Reads the tree. `None` if the text cannot be taken apart; the faults are in `findings` either way.
pub(super) fn parse(source: &Arc<Source>, findings: &mut Findings) -> Option<Tree> {
    let text = source.text();
    if text.len() > MAX_BYTES {
        let words = format!("this text has more than {MAX_BYTES} bytes (4 MiB)");
        let help = "split it into several documents";
        findings.push(Diagnostic::error(codes::BUDGET, words).at(source.whole(), "").help(help));
        return None;
    }
    if !control_characters(source, findings) {
        return None;
    }
    let mut builder = Builder::new(source, findings);
    let options = granit_parser::options! {
        emit_comments: false,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    for event in Parser::<StrInput>::new_from_str_with_options(text, options) {
        let step = match event {
            Ok((event, span)) => builder.take(event, &span),
            Err(error) => Err(builder.syntax(&error)),
        };
        if let Err(fault) = step {
            findings.push(fault);
            return None;
        }
    }
    builder.finish()
}

/// Reports what YAML counts as not printable (section 5.1); the first few only, for such a text is rarely meant as one.
fn control_characters(source: &Arc<Source>, findings: &mut Findings) -> bool {
    let printable = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{85}' => true,
        c => !(c < ' ' || ('\u{7f}'..='\u{9f}').contains(&c) || matches!(c, '\u{fffe}' | '\u{ffff}')),
    };
    // Each such character has a byte of these; a text without them is clean, and that is quickly seen.
    let suspect = |byte: u8| (byte < b' ' && !b"\t\n\r".contains(&byte)) || matches!(byte, 0x7f | 0xc2 | 0xef);
    let text = source.text();
    if !text.as_bytes().chunks(256).any(|chunk| chunk.iter().fold(false, |any, byte| any | suspect(*byte))) {
        return true;
    }
    let odd: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !printable(*c)).take(3).collect();
    for (at, c) in &odd {
        let words = format!("the control character U+{:04X} cannot stand in a text", u32::from(*c));
        // The place is the point before it: the character itself would be printed.
        let place = source.place(*at..*at);
        let help = "leave it out, or write it as an escape in double quotes";
        findings.push(Diagnostic::error(codes::CONTROL_CHARACTER, words).at(place, "").help(help));
    }
    odd.is_empty()
}
