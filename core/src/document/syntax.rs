//! Words for what the YAML parser refuses.

use granit_parser::ErrorKind;

use super::codes;
use crate::diagnostic::{Diagnostic, Place};

/// The diagnostic of a syntax error. The parser stops at the first one: what follows it cannot be told apart.
/// `open` is the bracket or brace that is still open there, if that may be the fault.
pub(super) fn diagnostic(kind: &ErrorKind, place: Place, open: Option<Place>) -> Diagnostic {
    let (words, help) = words(kind);
    let found = Diagnostic::error(codes::SYNTAX, words).at(place, "");
    let Some(open) = open else { return found.help(help) };
    let help = if help.contains("closing") {
        help.to_owned()
    } else {
        format!("write the closing `]` or `}}` if it is missing; else {help}")
    };
    found.at(open, "opened here").help(help)
}

/// Whether the fault may lie in a bracket or brace that was opened before, rather than where it shows.
pub(super) fn is_of_brackets(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnclosedFlowCollection { .. }
            | ErrorKind::UnexpectedEofFlowSequence
            | ErrorKind::UnexpectedEofFlowMapping
            | ErrorKind::UnexpectedEofImplicitFlowMapping
            | ErrorKind::MismatchedFlowCollectionEnd { .. }
            | ErrorKind::ExpectedFlowMappingSeparator
            | ErrorKind::ExpectedFlowSequenceSeparator
            | ErrorKind::MappingValueNotAllowed
            | ErrorKind::InvalidColonPlacement
            | ErrorKind::SimpleKeyExpected
            | ErrorKind::InvalidIndentation
    )
}

fn words(kind: &ErrorKind) -> (String, &'static str) {
    let (words, help) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => ("a tab cannot indent a line", "indent with spaces"),
        ErrorKind::UnclosedQuotedScalar => ("this quote is not closed", "write the closing quote on the same line"),
        ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            ("a bracket or brace is not closed", "write the closing `]` or `}`")
        }
        ErrorKind::MisplacedFlowCollectionEnd | ErrorKind::MismatchedFlowCollectionEnd { .. } => {
            ("this bracket or brace closes nothing", "leave it out, or write the opening one")
        }
        ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => (
            "a comma or the closing bracket is missing before this",
            "write `,` between two items, or the closing `]` or `}`",
        ),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            ("a `:` cannot stand here", "put a text that holds `: ` into quotes, or begin a new line for the key")
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            ("a key without `:`", "write `key: value`, the value on the same line or indented below")
        }
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockSequenceEntry => (
            "this line does not continue what stands above it",
            "indent it like the other keys or items of the same mapping or list",
        ),
        ErrorKind::UnexpectedCharacter { .. } => ("this character cannot begin a value", "put the text into quotes"),
        ErrorKind::UnknownQuotedScalarEscape => {
            ("an escape that YAML does not know", "write `\\\\` for a backslash, or use single quotes")
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            ("text follows the closing quote", "put the whole value into one pair of quotes")
        }
        ErrorKind::BomInsideDocument => {
            ("a byte order mark stands inside the text", "leave it out: it may only be the very first character")
        }
        other => {
            let words = other.to_string();
            let words = words.rsplit_once(", ").map_or(words.as_str(), |(_, last)| last).to_owned();
            return (words, "see the YAML 1.2 specification, or run the text through an editor that checks YAML");
        }
    };
    (words.to_owned(), help)
}
