//! The journal of an edge: how many transactions were begun on the host, and by whom the last one.
//!
//! A host's lock keeps two transactions apart. That a second administration machine has installed something between the judgement and
//! the transaction of a first one is seen by this number.

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Place, Report};
use crate::edge::codes;
use crate::edge::record::{self, Record};
use crate::file::Holder;

/// The journal, as it lies beside the markers.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// 1.
    pub version: u32,
    /// How many transactions were begun, of either listener.
    pub generation: u64,
    /// Who began the last one.
    pub last: Option<Holder>,
}

impl Default for Journal {
    /// That of a host on which nothing was begun yet.
    fn default() -> Self {
        Self { version: 1, generation: 0, last: None }
    }
}

impl Record for Journal {
    const WHAT: &'static str = "the journal of an edge";
    const REMEDY: &'static str = "remove it if nobody else installs this edge at the moment: it is begun anew";

    fn version(&self) -> u32 {
        self.version
    }
}

impl Journal {
    /// The journal as it is written.
    pub fn to_text(&self) -> String {
        record::to_text(self)
    }

    /// Reads a journal; `edge/marker-unreadable` for anything else.
    pub fn parse(path: &str, text: &str) -> Result<Self, Report> {
        record::parse(path, text)
    }

    /// The journal with one more transaction.
    #[must_use]
    pub fn next(&self, by: Holder) -> Self {
        Self { version: 1, generation: self.generation.saturating_add(1), last: Some(by) }
    }

    /// `edge/changed-meanwhile` unless this is the generation that was judged; nothing is compared where none is given.
    pub fn judge(&self, path: &str, judged: Option<u64>) -> Result<(), Report> {
        let Some(judged) = judged.filter(|judged| *judged != self.generation) else { return Ok(()) };
        let who = self.last.as_ref().map_or_else(|| "nobody".to_owned(), Holder::to_text);
        let words =
            format!("this edge was changed since it was judged: generation {judged} then, {} now", self.generation);
        Err(Diagnostic::error(codes::CHANGED_MEANWHILE, words)
            .at(Place::named(path), format!("the last change: {who}"))
            .help("run the playbook again, when the other run has ended: every edge is then judged anew")
            .into())
    }
}

#[cfg(test)]
mod tests {
    use super::Journal;
    use crate::file::Holder;

    fn holder() -> Holder {
        let text = |text: &str| text.to_owned();
        let (user, host, operation) = (text("ada"), text("edge1"), text("edge_config https"));
        Holder { user, host, pid: 7, operation, revision: String::new(), started: text("2026-01-02T03:04:05Z") }
    }

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is() {
        let journal = Journal::default().next(holder());
        assert_eq!(Journal::parse("j", &journal.to_text()).unwrap(), journal);
        for bad in ["", "{}", &journal.to_text().replace("\"version\": 1", "\"version\": 2")] {
            let report = Journal::parse("j", bad).unwrap_err();
            assert_eq!(report.diagnostics()[0].code.name(), "edge/marker-unreadable", "{bad}");
        }
    }

    #[test]
    fn another_generation_is_refused() {
        let journal = Journal::default().next(holder()).next(holder());
        assert!(journal.judge("j", None).is_ok() && journal.judge("j", Some(2)).is_ok());
        for judged in [0, 1, 3] {
            assert!(journal.judge("j", Some(judged)).is_err());
        }
    }
}
