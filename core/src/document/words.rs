//! Words that the diagnostics of this room share.

use serde_json::Value;

use super::tree::unescape;
use crate::diagnostic::Place;
use crate::diagnostic::suggest::nearest;

/// What stands at a pointer, as a reader would call it: its key, an item of its list, or the document.
pub(super) fn subject(pointer: &str) -> String {
    let tokens: Vec<_> = pointer.split('/').skip(1).map(unescape).collect();
    match tokens.as_slice() {
        [] => "the document".to_owned(),
        [.., list, number] if number.parse::<usize>().is_ok() && list.parse::<usize>().is_err() => {
            format!("an item of `{}`", list.escape_debug())
        }
        [.., last] if last.parse::<usize>().is_ok() => "an item of this list".to_owned(),
        [.., last] => format!("`{}`", last.escape_debug()),
    }
}

/// A value, shortened and in backquotes; only its type where the text of its place is not shown.
pub(super) fn shown(place: &Place, value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        _ if place.excerpt().is_none() => kind(value).to_owned(),
        Value::String(text) if text.chars().count() > 60 => {
            let start: String = text.chars().take(57).collect();
            format!("`{}...`", start.escape_debug())
        }
        Value::String(text) => format!("`{}`", text.escape_debug()),
        Value::Null => "nothing".to_owned(),
        other => format!("`{other}`"),
    }
}

/// The type of a value, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a whole number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

/// `a`, `b` or `c`, each in backquotes; a dozen at most.
pub(super) fn alternatives<S: AsRef<str>>(words: &[S]) -> String {
    const MOST: usize = 12;
    let mut quoted: Vec<String> =
        words.iter().take(MOST).map(|word| format!("`{}`", word.as_ref().escape_debug())).collect();
    if words.len() > MOST {
        quoted.push(format!("{} more", words.len() - MOST));
    }
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// `did you mean x?`, or which words are allowed.
pub(super) fn suggestion<S: AsRef<str>>(place: &Place, written: &str, candidates: &[S]) -> String {
    match nearest(written, candidates.iter().map(AsRef::as_ref)) {
        // What is near to a private text says much of it.
        Some(near) if place.excerpt().is_some() => format!("did you mean `{}`?", near.escape_debug()),
        _ if candidates.is_empty() => "leave it out".to_owned(),
        _ => format!("write {}", alternatives(candidates)),
    }
}
