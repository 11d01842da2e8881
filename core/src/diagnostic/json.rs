//! A report for programs: the one JSON form that every front passes on.

use serde_json::{Value, json};

use super::{Diagnostic, Label, Report};

/// The findings as an array of objects `{code, severity, message, labels, help}`; a label is
/// `{file, line, column, end_line, end_column, key, text}` with `null` where a place has none.
pub fn render(report: &Report) -> Value {
    Value::Array(report.diagnostics().iter().map(one).collect())
}

fn one(diagnostic: &Diagnostic) -> Value {
    json!({
        "code": diagnostic.code.name(),
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "labels": diagnostic.labels.iter().map(label).collect::<Vec<_>>(),
        "help": diagnostic.help,
    })
}

fn label(label: &Label) -> Value {
    let span = label.place.span();
    json!({
        "file": label.place.file(),
        "line": span.map(|(start, _)| start.line),
        "column": span.map(|(start, _)| start.column),
        "end_line": span.map(|(_, end)| end.line),
        "end_column": span.map(|(_, end)| end.column),
        "key": label.place.key(),
        "text": label.text,
    })
}
