//! From a Rust type to its options: the JSON Schema that schemars derives, read back.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use super::{Kind, OptionSpec, Requirement};

/// The keyword of a document on the controller.
pub const DOCUMENT: &str = "x-controller-document";
/// The format of a path on the host, which [`pharos_core::name::AbsolutePath`] has.
pub(super) const PATH: &str = "absolute-path";
/// The keyword of a secret: `#[schemars(extend("x-no-log" = true))]`.
pub const NO_LOG: &str = "x-no-log";

/// The keyword of the options that are needed in some cases.
const REQUIRED_IF: &str = "x-required-if";
/// The keyword of the command that makes a document: `#[schemars(extend("x-made-by" = "..."))]`.
pub const MADE_BY: &str = "x-made-by";

/// The schema of a type that is read.
pub fn of_arguments<T: JsonSchema>() -> Schema {
    settings().for_deserialize().into_generator().into_root_schema_for::<T>()
}

/// The schema of a type that is written.
pub fn of_returns<T: JsonSchema>() -> Schema {
    settings().for_serialize().into_generator().into_root_schema_for::<T>()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true)
}

/// The options of a structure, in its order.
pub fn read(schema: &Schema) -> Vec<OptionSpec> {
    properties(schema.as_value())
}

/// The options of a structure that are needed in some cases, in the order in which its type says them. A keyword in another form is
/// none, which the test of the registry finds.
pub fn requirements(schema: &Schema) -> Vec<Requirement> {
    let list = schema.as_value().get(REQUIRED_IF).cloned().unwrap_or_default();
    serde_json::from_value(list).unwrap_or_default()
}

/// The paragraphs of a description, the lines of each joined.
pub fn paragraphs(schema: &Value) -> Vec<String> {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let paragraphs = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.filter(|part| !part.is_empty()).collect()
}

/// A value that is no structure's, by this name.
pub fn value(name: &str, schema: &Schema) -> OptionSpec {
    property(name, schema.as_value(), true)
}

fn properties(schema: &Value) -> Vec<OptionSpec> {
    let required: Vec<&str> = strings(schema.get("required")).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, value)| property(name, value, required.contains(&name.as_str())))
        .collect()
}

fn property(name: &str, schema: &Value, required: bool) -> OptionSpec {
    let default = schema.get("default").filter(|value| !value.is_null() && !is_empty(value)).cloned();
    OptionSpec {
        name: name.to_owned(),
        description: paragraphs(schema),
        kind: kind(schema),
        required,
        default,
        no_log: flag(schema, NO_LOG),
        made_by: schema.get(MADE_BY).and_then(Value::as_str).map(str::to_owned),
    }
}

/// Whether a default is an empty text, list or dictionary: the same as none. Ansible would else take the option for given, and ask
/// for what it requires.
fn is_empty(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty)
        || value.as_array().is_some_and(Vec::is_empty)
        || value.as_object().is_some_and(Map::is_empty)
}

fn kind(schema: &Value) -> Kind {
    if flag(schema, DOCUMENT) {
        return Kind::Document;
    }
    let branches = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(*word)?.as_array());
    if let Some(branches) = branches {
        let some_branches = || branches.iter().filter(|branch| type_of(branch) != Some("null"));
        let mut some = some_branches();
        return match (some.next(), some.next()) {
            (Some(one), None) if one.get("const").is_none() => kind(one),
            (Some(one), Some(_)) if one.get("properties").is_some() => Kind::Variants(variants(branches)),
            _ => {
                let words: Vec<_> = some_branches().map(choices).collect();
                if words.iter().any(Vec::is_empty) {
                    Kind::Any
                } else {
                    Kind::Text { format: None, choices: words.concat() }
                }
            }
        };
    }
    match type_of(schema) {
        Some("string") if schema.get("format").and_then(Value::as_str) == Some(PATH) => Kind::Path,
        Some("string") => Kind::Text {
            format: schema.get("format").and_then(Value::as_str).map(str::to_owned),
            choices: choices(schema),
        },
        Some("integer") => {
            let (minimum, maximum) = bounds(schema.get("format").and_then(Value::as_str).unwrap_or_default());
            let said = |word: &str| schema.get(word).and_then(Value::as_i64);
            Kind::Integer { minimum: said("minimum").or(minimum), maximum: said("maximum").or(maximum) }
        }
        Some("number") => Kind::Number,
        Some("boolean") => Kind::Boolean,
        Some("array") => Kind::List {
            of: Box::new(schema.get("items").map_or(Kind::Any, kind)),
            at_least: schema.get("minItems").and_then(Value::as_u64).unwrap_or(0),
        },
        Some("object") if schema.get("properties").is_some() => Kind::Dictionary(properties(schema)),
        Some("object") => {
            let patterns = schema.get("patternProperties").and_then(Value::as_object);
            let values = patterns.and_then(|patterns| patterns.values().next()).or(schema.get("additionalProperties"));
            match values {
                Some(Value::Bool(false)) | None => Kind::Any,
                Some(values) => Kind::Map(Box::new(kind(values))),
            }
        }
        _ => Kind::Any,
    }
}

/// The keys of a variant; what the variant means stands with the word that tells it from the others.
fn named(mut keys: Vec<OptionSpec>, branch: &Value) -> Vec<OptionSpec> {
    for key in &mut keys {
        if let Kind::Text { choices, .. } = &mut key.kind
            && let [(_, meaning)] = choices.as_mut_slice()
            && meaning.is_empty()
        {
            *meaning = paragraphs(branch).join(" ");
        }
    }
    keys
}

/// The keys that the variants of a sum have, each once.
fn variants(branches: &[Value]) -> Vec<OptionSpec> {
    let mut keys: Vec<OptionSpec> = Vec::new();
    for key in branches.iter().flat_map(|branch| named(properties(branch), branch)) {
        match (keys.iter_mut().find(|known| known.name == key.name).map(|known| &mut known.kind), &key.kind) {
            (None, _) => keys.push(key),
            (Some(Kind::Text { choices, .. }), Kind::Text { choices: more, .. }) => choices.extend(more.clone()),
            (Some(_), _) => {}
        }
    }
    keys
}

/// The least and the greatest number of a Rust type, as far as they fit.
fn bounds(format: &str) -> (Option<i64>, Option<i64>) {
    match format {
        "uint8" => (Some(0), Some(u8::MAX.into())),
        "uint16" => (Some(0), Some(u16::MAX.into())),
        "uint32" => (Some(0), Some(u32::MAX.into())),
        "uint64" | "uint" => (Some(0), None),
        "int8" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "int16" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        _ => (None, None),
    }
}

/// The one type of a schema, `null` beside it left out; nothing if there are several.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(one) => Some(one),
        Value::Array(several) => {
            let mut some = several.iter().filter_map(Value::as_str).filter(|one| *one != "null");
            some.next().filter(|_| some.next().is_none())
        }
        _ => None,
    }
}

/// The values of a unit enumeration (or of one described variant of it) with their meanings.
fn choices(schema: &Value) -> Vec<(String, String)> {
    let constant = schema.get("const").and_then(Value::as_str);
    let meaning = paragraphs(schema).join(" ");
    match constant {
        Some(value) => vec![(value.to_owned(), meaning)],
        None => strings(schema.get("enum")).map(|value| (value.to_owned(), String::new())).collect(),
    }
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn flag(schema: &Value, word: &str) -> bool {
    schema.get(word).and_then(Value::as_bool).unwrap_or(false)
}
