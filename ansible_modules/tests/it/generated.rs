//! What is generated for the collection is what is committed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pharos_modules::generate;

#[test]
fn generated_files_are_committed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let command = "cargo run -p pharos-modules -- --generate ansible_modules";
    for (path, text) in generate::files() {
        let committed = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
        assert!(committed == text, "{} differs from what `{command}` writes", path.display());
    }
}

#[test]
fn generated_folders_hold_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let generated: BTreeSet<PathBuf> = generate::files().into_keys().collect();
    for folder in ["plugins/action", "plugins/filter", "plugins/lookup", "plugins/modules", "plugins/test"] {
        for file in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = Path::new(folder).join(file.unwrap().file_name());
            assert!(generated.contains(&path) || path.ends_with("__pycache__"), "{} is not generated", path.display());
        }
    }
}

#[test]
fn the_collection_has_the_version_of_the_program() {
    let galaxy = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("galaxy.yml")).unwrap();
    assert!(galaxy.contains(concat!("\nversion: ", env!("CARGO_PKG_VERSION"), "\n")));
}
