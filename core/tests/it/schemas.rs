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
