//! What is made from the modules' types: documentation stubs, action plugins, argument specifications, and the page of the
//! modules in the documentation.

mod action;
mod reference;
mod specification;
mod stub;
mod yaml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::module::Entry;
use crate::registry;

/// Every generated file, by its path in the collection.
pub fn files() -> BTreeMap<PathBuf, String> {
    of(registry::MODULES)
}

/// The generated files of these modules.
pub fn of(modules: &[Entry]) -> BTreeMap<PathBuf, String> {
    let specification = (PathBuf::from("plugins/plugin_utils/modules.json"), specification::of(modules));
    let each = modules.iter().flat_map(|entry| {
        [
            (PathBuf::from(format!("plugins/action/{}.py", entry.name)), action::of(entry)),
            (PathBuf::from(format!("plugins/modules/{}.py", entry.name)), stub::of(entry)),
        ]
    });
    let reference = (PathBuf::from("../docs/reference/modules.md"), reference::of(modules));
    each.chain([specification, reference]).collect()
}

/// Writes the generated files under `directory`.
pub fn write(directory: &Path) -> std::io::Result<()> {
    for (path, text) in files() {
        let path = directory.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
