//! The marker of a transaction: what an interrupted run leaves for the next one.

use serde::{Deserialize, Serialize};

use super::Listener;
use crate::diagnostic::Report;
use crate::edge::record::{self, Record};

/// How far a transaction has come.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The live tree is about to change; the candidate was proven in a copy.
    Begun,
    /// The live tree has changed and passed nginx's test: a reload is pending.
    Validated,
}

/// The record of a transaction that is under way, written before its work begins and removed after it succeeded.
///
/// It holds what an undo needs: the text that was last proven, and the welcome link that was retired.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Marker {
    /// 1.
    pub version: u32,
    /// Which transaction.
    pub listener: Listener,
    /// How far it has come.
    pub stage: Stage,
    /// The text that is being installed; absent when the file is being removed.
    pub candidate: Option<String>,
    /// The text that was there and was last proven; absent before a first installation.
    pub previous: Option<String>,
    /// Where the retired welcome link pointed to; absent when none was retired.
    pub welcome: Option<String>,
    /// Whether nginx was running before.
    pub running: bool,
    /// Whether nginx was started at boot before.
    pub enabled: bool,
}

impl Record for Marker {
    const WHAT: &'static str = "the marker of an edge transaction";
    const REMEDY: &'static str =
        "look at what it holds, bring the edge's files into the state that you want, then remove it";

    fn version(&self) -> u32 {
        self.version
    }
}

impl Marker {
    /// The marker as it is written.
    pub fn to_text(&self) -> String {
        record::to_text(self)
    }

    /// Reads a marker; `edge/marker-unreadable` for anything else, for guessing would undo the wrong thing.
    pub fn parse(path: &str, text: &str) -> Result<Self, Report> {
        record::parse(path, text)
    }

    /// The same marker, one stage on.
    #[must_use]
    pub fn validated(&self) -> Self {
        Self { stage: Stage::Validated, ..self.clone() }
    }

    /// Whether an undo would change nothing: the text that is there is the one that was proven, and no link was retired.
    pub(super) fn restores_nothing(&self) -> bool {
        self.previous == self.candidate && self.welcome.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::{Listener, Marker, Stage};

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is() {
        let marker = Marker {
            version: 1,
            listener: Listener::Http,
            stage: Stage::Begun,
            candidate: Some("a\n".into()),
            previous: None,
            welcome: Some("/etc/nginx/sites-available/default".into()),
            running: true,
            enabled: false,
        };
        assert_eq!(Marker::parse("m", &marker.to_text()).unwrap(), marker);
        assert_eq!(Marker::parse("m", &marker.validated().to_text()).unwrap().stage, Stage::Validated);
        for bad in ["", "{}", &marker.to_text().replace("\"version\": 1", "\"version\": 2")] {
            let report = Marker::parse("m", bad).unwrap_err();
            assert_eq!(report.diagnostics()[0].code.name(), "edge/marker-unreadable", "{bad}");
        }
    }
}
