//! What the collection is given from the modules' types: documentation stubs, action plugins, argument specifications.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::registry;

/// Every generated file, by its path in the collection.
pub fn files() -> BTreeMap<PathBuf, String> {
    let _ = registry::MODULES;
    BTreeMap::new()
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
