//! Tags: those of the core schema may repeat what a value is; no other is known.

use std::ops::Range;
use std::sync::Arc;

use granit_parser::Event;

use super::codes;
use super::scalar::{Reading, readings};
use super::tree::Tag;
use crate::diagnostic::{Diagnostic, Findings, Source};

/// The tag that the parser resolved.
pub(super) fn of(tag: Option<&granit_parser::Tag>) -> Tag {
    match tag {
        None => Tag::Absent,
        Some(tag) => match tag.core_suffix() {
            Some(suffix) => Tag::Core(suffix.into()),
            None if tag.handle().is_empty() && tag.suffix() == "!" => Tag::NonSpecific,
            None => Tag::Foreign(format!("{}{}", tag.handle(), tag.suffix()).into()),
        },
    }
}

/// Whether a scalar is what a tag of the core schema says.
pub(super) fn fits(tag: &str, text: &str) -> bool {
    let core = readings(text).map_or(Reading::Text, |readings| readings.core);
    match tag {
        "str" => true,
        "null" => core == Reading::Null,
        "bool" => matches!(core, Reading::Bool(_)),
        "int" => matches!(core, Reading::Int(_)),
        "float" => matches!(core, Reading::Int(_) | Reading::Float(_)),
        _ => false,
    }
}

/// Reports a tag that is not known, or that its node belies.
pub(super) fn check(
    source: &Arc<Source>,
    event: &Event<'_>,
    tag: &Tag,
    written: Range<usize>,
    findings: &mut Findings,
) {
    let sound = match (tag, event) {
        (Tag::Absent | Tag::NonSpecific, _) => true,
        (Tag::Core(tag), Event::SequenceStart(..)) => &**tag == "seq",
        (Tag::Core(tag), Event::MappingStart(..)) => &**tag == "map",
        (Tag::Core(tag), Event::Scalar(text, ..)) => fits(tag, text),
        _ => false,
    };
    if sound {
        return;
    }
    let place = source.place(written);
    let words = match tag {
        Tag::Core(tag) => format!("the tag `!!{tag}` does not fit this value"),
        Tag::Foreign(tag) if place.excerpt().is_some() => {
            let shown =
                tag.strip_prefix("tag:yaml.org,2002:").map_or_else(|| tag.to_string(), |own| format!("!!{own}"));
            format!("the tag `{}` is not known", shown.escape_debug())
        }
        // A password that begins with `!` would be taken for a tag.
        _ => "this tag is not known".to_owned(),
    };
    findings.push(
        Diagnostic::error(codes::TAG, words)
            .at(place, "")
            .help("leave the tag out; put a text that begins with `!` into quotes"),
    );
}
