//! Versions of documents: which one a text has, and how an older one is read.

use serde_json::Value;

use super::codes;
use super::scalar::{Reading, readings};
use super::schema::Compiled;
use super::tree::{Style, Tree};
use crate::diagnostic::{Diagnostic, Findings};

/// Makes of a document of one version a document of the next. It is given what was written, unjudged, and leaves what it
/// does not understand as it is: the schema of the newest version judges the result.
pub type Upgrade = fn(Value) -> Value;

/// Which version a text has.
pub(super) enum Version<'u> {
    /// The newest, or the document has no versions, or its `version` is so wrong that the schema will say so.
    Newest,
    /// An older one, with the steps that lead to the newest.
    Older(&'u [Upgrade]),
    /// One that this release does not read; it has been reported.
    Unknown,
}

pub(super) fn of<'u>(
    tree: &Tree,
    compiled: &Compiled,
    upgrades: &'u [Upgrade],
    findings: &mut Findings,
) -> Version<'u> {
    let versioned = compiled.schema.pointer("/properties/version").is_some();
    let Some(entry) = tree.entry(tree.root(), "version").filter(|_| versioned) else {
        return Version::Newest;
    };
    let written = tree.text(entry.value).filter(|_| tree.style(tree.target(entry.value)) == Style::Plain);
    let Some(Reading::Int(number)) = written.and_then(readings).filter(super::scalar::Readings::agree).map(|r| r.core)
    else {
        return Version::Newest;
    };
    let newest = upgrades.len() as u64 + 1;
    match number.as_u64() {
        Some(version) if version == newest => Version::Newest,
        Some(version) if (1..newest).contains(&version) => {
            let done = usize::try_from(version - 1).unwrap_or(usize::MAX);
            Version::Older(upgrades.get(done..).unwrap_or_default())
        }
        _ => {
            let (words, help) = if number.as_u64().is_some_and(|version| version > newest) {
                (
                    format!("version {number} of this document is newer than this release"),
                    "use a newer release, which reads it",
                )
            } else {
                (
                    format!("there is no version {number} of this document"),
                    "write the version that the document was written for",
                )
            };
            let known =
                if newest == 1 { "version 1 is known".to_owned() } else { format!("versions 1 to {newest} are known") };
            findings.push(Diagnostic::error(codes::VERSION, words).at(tree.node_place(entry.value), known).help(help));
            Version::Unknown
        }
    }
}
