//! A report as SARIF 2.1.0 (OASIS), which code hosts and editors show beside the lines.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{Code, Diagnostic, Label, Place, Report};

/// The log: one run of the tool `pharos`, a rule for each code that occurs, with its page as help, and a result for each
/// finding. Columns count characters.
pub fn render(report: &Report) -> Value {
    let mut rules: BTreeMap<&str, Code> = BTreeMap::new();
    for diagnostic in report.diagnostics() {
        rules.insert(diagnostic.code.name(), diagnostic.code);
    }
    let results: Vec<Value> = report
        .diagnostics()
        .iter()
        .map(|diagnostic| result(diagnostic, rules.keys().position(|name| *name == diagnostic.code.name())))
        .collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pharos",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.values().map(|code| rule(*code)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "fullDescription": { "text": code.summary() },
        "help": { "text": code.page(), "markdown": code.page() },
    })
}

fn result(diagnostic: &Diagnostic, rule: Option<usize>) -> Value {
    let message = match &diagnostic.help {
        Some(help) => format!("{}: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), diagnostic.code.name().into());
    result.insert("ruleIndex".to_owned(), rule.into());
    result.insert("level".to_owned(), diagnostic.severity.word().into());
    result.insert("message".to_owned(), json!({ "text": message }));
    let mut locations = diagnostic.labels.iter().enumerate().map(|(number, label)| location(number, label));
    if let Some(first) = locations.next() {
        result.insert("locations".to_owned(), json!([first]));
    }
    let related: Vec<Value> = locations.collect();
    if !related.is_empty() {
        result.insert("relatedLocations".to_owned(), related.into());
    }
    Value::Object(result)
}

fn location(number: usize, label: &Label) -> Value {
    let mut physical = Map::new();
    physical.insert("artifactLocation".to_owned(), json!({ "uri": uri(label.place.file()) }));
    if let Some(region) = region(&label.place) {
        physical.insert("region".to_owned(), region);
    }
    let mut location = Map::new();
    location.insert("id".to_owned(), number.into());
    location.insert("physicalLocation".to_owned(), physical.into());
    if !label.text.is_empty() {
        location.insert("message".to_owned(), json!({ "text": label.text }));
    }
    if let Some(key) = label.place.key() {
        location.insert("logicalLocations".to_owned(), json!([{ "fullyQualifiedName": key }]));
    }
    Value::Object(location)
}

fn region(place: &Place) -> Option<Value> {
    let (start, end) = place.span()?;
    Some(json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }))
}

/// A file name as a relative URI reference (RFC 3986): everything but unreserved characters and slashes in percent form.
fn uri(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a text cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_become_uris() {
        assert_eq!(super::uri("environments/ä b/policy.yaml"), "environments/%C3%A4%20b/policy.yaml");
        assert_eq!(super::uri("a:b"), "a%3Ab");
    }
}
