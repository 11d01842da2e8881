//! Documents of every released version are read, and what is written means the same to every reader; `golden/README.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pharos_core::catalogue::{CatalogueDocument, ExtensionDocument};
use pharos_core::edge::install::{Journal, Marker};
use pharos_core::policy::{EdgeEnvironment, PolicyDocument};
use pharos_core::{document, schemas};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::committed::parsed;
use crate::written::{TRICKY, Texts};

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(kind)
}

/// The documents of a kind, version by version: the versions have no gap.
fn versions(kind: &str, extension: &str) -> Vec<(String, String)> {
    let at = |number: usize| folder(kind).join(format!("v{number}.{extension}"));
    let found: Vec<_> = (1..100).map(at).take_while(|path| path.exists()).collect();
    assert!(!found.is_empty(), "{kind} has no golden file");
    let named = |path: PathBuf| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path);
    let read = |(name, path)| (name, std::fs::read_to_string(path).unwrap());
    found.into_iter().map(named).map(read).collect()
}

/// Compares a text with the committed one; `PHAROS_UPDATE=1` writes it.
fn is_committed(path: &Path, text: &str) {
    if std::env::var_os("PHAROS_UPDATE").is_some() {
        std::fs::write(path, text).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(committed, text, "{} is another one: read golden/README.md", path.display());
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// Every version of a kind is read; the newest is written, and read back by two readers.
fn is_read_and_written<T: DeserializeOwned + JsonSchema + Serialize + 'static>(kind: &str, schema: &Value) {
    let mut newest = None;
    for (version, text) in versions(kind, "yaml") {
        let value = parsed::<T>(&format!("{kind}/{version}.yaml"), &text).value;
        is_committed(&folder(kind).join(format!("{version}.value.json")), &pretty(&serde_json::json!(value)));
        newest = Some((value, text));
    }
    let (value, text) = newest.unwrap();
    let used = keys(&serde_yaml::from_str(&text).unwrap());
    let unused: Vec<_> = properties(schema).difference(&used).cloned().collect();
    assert!(unused.is_empty(), "the newest golden file of {kind} does not use {unused:?}");
    is_written::<T>(kind, &value);
}

fn is_written<T: DeserializeOwned + JsonSchema + Serialize + 'static>(kind: &str, value: &T) {
    let written = document::write(value).unwrap();
    let expected = serde_json::json!(value);
    assert_eq!(serde_json::json!(parsed::<T>(kind, &written).value), expected, "{written}");
    assert_eq!(serde_yaml::from_str::<Value>(&written).unwrap(), expected, "{written}");
    is_committed(&folder(kind).join("written.yaml"), &written);
}

/// The keys of all mappings.
fn keys(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Object(map) => {
            map.iter().flat_map(|(key, value)| [key.clone()].into_iter().chain(keys(value))).collect()
        }
        Value::Array(items) => items.iter().flat_map(keys).collect(),
        _ => BTreeSet::new(),
    }
}

/// The keys that a schema names.
fn properties(schema: &Value) -> BTreeSet<String> {
    match schema {
        Value::Object(map) => {
            let own = map.get("properties").and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys);
            own.cloned().chain(map.values().flat_map(properties)).collect()
        }
        Value::Array(items) => items.iter().flat_map(properties).collect(),
        _ => BTreeSet::new(),
    }
}

fn schema(name: &str) -> Value {
    let (_, generate) = schemas::COMMITTED.iter().find(|(known, _)| *known == name).unwrap();
    generate()
}

#[test]
fn catalogues() {
    // The committed one has that of a laboratory's extension as well.
    is_read_and_written::<CatalogueDocument>("catalogue", &document::schema::<CatalogueDocument>());
}

#[test]
fn extensions() {
    is_read_and_written::<ExtensionDocument>("extension", &schema("extension.json"));
}

#[test]
fn policies() {
    is_read_and_written::<PolicyDocument>("policy", &schema("policy.json"));
}

#[test]
fn edge_environments() {
    is_read_and_written::<EdgeEnvironment>("edge-environment", &schema("edge-environment.json"));
}

/// A host keeps the journal and the marker of the release that was there last, or was interrupted there.
#[test]
fn journals_and_markers_of_edge_transactions() {
    for (version, text) in versions("edge-journal", "json") {
        let journal = Journal::parse(&version, &text).unwrap_or_else(|report| panic!("{report}"));
        is_committed(
            &folder("edge-journal").join(format!("{version}.value.json")),
            &pretty(&serde_json::json!(journal)),
        );
    }
    for (version, text) in versions("edge-marker", "json") {
        let marker = Marker::parse(&version, &text).unwrap_or_else(|report| panic!("{report}"));
        is_committed(&folder("edge-marker").join(format!("{version}.value.json")), &pretty(&serde_json::json!(marker)));
    }
}

#[test]
fn texts_that_look_like_something_else() {
    let map = TRICKY.iter().map(|text| ((*text).to_owned(), format!("of {text}"))).collect();
    let texts = Texts { list: TRICKY.iter().map(|text| (*text).to_owned()).collect(), map };
    is_committed(&folder("texts").join("v1.value.json"), &pretty(&serde_json::json!(texts)));
    is_written("texts", &texts);
}

/// A kind that has a committed schema has a golden file: here, or where its own tests keep it.
#[test]
fn every_committed_schema_has_golden_files() {
    for (name, _) in schemas::COMMITTED {
        let kind = name.trim_end_matches(".json");
        let places = [folder(kind).join("v1.yaml"), folder("..").join(format!("{kind}s/version-1.json"))];
        assert!(places.iter().any(|path| path.exists()), "{name} has no golden file");
    }
}
