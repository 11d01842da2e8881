//! What an edge keeps of its own work from one run to the next: small JSON records, each of one version.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};

/// A record on the edge host.
pub(super) trait Record: DeserializeOwned + Serialize {
    /// What it is, for people: `the journal of an edge`.
    const WHAT: &'static str;
    /// What to do with a file in its place that is none.
    const REMEDY: &'static str;

    /// The version that it states; 1 is the only one.
    fn version(&self) -> u32;
}

/// A record as it is written.
pub(super) fn to_text(record: &impl Record) -> String {
    // Structs of strings, numbers, flags and unit variants always serialise.
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads a record; `edge/marker-unreadable` for anything else, for guessing would undo the wrong thing.
pub(super) fn parse<R: Record>(path: &str, text: &str) -> Result<R, Report> {
    let unreadable = |why: String| {
        let words = format!("this is not {}: {why}", R::WHAT);
        Report::from(Diagnostic::error(codes::MARKER_UNREADABLE, words).at(Place::named(path), "").help(R::REMEDY))
    };
    let record: R = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
    match record.version() {
        1 => Ok(record),
        other => Err(unreadable(format!("version {other} is unknown"))),
    }
}
