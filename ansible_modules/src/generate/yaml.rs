//! The little YAML that documentation needs: block style, one way to write each thing.

use serde_json::Value;

/// Columns at which prose is folded, its margin not counted.
const WIDTH: usize = 100;

/// The document, with its `---`.
pub(super) fn document(value: &Value) -> String {
    let lines = [vec!["---".to_owned()], block(value)].concat();
    lines.join("\n") + "\n"
}

/// The lines of a mapping or sequence.
fn block(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map.iter().flat_map(|(key, value)| entry(&format!("{key}:"), value)).collect(),
        Value::Array(list) => list.iter().flat_map(item).collect(),
        scalar => vec![inline(scalar)],
    }
}

/// An element of a sequence: a mapping begins on the line of its dash.
fn item(value: &Value) -> Vec<String> {
    if !value.is_object() {
        return entry("-", value);
    }
    let lines = block(value).into_iter().enumerate();
    lines.map(|(index, line)| if index == 0 { format!("- {line}") } else { format!("  {line}") }).collect()
}

/// A key or dash and what belongs to it.
fn entry(head: &str, value: &Value) -> Vec<String> {
    let below = match value {
        Value::Object(map) if !map.is_empty() => block(value),
        Value::Array(list) if !list.is_empty() => block(value),
        Value::String(text) if is_literal(text) => text.lines().map(str::to_owned).collect(),
        Value::String(prose) if prose.len() > 60 && !prose.contains('\n') => fold(prose),
        scalar => return vec![format!("{head} {}", inline(scalar))],
    };
    let head = match value {
        Value::String(text) if text.contains('\n') => format!("{head} |"),
        Value::String(_) => format!("{head} >-"),
        _ => head.to_owned(),
    };
    let indented = |line: &String| if line.is_empty() { String::new() } else { format!("  {line}") };
    [vec![head], below.iter().map(indented).collect()].concat()
}

/// Whether a text can stand line by line: it begins with a word, and ends with one newline.
fn is_literal(text: &str) -> bool {
    text.ends_with('\n') && !text.ends_with("\n\n") && text.starts_with(|c: char| !c.is_whitespace())
}

/// The lines of a folded block scalar: words with single spaces between them, which is how they are read back.
fn fold(prose: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in prose.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A scalar on one line. A text stands in double quotes unless it can be nothing but a text.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Lower-case words of letters, `_`, `.`, `/` and `-` that no YAML reads as something else.
fn is_plain(text: &str) -> bool {
    const TAKEN: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let letter = |c: char| c.is_ascii_lowercase() || "_./-".contains(c);
    text.starts_with(|c: char| c.is_ascii_lowercase() || c == '/') && text.chars().all(letter) && !TAKEN.contains(&text)
}

#[cfg(test)]
mod tests {
    use pharos_core::diagnostic::Source;
    use pharos_core::document;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_back() {
        let long = "It is `said` that: words # of all kinds, \"quoted\" or not, may stand in a description, and fold.";
        let value = json!({
            "module": "site_info",
            "empty": [],
            "description": ["Short.", long, "no", "12:30", "~", "a: b"],
            "options": { "names": { "type": "list", "required": true, "default": ["a", "On"] } },
            "text": "- name: a\n  b: \"c\"\n\n- d\n",
            "nested": [{ "name": "x", "list": [1, 2] }],
        });
        let text = super::document(&value);
        insta::assert_snapshot!(text);
        let back = document::read::<serde_json::Value>(&Source::public("documentation", &text)).unwrap();
        assert_eq!(back.value, value);
    }
}
