//! Values that are one of several things: which of them was meant, and what is wrong with it then.

use jsonschema::ValidationError;
use serde_json::{Map, Value};

use super::codes;
use super::refusal::Context;
use super::tree::join;
use super::words::{alternatives, subject};
use crate::diagnostic::suggest::nearest;

/// What one alternative of a `oneOf` or `anyOf` looks like.
enum Branch<'s> {
    /// Nothing: what makes an option out of a type.
    Nothing,
    /// A few fixed texts: variants without content.
    Words(Vec<&'s str>),
    /// A mapping with one key that names the variant, and its content.
    Tagged(&'s str),
    /// Anything else.
    Other,
}

impl<'s> Branch<'s> {
    fn of(schema: &'s Value) -> Self {
        let kind = schema.get("type").and_then(Value::as_str);
        if kind == Some("null") {
            return Self::Nothing;
        }
        if let Some(word) = schema.get("const").and_then(Value::as_str) {
            return Self::Words(vec![word]);
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return Self::Words(words.iter().filter_map(Value::as_str).collect());
        }
        let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice);
        let properties = schema.get("properties").and_then(Value::as_object).map_or(0, Map::len);
        match required {
            Some([Value::String(key)]) if properties == 1 && kind == Some("object") && fixed(schema).is_empty() => {
                Self::Tagged(key)
            }
            _ => Self::Other,
        }
    }
}

/// The keys of a mapping that have one fixed text: what tells internally tagged variants apart.
fn fixed(schema: &Value) -> Vec<(&str, &str)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.as_str(), value.get("const").and_then(Value::as_str)?)))
        .collect()
}

type Errors = Vec<ValidationError<'static>>;

/// The alternatives that are something.
fn real<'a>(branches: &'a [Value], errors: &'a [Errors]) -> Vec<(Branch<'a>, &'a Value, &'a Errors)> {
    branches
        .iter()
        .zip(errors)
        .map(|(schema, errors)| (Branch::of(schema), schema, errors))
        .filter(|(branch, ..)| !matches!(branch, Branch::Nothing))
        .collect()
}

/// The errors of the one alternative that is something, where there is only one.
pub(super) fn only<'a>(branches: &'a [Value], errors: &'a [Errors]) -> Option<&'a Errors> {
    match real(branches, errors).as_slice() {
        [(_, _, only)] => Some(only),
        _ => None,
    }
}

/// Words the refusal of a value that is none of the alternatives.
pub(super) fn refuse(
    context: &mut Context<'_>,
    pointer: &str,
    instance: &Value,
    branches: &[Value],
    errors: &[Errors],
) {
    let real = real(branches, errors);
    if let [(_, _, only)] = real.as_slice() {
        return only.iter().for_each(|error| context.refuse(error));
    }
    let words: Vec<&str> = real
        .iter()
        .flat_map(|(branch, ..)| match branch {
            Branch::Words(words) => words.clone(),
            _ => Vec::new(),
        })
        .collect();
    let tags: Vec<(&str, &Errors)> = real
        .iter()
        .filter_map(|(branch, _, errors)| match branch {
            Branch::Tagged(tag) => Some((*tag, *errors)),
            _ => None,
        })
        .collect();
    match instance {
        Value::Object(map) if !tags.is_empty() => tagged(context, pointer, map, &tags),
        Value::Object(map) => by_fixed_key(context, pointer, map, &real),
        Value::String(text) if !words.is_empty() || !tags.is_empty() => word(context, pointer, text, &words, &tags),
        other if real.iter().all(|(branch, ..)| !matches!(branch, Branch::Other)) => {
            let all: Vec<&str> = words.iter().copied().chain(tags.iter().map(|(tag, _)| *tag)).collect();
            context.wrong_type(pointer, &alternatives(&all), other);
        }
        _ => closest(context, pointer, &real),
    }
}

/// A mapping whose one key should name the variant.
fn tagged(context: &mut Context<'_>, pointer: &str, map: &Map<String, Value>, tags: &[(&str, &Errors)]) {
    let names: Vec<&str> = tags.iter().map(|(tag, _)| *tag).collect();
    let (known, unknown): (Vec<&String>, Vec<&String>) = map.keys().partition(|key| names.contains(&key.as_str()));
    let owner = subject(pointer);
    match known.as_slice() {
        [one] if unknown.is_empty() => {
            let errors = tags.iter().find(|(tag, _)| tag == one).map(|(_, errors)| *errors);
            errors.into_iter().flatten().for_each(|error| context.refuse(error));
        }
        [] => {
            let (words, place) = match unknown.first() {
                Some(key) => (
                    format!("`{}` is not a key of {owner}", key.escape_debug()),
                    context.tree.key_place(&join(pointer, key)),
                ),
                None => (format!("{owner} is empty"), context.tree.place(pointer)),
            };
            let help = match unknown.first().and_then(|key| nearest(key, names.iter().copied())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of the keys {}", alternatives(&names)),
            };
            context.push(codes::VARIANT, words, place, help);
        }
        [first, ..] => {
            let surplus = known.get(1).or(unknown.first()).copied().unwrap_or(first);
            let words = format!("{owner} takes one key, and `{first}` is there already");
            let place = context.tree.key_place(&join(pointer, surplus));
            context.push(codes::VARIANT, words, place, format!("keep one of {}", alternatives(&names)));
        }
    }
}

/// A text in the place of a variant.
fn word(context: &mut Context<'_>, pointer: &str, text: &str, words: &[&str], tags: &[(&str, &Errors)]) {
    if let Some((tag, _)) = tags.iter().find(|(tag, _)| *tag == text) {
        let message = format!("{} needs a value for `{tag}`", subject(pointer));
        let place = context.tree.place(pointer);
        return context.push(codes::VARIANT, message, place, format!("write `{tag}:` and its value below it"));
    }
    if words.is_empty() {
        let names: Vec<&str> = tags.iter().map(|(tag, _)| *tag).collect();
        let expected = format!("a mapping with one of the keys {}", alternatives(&names));
        return context.wrong_type(pointer, &expected, &Value::from(text));
    }
    let all: Vec<Value> =
        words.iter().copied().map(Value::from).chain(tags.iter().map(|(tag, _)| Value::from(*tag))).collect();
    context.unknown_value(pointer, &Value::from(text), &all);
}

/// A mapping in which one key with a fixed text tells the variant.
fn by_fixed_key(
    context: &mut Context<'_>,
    pointer: &str,
    map: &Map<String, Value>,
    real: &[(Branch<'_>, &Value, &Errors)],
) {
    let fits = |schema: &Value| {
        let fixed = fixed(schema);
        !fixed.is_empty() && fixed.iter().all(|(key, text)| map.get(*key).and_then(Value::as_str) == Some(*text))
    };
    if let Some((_, _, errors)) = real.iter().find(|(_, schema, _)| fits(schema)) {
        return errors.iter().for_each(|error| context.refuse(error));
    }
    let fixed: Vec<(&str, &str)> = real.iter().flat_map(|(_, schema, _)| self::fixed(schema)).collect();
    let Some((key, _)) = fixed.first() else {
        return closest(context, pointer, real);
    };
    let allowed: Vec<Value> =
        fixed.iter().filter(|(other, _)| other == key).map(|(_, text)| Value::from(*text)).collect();
    if let Some(written) = map.get(*key) {
        return context.unknown_value(&join(pointer, key), written, &allowed);
    }
    let texts: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
    let message = format!("{} has no `{key}`, which tells what it is", subject(pointer));
    let place = context.tree.place(pointer);
    context.push(codes::MISSING_KEY, message, place, format!("add `{key}:` with {}", alternatives(&texts)));
}

/// The alternative that the value comes nearest to: one whose own type it has.
fn closest(context: &mut Context<'_>, pointer: &str, real: &[(Branch<'_>, &Value, &Errors)]) {
    use jsonschema::error::ValidationErrorKind as Kind;
    let at_the_value = |error: &ValidationError<'_>| {
        error.instance_path().as_str() == pointer
            && matches!(error.kind(), Kind::Type { .. } | Kind::Enum { .. } | Kind::Constant { .. })
    };
    let of_type: Vec<&Errors> =
        real.iter().map(|(.., errors)| *errors).filter(|errors| !errors.iter().any(at_the_value)).collect();
    match of_type.as_slice() {
        [one] => one.iter().for_each(|error| context.refuse(error)),
        _ => context.other(pointer, "oneOf"),
    }
}
