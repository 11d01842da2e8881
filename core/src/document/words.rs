//! Words that the diagnostics of this room share.

use serde_json::Value;

use super::tree::unescape;
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{Privacy, Source};

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

/// A value, shortened and in backquotes; of a private text only its type.
pub(super) fn shown(source: &Source, value: &Value) -> String {
    match (source.privacy(), value) {
        (Privacy::Private, _) | (_, Value::Array(_) | Value::Object(_)) => kind(value).to_owned(),
        (Privacy::Public, Value::String(text)) if text.chars().count() > 60 => {
            let start: String = text.chars().take(57).collect();
            format!("`{}...`", start.escape_debug())
        }
        (Privacy::Public, Value::String(text)) => format!("`{}`", text.escape_debug()),
        (Privacy::Public, Value::Null) => "nothing".to_owned(),
        (Privacy::Public, other) => format!("`{other}`"),
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
pub(super) fn suggestion<S: AsRef<str>>(source: &Source, written: &str, candidates: &[S]) -> String {
    match nearest(written, candidates.iter().map(AsRef::as_ref)) {
        // What is near to a private text says much of it.
        Some(near) if source.privacy() == Privacy::Public => format!("did you mean `{}`?", near.escape_debug()),
        _ if candidates.is_empty() => "leave it out".to_owned(),
        _ => format!("write {}", alternatives(candidates)),
    }
}
