//! What a module answers with.

use std::collections::BTreeMap;

use pharos_core::diagnostic::{Diagnostic, Report};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What a module found or did.
#[derive(Clone, Debug)]
pub struct Outcome<D> {
    /// The return values.
    pub data: D,
    /// What was, or would be, changed; `None` for a module that only reads or computes.
    pub change: Option<Change>,
    /// What it warns about. A report that refuses is a [`Failure`] instead.
    pub report: Report,
}

impl<D> Outcome<D> {
    /// An answer without a change and without a warning.
    pub fn of(data: D) -> Self {
        Self { data, change: None, report: Report::default() }
    }

    /// The same with a change.
    #[must_use]
    pub fn with_change(self, before: State, after: State) -> Self {
        Self { change: Some(Change { before, after }), ..self }
    }

    /// The same with warnings.
    #[must_use]
    pub fn with_report(self, report: Report) -> Self {
        Self { report, ..self }
    }
}

/// Why a module stopped.
#[derive(Clone, Debug)]
pub struct Failure {
    pub(crate) report: Report,
    pub(crate) left: Option<Box<Left>>,
}

/// What a failed module leaves behind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    pub(crate) change: Change,
    pub(crate) data: Value,
}

impl Failure {
    /// The same, with what stays changed on the host all the same.
    #[must_use]
    pub fn with_change(mut self, before: State, after: State) -> Self {
        self.left.get_or_insert_default().change = Change { before, after };
        self
    }

    /// The same, with the return values that are known all the same.
    #[must_use]
    pub fn with_data(mut self, data: &impl Serialize) -> Self {
        // What cannot be written as JSON is left out: the refusal is what matters.
        self.left.get_or_insert_default().data = serde_json::to_value(data).unwrap_or_default();
        self
    }

    /// What is wrong.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

impl From<Report> for Failure {
    fn from(report: Report) -> Self {
        Self { report, left: None }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Report::from(diagnostic).into()
    }
}

/// The state of everything that a module is responsible for: a text for each thing, by name (a path, `nginx.service`).
///
/// It is shown by `--diff` and kept in the result, so a text never holds a secret: a private file is its fingerprint.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct State(BTreeMap<String, String>);

impl State {
    /// Nothing there.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a thing.
    pub fn insert(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.0.insert(name.into(), text.into());
    }
}

impl<N: Into<String>, T: Into<String>> FromIterator<(N, T)> for State {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(things: I) -> Self {
        Self(things.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
    }
}

/// The state before and after.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Change {
    /// What was there.
    pub before: State,
    /// What is, or in check mode would be, there.
    pub after: State,
}

impl Change {
    /// Whether anything differs: the one definition of `changed`.
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// Ansible's `diff`: one entry for each thing that differs, by name; a thing that is absent has an empty text.
    pub fn diff(&self) -> Vec<Value> {
        let names: std::collections::BTreeSet<&String> = self.before.0.keys().chain(self.after.0.keys()).collect();
        let side = |state: &State, name: &String| match state.0.get(name) {
            Some(text) => (name.clone(), text.clone()),
            None => (format!("{name} (absent)"), String::new()),
        };
        names
            .into_iter()
            .filter(|name| self.before.0.get(*name) != self.after.0.get(*name))
            .map(|name| {
                let ((before_header, before), (after_header, after)) = (side(&self.before, name), side(&self.after, name));
                json!({ "before_header": before_header, "before": before, "after_header": after_header, "after": after })
            })
            .collect()
    }
}

/// The data as the fields of an answer; anything but an object stands under `value`.
pub(crate) fn fields(data: Value) -> Map<String, Value> {
    match data {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}
