//! Words for what the YAML parser refuses.

use granit_parser::ErrorKind;

use super::codes;
use crate::diagnostic::{Diagnostic, Place};

/// The diagnostic of a syntax error. The parser stops at the first one: what follows it cannot be told apart.
pub(super) fn diagnostic(kind: &ErrorKind, place: Place) -> Diagnostic {
    let (words, help) = words(kind);
    Diagnostic::error(codes::SYNTAX, words).at(place, "").help(help)
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
        ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => {
            ("a comma or the closing bracket is missing here", "write `,` between two items")
        }
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
