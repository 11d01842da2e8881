//! The committed schemas are those of the types. `PHAROS_UPDATE_SCHEMAS=1` writes them, and so does `PHAROS_UPDATE=1`
//! with everything else that is generated.

use std::collections::BTreeSet;
use std::path::Path;

use pharos_core::schemas;

#[test]
fn committed_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalogue/schema");
    let update = ["PHAROS_UPDATE", "PHAROS_UPDATE_SCHEMAS"].iter().any(|word| std::env::var_os(word).is_some());
    let mut known = BTreeSet::new();
    for (name, generate) in schemas::COMMITTED {
        known.insert((*name).to_owned());
        let (path, text) = (folder.join(name), schemas::text(&generate()));
        if update {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "{name} differs from its type: run this test with PHAROS_UPDATE_SCHEMAS=1");
    }
    let found: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, known, "every file there is a committed schema");
}

/// RE2 and ECMAScript engines read the patterns: no look-around.
#[test]
fn patterns_have_no_look_around() {
    for (name, generate) in schemas::COMMITTED {
        let text = generate().to_string();
        for group in ["(?=", "(?!", "(?<"] {
            assert!(!text.contains(group), "{name} has {group}");
        }
    }
}

/// The catalogue's schema has that of an extension, and every reference in it leads somewhere; a chart that takes the catalogue's own
/// type leaves it out.
#[test]
fn the_catalogues_schema_has_that_of_an_extension() {
    let (_, generate) = schemas::COMMITTED.iter().find(|(name, _)| *name == "catalogue.json").unwrap();
    let schema = generate();
    let extension = schema.pointer("/$defs/extension/properties").unwrap().as_object().unwrap();
    assert!(["version", "name", "namespace", "routes"].iter().all(|key| extension.contains_key(*key)));
    assert!(pharos_core::document::schema::<pharos_core::catalogue::CatalogueDocument>().get("$defs").is_none());

    let judge = serde_json::json!({ "$ref": "#/$defs/extension", "$defs": schema["$defs"], "definitions": schema["definitions"] });
    let validator = jsonschema::draft7::new(&judge).unwrap();
    let golden =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/extension/v1.yaml")).unwrap();
    let mut value: serde_json::Value = serde_yaml::from_str(&golden).unwrap();
    assert!(validator.is_valid(&value));
    value["routes"][0].as_object_mut().unwrap().remove("host");
    assert!(!validator.is_valid(&value));
}
