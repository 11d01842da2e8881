//! JSON Schemas (draft-07), generated from the Rust types and compiled once for each.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::{Draft, PatternOptions, Validator};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::shape::Shapes;
use crate::name::FORMATS;

/// The schema of a document, ready to be written: the `$schema` line first, then all keys in ascending order, so that equal
/// types give equal bytes. Its patterns use no look-around: Helm and editors read them with RE2 and ECMAScript engines.
pub fn schema<T: JsonSchema>() -> Value {
    let generated = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>().to_value();
    sorted(named_keys(generated))
}

/// The first line of a document that names its schema to editors.
pub fn schema_line(path: &str) -> String {
    format!("# yaml-language-server: $schema={path}\n")
}

/// A schema, made ready to judge with.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) schema: Value,
    pub(super) validator: Validator,
    pub(super) shapes: Shapes,
}

/// The compiled schema of a type. Each is compiled at its first use and kept.
pub(super) fn compiled<T: JsonSchema + 'static>() -> Result<Arc<Compiled>, String> {
    static KEPT: OnceLock<Mutex<HashMap<TypeId, Arc<Compiled>>>> = OnceLock::new();
    // A panic while the lock was held leaves the map whole: an entry is inserted in one step.
    let mut kept = KEPT.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.get(&TypeId::of::<T>()) {
        return Ok(Arc::clone(found));
    }
    let compiled = Arc::new(compile(without_patterns(schema::<T>()))?);
    kept.insert(TypeId::of::<T>(), Arc::clone(&compiled));
    Ok(compiled)
}

fn compile(schema: Value) -> Result<Compiled, String> {
    let mut options = jsonschema::options()
        .with_draft(Draft::Draft7)
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(true)
        .offline();
    for format in FORMATS {
        options = options.with_format(format.word, |text: &str| (format.check)(text).is_ok());
    }
    let validator = options.build(&schema).map_err(|error| error.to_string())?;
    Ok(Compiled { shapes: Shapes::of(&schema), schema, validator })
}

/// Maps whose keys are names: schemars states them as `patternProperties`, in which a bad key would be an unknown one. As
/// `propertyNames` the key is judged by its own format.
fn named_keys(schema: Value) -> Value {
    match schema {
        Value::Array(items) => Value::Array(items.into_iter().map(named_keys).collect()),
        Value::Object(mut object) => {
            let name = match object.get("patternProperties") {
                Some(Value::Object(patterns)) if patterns.len() == 1 && !object.contains_key("properties") => {
                    patterns.iter().next().and_then(|(pattern, value)| {
                        let format = FORMATS.iter().find(|format| format.pattern == pattern)?;
                        Some((format, value.clone()))
                    })
                }
                _ => None,
            };
            if let Some((format, value)) = name {
                object.remove("patternProperties");
                object.insert("additionalProperties".to_owned(), value);
                object.insert("propertyNames".to_owned(), json!({ "format": format.word, "pattern": format.pattern }));
            }
            Value::Object(object.into_iter().map(|(key, value)| (key, named_keys(value))).collect())
        }
        other => other,
    }
}

/// Leaves out the pattern beside a format of our own: the format's check says more, and says it once.
fn without_patterns(schema: Value) -> Value {
    match schema {
        Value::Array(items) => Value::Array(items.into_iter().map(without_patterns).collect()),
        Value::Object(mut object) => {
            let named = object.get("format").and_then(Value::as_str);
            if named.is_some_and(|word| FORMATS.iter().any(|format| format.word == word)) {
                object.remove("pattern");
            }
            Value::Object(object.into_iter().map(|(key, value)| (key, without_patterns(value))).collect())
        }
        other => other,
    }
}

/// The same, for a schema that was made otherwise.
pub(crate) fn arranged(schema: Value) -> Value {
    sorted(named_keys(schema))
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        Value::Object(object) => {
            let mut entries: Vec<(String, Value)> =
                object.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect::<Map<_, _>>())
        }
        other => other,
    }
}
