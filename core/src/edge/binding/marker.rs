//! The marker of a restart: what an interrupted run leaves for the next one.

use serde::{Deserialize, Serialize};

use crate::diagnostic::Report;
use crate::edge::record::{self, Record};

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

impl Record for BindingMarker {
    const WHAT: &'static str = "the marker of a service's binding";
    const REMEDY: &'static str = "restart the service if its origins changed, then remove the file";

    fn version(&self) -> u32 {
        self.version
    }
}

impl BindingMarker {
    /// The name of a unit's marker in the folder of markers.
    pub fn file_name(unit: &str) -> String {
        format!("binding-{unit}.json")
    }

    /// The marker as it is written.
    pub fn to_text(&self) -> String {
        record::to_text(self)
    }

    /// Reads a marker; `edge/marker-unreadable` for anything else.
    pub fn parse(path: &str, text: &str) -> Result<Self, Report> {
        record::parse(path, text)
    }
}
