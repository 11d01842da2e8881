//! The marker of a restart: what an interrupted run leaves for the next one.

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Place, Report};
use crate::edge::codes;

/// The record of a changed binding, written before the file and removed after the restart succeeded.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BindingMarker {
    /// 1.
    pub version: u32,
    /// The unit that is to be restarted.
    pub unit: String,
    /// Whether it ran when its binding changed. One that did not is not started.
    pub running: bool,
}

impl BindingMarker {
    /// The name of a unit's marker in the folder of markers.
    pub fn file_name(unit: &str) -> String {
        format!("binding-{unit}.json")
    }

    /// The marker as it is written.
    pub fn to_text(&self) -> String {
        // Structs of strings and flags always serialise.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a marker; `edge/marker-unreadable` for anything else.
    pub fn parse(path: &str, text: &str) -> Result<Self, Report> {
        let unreadable = |why: String| {
            let words = format!("this is not the marker of a service's binding: {why}");
            let diagnostic = Diagnostic::error(codes::MARKER_UNREADABLE, words).at(Place::named(path), "");
            Report::from(diagnostic.help("restart the service if its origins changed, then remove the file"))
        };
        let marker: Self = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        if marker.version == 1 { Ok(marker) } else { Err(unreadable(format!("version {}", marker.version))) }
    }
}
