//! Directives, blocks and words.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::diagnostic::Place;

/// One word of a directive: its value, which the printer quotes where nginx's lexer needs it.
///
/// nginx has no escape for `$`: every dollar sign starts a variable. So a word made from data ([`Word::literal`]) has none, and
/// a word that reads variables ([`Word::expression`]) is written in the source of this program.
#[derive(Clone, Debug)]
pub struct Word(Text);

#[derive(Clone, Debug)]
enum Text {
    /// Of this program.
    Source(&'static str),
    /// Made for one place.
    Own(Box<str>),
    /// Said in many places.
    Shared(Arc<str>),
}

/// A text that cannot be said as a literal word: it holds `$`, a control character or nothing, or is longer than 2000 bytes
/// (nginx reads a word of at most 4096, escapes included).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WordError;

impl Word {
    /// A word from data.
    pub fn literal(text: &str) -> Result<Self, WordError> {
        if text.is_empty() || text.len() > 2000 || text.contains('$') || text.chars().any(char::is_control) {
            return Err(WordError);
        }
        Ok(Self::made(text))
    }

    /// A word that may read variables, from the source of this program.
    pub const fn expression(text: &'static str) -> Self {
        Self(Text::Source(text))
    }

    /// One word of several, one after the other. A part that ends in a variable writes it `${name}`: what follows must not
    /// become part of the name.
    pub fn concat(parts: &[&Self]) -> Self {
        let mut text = String::with_capacity(parts.iter().map(|part| part.as_str().len()).sum());
        for part in parts {
            text.push_str(part.as_str());
        }
        Self(Text::Own(text.into()))
    }

    /// A word as it stands: found by a parser, quotes and escapes resolved, or a name whose grammar excludes what no word may hold.
    pub(super) fn made(text: impl Into<Box<str>>) -> Self {
        Self(Text::Own(text.into()))
    }

    /// The same word, which can be said in many places without a copy for each.
    #[must_use]
    pub fn shared(self) -> Self {
        match self.0 {
            Text::Own(text) => Self(Text::Shared(text.into())),
            Text::Source(_) | Text::Shared(_) => self,
        }
    }

    /// The value, without quotes.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Source(text) => text,
            Text::Own(text) => text,
            Text::Shared(text) => text,
        }
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Word {}

impl Ord for Word {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

/// A directive, simple (`name word...;`) or with a body (`name word... { ... }`).
///
/// Two directives are equal if they say the same; where they were read is not compared.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its name.
    pub name: Word,
    /// What follows the name.
    pub arguments: Vec<Word>,
    /// What stands after the arguments.
    pub body: Body,
    /// Where it was read: from its name to its last argument. `None` for one that was made.
    pub place: Option<Place>,
}

/// What ends a directive.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Body {
    /// A semicolon.
    Simple,
    /// Directives in braces.
    Block(Vec<Directive>),
    /// Text in braces that is another language's (`*_by_lua_block`), exactly as it stands between them.
    Raw(Box<str>),
}

impl Directive {
    /// A simple directive.
    pub fn simple(name: &'static str, arguments: Vec<Word>) -> Self {
        Self { name: Word::expression(name), arguments, body: Body::Simple, place: None }
    }

    /// A directive with a block.
    pub fn block(name: &'static str, arguments: Vec<Word>, block: Vec<Directive>) -> Self {
        Self { name: Word::expression(name), arguments, body: Body::Block(block), place: None }
    }

    /// The directives of its block; none for a simple or raw one.
    pub fn children(&self) -> &[Directive] {
        match &self.body {
            Body::Block(children) => children,
            Body::Simple | Body::Raw(_) => &[],
        }
    }

    /// Whether it has this name.
    pub fn is(&self, name: &str) -> bool {
        self.name.as_str() == name
    }

    /// The argument at an index, from 0.
    pub fn argument(&self, index: usize) -> Option<&str> {
        self.arguments.get(index).map(Word::as_str)
    }
}

impl PartialEq for Directive {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments && self.body == other.body
    }
}

impl Eq for Directive {}
