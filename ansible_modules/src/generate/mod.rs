//! What is made from the types of modules and plugins: documentation, action plugins, argument specifications, and their pages in the
//! documentation.

mod action;
mod plugin;
mod reference;
mod specification;
mod stub;
mod yaml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::module::Entry;
use crate::plugin::PLUGINS;
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
    let pages = [
        (PathBuf::from("../docs/reference/modules.md"), reference::of(modules)),
        (PathBuf::from("../docs/reference/plugins.md"), reference::of_plugins(PLUGINS)),
    ];
    each.chain([specification]).chain(pages).chain(PLUGINS.iter().flat_map(plugin::of)).collect()
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
