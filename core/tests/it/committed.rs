//! The documents of this repository and of others, as the tests read them.

use std::path::{Path, PathBuf};

use pharos_core::catalogue::CatalogueDocument;
use pharos_core::diagnostic::Source;
use pharos_core::document::{self, Document};
use pharos_core::policy::PolicyDocument;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads a text that must be a sound document, under a name.
pub(crate) fn parsed<T: DeserializeOwned + JsonSchema + 'static>(name: &str, text: &str) -> Document<T> {
    document::read(&Source::public(name, text)).unwrap_or_else(|report| panic!("{report}"))
}

/// Reads a file of the repository, known by its path there.
pub(crate) fn file<T: DeserializeOwned + JsonSchema + 'static>(path: &str) -> Document<T> {
    parsed(path, &std::fs::read_to_string(repository().join(path)).unwrap())
}

/// The catalogue of the platform.
pub(crate) fn catalogue() -> Document<CatalogueDocument> {
    file("catalogue/services.yaml")
}

/// The policy of an environment.
pub(crate) fn policy(environment: &str) -> Document<PolicyDocument> {
    file(&format!("environments/{environment}/policy.yaml"))
}

/// The names of all committed environments.
pub(crate) fn environments() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(repository().join("environments"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
