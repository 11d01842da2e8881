//! Where something stands: a file, and inside it a span.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::secrecy::{self, Concealed};

/// Whether the text of a file may be shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Privacy {
    /// Committed text: its lines are shown under a diagnostic, but for those that [`secrecy`] keeps back.
    Public,
    /// Inventory, variables, credentials: only file, line, column and key are shown, for the line may hold a password.
    Private,
}

/// A text with the name it is known by: a path as the caller wrote it, or a word such as `arguments`.
pub struct Source {
    name: Box<str>,
    text: Box<str>,
    privacy: Privacy,
    /// Lines of a private text that may be shown all the same.
    harmless: fn(&str) -> bool,
    /// Byte offset at which each line starts; the first is 0. Counted when the first place is asked for.
    lines: OnceLock<Vec<usize>>,
}

impl Source {
    /// A source whose text may be shown.
    pub fn public(name: &str, text: &str) -> Arc<Self> {
        Self::new(name, text, Privacy::Public)
    }

    /// A source of which only places are shown.
    pub fn private(name: &str, text: &str) -> Arc<Self> {
        Self::new(name, text, Privacy::Private)
    }

    /// A private source that somebody else wrote, of which the lines that are known to be harmless are shown.
    pub fn foreign(name: &str, text: &str, harmless: fn(&str) -> bool) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            text: text.into(),
            privacy: Privacy::Private,
            harmless,
            lines: OnceLock::new(),
        })
    }

    fn new(name: &str, text: &str, privacy: Privacy) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), privacy, harmless: |_| false, lines: OnceLock::new() })
    }

    /// Whether all lines that this range touches may be shown.
    fn shows(&self, range: &Range<usize>) -> bool {
        let lines = || self.text.get(secrecy::lines(&self.text, range)).unwrap_or_default().lines();
        (self.privacy == Privacy::Public || lines().all(self.harmless)) && secrecy::shows(&self.text, range)
    }

    /// Whether nothing stands on these lines of a private text: a quotation of them would say that there is something to see.
    fn quotes_nothing(&self, range: &Range<usize>) -> bool {
        let shown = self.text.get(secrecy::lines(&self.text, range)).unwrap_or_default();
        self.privacy == Privacy::Private && shown.trim().is_empty()
    }

    /// The name it is known by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text. Renderers take lines from [`Place::excerpt`], which honours [`Privacy`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text may be shown.
    pub fn privacy(&self) -> Privacy {
        self.privacy
    }

    /// Line and column of a byte offset; an offset past the end counts as the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let lines = self
            .lines
            .get_or_init(|| std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect());
        let line = lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(0, |text| text.chars().count()) + 1;
        Position { offset, line, column }
    }

    /// The place of a byte range.
    pub fn place(self: &Arc<Self>, range: std::ops::Range<usize>) -> Place {
        let end = range.end.max(range.start);
        Place::new(Arc::clone(self), Some((self.position(range.start), self.position(end))))
    }

    /// The place that is this file as a whole.
    pub fn whole(self: &Arc<Self>) -> Place {
        Place::new(Arc::clone(self), None)
    }
}

/// Without the text: a `Debug` form ends up in panics and logs.
impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).field("privacy", &self.privacy).finish_non_exhaustive()
    }
}

/// A point of a text.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Position {
    /// Bytes from the start of the text.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A file, and where known the span inside it and the key path.
///
/// Boxed: a place is part of every directive of nginx, also of those that were made and have none.
#[derive(Clone, Debug)]
pub struct Place(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    source: Arc<Source>,
    span: Option<(Position, Position)>,
    key: Option<Box<str>>,
    /// The lines of the source that are kept back, as far as this place knows of any.
    concealed: Option<Arc<Concealed>>,
}

impl Place {
    fn new(source: Arc<Source>, span: Option<(Position, Position)>) -> Self {
        Self(Box::new(Parts { source, span, key: None, concealed: None }))
    }

    /// The same place with the path of its key, as a JSON pointer (`/services/2/routes/0/match`).
    #[must_use]
    pub fn with_key(mut self, key: &str) -> Self {
        self.0.key = Some(key.into());
        self
    }

    /// The same place without its text, which may hold a credential although the file is public. The [`Report`](super::Report)
    /// that it comes to shows its lines at no other place either.
    #[must_use]
    pub fn conceal(self) -> Self {
        let lines = self.lines().collect();
        self.with_concealed(Arc::new(lines))
    }

    /// The same place, which knows that these lines of its source are kept back.
    pub(super) fn with_concealed(mut self, lines: Arc<Concealed>) -> Self {
        self.0.concealed = Some(lines);
        self
    }

    /// The lines that are known to be kept back.
    pub(super) fn concealed(&self) -> Option<&Concealed> {
        self.0.concealed.as_deref()
    }

    /// The numbers of its lines; none for a whole file.
    fn lines(&self) -> impl Iterator<Item = usize> + use<> {
        self.0.span.map(|(start, end)| start.line..=end.line).into_iter().flatten()
    }

    /// A place that is only a name: a host, a module argument, the output of a program.
    pub fn named(name: &str) -> Self {
        Source::public(name, "").whole()
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        self.0.source.name()
    }

    /// The source itself.
    pub fn source(&self) -> &Arc<Source> {
        &self.0.source
    }

    /// Start and end, unless the place is a whole file.
    pub fn span(&self) -> Option<(Position, Position)> {
        self.0.span
    }

    /// The path of the key, as a JSON pointer.
    pub fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// The text, with the byte range of this place in it, if the lines of the range may be shown; `None` for a whole file, and for
    /// lines of a private one on which nothing stands. Of the other lines of the text [`shows`](Self::shows) must be asked.
    pub fn excerpt(&self) -> Option<(&str, Range<usize>)> {
        let (start, end) = self.0.span?;
        let range = start.offset..end.offset;
        let concealed = self.concealed().is_some_and(|lines| self.lines().any(|line| lines.contains(&line)));
        (!concealed && self.0.source.shows(&range) && !self.0.source.quotes_nothing(&range))
            .then(|| (self.0.source.text(), range))
    }

    /// Whether another line of this source, given by its number and any offset in it, may be shown.
    pub fn shows(&self, line: usize, offset: usize) -> bool {
        !self.concealed().is_some_and(|lines| lines.contains(&line)) && self.0.source.shows(&(offset..offset))
    }

    /// `file:line:column`, or the file alone.
    pub fn to_text(&self) -> String {
        match self.0.span {
            Some((start, _)) => format!("{}:{}:{}", self.file(), start.line, start.column),
            None => self.file().to_owned(),
        }
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.file() == other.file() && self.0.span == other.0.span
    }
}

impl Eq for Place {}
