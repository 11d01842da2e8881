//! A report as SARIF 2.1.0 (OASIS), which code hosts and editors show beside the lines.

use std::collections::BTreeMap;

use serde_json::{Value, json};

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
    let mut result = json!({
        "ruleId": diagnostic.code.name(),
        "ruleIndex": rule,
        "level": diagnostic.severity.word(),
        "message": { "text": message },
    });
    let mut locations = diagnostic.labels.iter().enumerate().map(|(number, label)| location(number, label));
    if let Some(first) = locations.next() {
        result["locations"] = json!([first]);
    }
    let related: Vec<Value> = locations.collect();
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    result
}

fn location(number: usize, label: &Label) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(label.place.file()) } });
    if let Some(region) = region(&label.place) {
        physical["region"] = region;
    }
    let mut location = json!({ "id": number, "physicalLocation": physical });
    if !label.text.is_empty() {
        location["message"] = json!({ "text": label.text });
    }
    if let Some(key) = label.place.key() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": key }]);
    }
    location
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
            text.push_str(&format!("%{byte:02X}"));
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
