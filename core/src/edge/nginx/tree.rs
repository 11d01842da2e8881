//! Directives, blocks and words.

/// One word of a directive: its value, which the printer quotes where nginx's lexer needs it.
///
/// nginx has no escape for `$`: every dollar sign starts a variable. So a word made from data ([`Word::literal`]) has none, and
/// a word that reads variables ([`Word::expression`]) is written in the source of this program.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Word(Box<str>);

/// A text that cannot be said as a literal word: it holds `$`, a control character or nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WordError;

impl Word {
    /// A word from data.
    pub fn literal(text: &str) -> Result<Self, WordError> {
        if text.is_empty() || text.contains('$') || text.chars().any(char::is_control) {
            return Err(WordError);
        }
        Ok(Self(text.into()))
    }

    /// A word that may read variables, from the source of this program.
    pub fn expression(text: &'static str) -> Self {
        Self(text.into())
    }

    /// A word as a parser found it, quotes and escapes resolved.
    pub(super) fn parsed(text: &str) -> Self {
        Self(text.into())
    }

    /// The value, without quotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A directive, simple (`name word...;`) or with a block (`name word... { ... }`).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Directive {
    /// Its name.
    pub name: Word,
    /// What follows the name.
    pub arguments: Vec<Word>,
    /// The block, if it has one.
    pub block: Option<Vec<Directive>>,
    /// The line it was read from, counted from 1; 0 for one that was made.
    pub line: usize,
}

impl Directive {
    /// A simple directive.
    pub fn simple(name: &'static str, arguments: Vec<Word>) -> Self {
        Self { name: Word::expression(name), arguments, block: None, line: 0 }
    }

    /// A directive with a block.
    pub fn block(name: &'static str, arguments: Vec<Word>, block: Vec<Directive>) -> Self {
        Self { name: Word::expression(name), arguments, block: Some(block), line: 0 }
    }
}
