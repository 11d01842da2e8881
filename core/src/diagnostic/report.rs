//! Diagnostics, and the lists in which they travel.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::secrecy::Concealed;
use super::{Class, Code, Place};

/// How grave a finding is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input stands; somebody should act.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word that is printed: `error`, `warning` or `note`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A place with the words that stand beside it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What is there; may be empty.
    pub text: String,
}

/// One fault.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// The kind of fault.
    pub code: Code,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where: the first label is the place of the fault, the others what it collides with.
    pub labels: Vec<Label>,
    /// What to write or do instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error of this kind.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), labels: Vec::new(), help: None }
    }

    /// A warning of this kind.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// A note of this kind.
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message) }
    }

    /// Adds a place; the first one added is the place of the fault.
    #[must_use]
    pub fn at(mut self, place: Place, text: impl Into<String>) -> Self {
        self.labels.push(Label { place, text: text.into() });
        self
    }

    /// Says what to write or do instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The place of the fault.
    pub fn place(&self) -> Option<&Place> {
        self.labels.first().map(|label| &label.place)
    }
}

/// What a judgement collects while it goes on: refusals and warnings, in any order.
#[derive(Clone, Debug, Default)]
pub struct Findings(Vec<Diagnostic>);

impl Findings {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds all of a report.
    pub fn extend(&mut self, report: Report) {
        self.0.extend(report.0);
    }

    /// The findings so far, in the order in which they were made.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0
    }

    /// Whether anything was refused so far.
    pub fn refused(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The findings as a report, sorted: files in the order in which they were first named, then by place.
    pub fn into_report(self) -> Report {
        Report::sorted(self.0)
    }

    /// The value together with what was only warned about, or everything if anything was refused.
    pub fn conclude<T>(self, value: T) -> Result<(T, Report), Report> {
        let refused = self.refused();
        let report = self.into_report();
        if refused { Err(report) } else { Ok((value, report)) }
    }
}

impl IntoIterator for Findings {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Every finding of one input, in file order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Report(Vec<Diagnostic>);

impl Report {
    fn sorted(mut list: Vec<Diagnostic>) -> Self {
        let mut files: Vec<String> = Vec::new();
        for diagnostic in &list {
            let file = diagnostic.place().map_or("", Place::file);
            if !files.iter().any(|known| known == file) {
                files.push(file.to_owned());
            }
        }
        list.sort_by_cached_key(|diagnostic| {
            let place = diagnostic.place();
            let file = place.map_or("", Place::file);
            let rank = files.iter().position(|known| known == file);
            let offset = place.and_then(Place::span).map_or(0, |(start, _)| start.offset);
            (rank, offset, diagnostic.severity, diagnostic.code.name(), diagnostic.message.clone())
        });
        list.dedup();
        keep_back(&mut list);
        Self(list)
    }

    /// The findings.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0
    }

    /// Whether it holds no finding at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it refuses its input.
    pub fn refuses(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// The exit status of a command that ends with this report: 0 if nothing is refused, else that of the [`Class`] of its errors that
    /// comes last.
    pub fn exit_status(&self) -> u8 {
        let refused = self.0.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        refused.map(|diagnostic| diagnostic.code.class()).max().map_or(0, Class::exit_status)
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|d| d.severity == severity).count()
    }

    /// The same findings, errors before warnings before notes: for a reader who sees the end of a long run. Within each kind they
    /// stay in file order.
    #[must_use]
    pub fn gravest_first(mut self) -> Self {
        self.0.sort_by_key(|diagnostic| diagnostic.severity);
        self
    }

    /// One line: `2 errors, 1 warning`, or `no findings`.
    pub fn summary(&self) -> String {
        let parts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
            .into_iter()
            .filter_map(|severity| match self.count(severity) {
                0 => None,
                1 => Some(format!("1 {}", severity.word())),
                n => Some(format!("{n} {}s", severity.word())),
            })
            .collect();
        if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
    }
}

impl From<Diagnostic> for Report {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::sorted(vec![diagnostic])
    }
}

/// A line that one finding conceals is concealed for all.
fn keep_back(list: &mut [Diagnostic]) {
    let mut files: BTreeMap<String, Concealed> = BTreeMap::new();
    for place in list.iter().flat_map(|diagnostic| &diagnostic.labels).map(|label| &label.place) {
        if let Some(lines) = place.concealed() {
            files.entry(place.file().to_owned()).or_default().extend(lines);
        }
    }
    let files: BTreeMap<String, Arc<Concealed>> =
        files.into_iter().map(|(file, lines)| (file, Arc::new(lines))).collect();
    for label in list.iter_mut().flat_map(|diagnostic| &mut diagnostic.labels) {
        if let Some(lines) = files.get(label.place.file()) {
            label.place = label.place.clone().with_concealed(Arc::clone(lines));
        }
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&super::human::render(self, super::human::Style::Plain))
    }
}

impl std::error::Error for Report {}
