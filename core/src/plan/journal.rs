//! The journal of an environment: one line an entry, each bound to the one before by its hash.
//!
//! A hash that does not fit tells that a line was damaged or changed, a chain that does not close that lines were removed or moved.
//! The chain does not bind an owner who rewrites all of it. A writer that is killed leaves at most a part of a last line, which is
//! told, and repaired by the next entry.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Fingerprint, Operation, codes};
use crate::certificate::UnixTime;
use crate::diagnostic::{Diagnostic, Findings, Report, Source};

/// What works in spite of a fault of the journal, and how it goes on.
const GO_ON: &str = "every plan can still be read (`pharos plan show FILE`), and none is recorded until the journal is sound: restore it \
    from a copy, or move `journal.jsonl` and `latest.json` away as evidence, and the next plan begins a new one";

/// The newest version of an entry.
pub const VERSION: u32 = 1;

/// What happened.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A plan was recorded.
    Planned,
}

impl Event {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Planned => "planned",
        }
    }
}

/// One entry.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// 1.
    pub version: u32,
    /// Its number, from 1.
    pub sequence: u64,
    /// When.
    pub at: UnixTime,
    /// What happened.
    pub event: Event,
    /// By which operation.
    pub operation: Operation,
    /// The fingerprint of the plan that it is about.
    pub plan: Fingerprint,
    /// The hash of the entry before; `None` for the first.
    pub previous: Option<Fingerprint>,
    /// The hash of this entry: of everything above.
    pub hash: Fingerprint,
}

/// What is to be entered.
#[derive(Clone, Debug)]
pub struct News {
    /// When.
    pub at: UnixTime,
    /// What happened.
    pub event: Event,
    /// By which operation.
    pub operation: Operation,
    /// The fingerprint of the plan that it is about.
    pub plan: Fingerprint,
}

/// A journal that was read and whose chain closes.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// Its entries, the oldest first.
    pub entries: Vec<Entry>,
    /// How many bytes of the text are whole lines; what follows is a part of a line that a killed writer left.
    pub whole: usize,
}

/// The end of a journal, as it was recorded elsewhere: a journal that ends before was cut short.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The number of the entry.
    pub sequence: u64,
    /// Its hash.
    pub hash: Fingerprint,
}

/// An entry without its hash, in the form that is hashed.
#[derive(Serialize)]
struct Hashed<'e> {
    version: u32,
    sequence: u64,
    at: UnixTime,
    event: Event,
    operation: Operation,
    plan: &'e Fingerprint,
    previous: &'e Option<Fingerprint>,
}

impl Entry {
    fn computed(&self) -> Fingerprint {
        let Self { version, sequence, at, event, operation, plan, previous, hash: _ } = self;
        Fingerprint::of(&Hashed {
            version: *version,
            sequence: *sequence,
            at: *at,
            event: *event,
            operation: *operation,
            plan,
            previous,
        })
    }

    /// The line of the journal, with its end.
    pub fn line(&self) -> String {
        let mut line = String::from_utf8(super::fingerprint::canonical(self)).unwrap_or_default();
        line.push('\n');
        line
    }
}

impl Journal {
    /// The entry that comes next.
    pub fn next(&self, news: News) -> Entry {
        let last = self.entries.last();
        let News { at, event, operation, plan } = news;
        let mut entry = Entry {
            version: VERSION,
            sequence: last.map_or(1, |last| last.sequence + 1),
            at,
            event,
            operation,
            previous: last.map(|last| last.hash.clone()),
            hash: plan.clone(),
            plan,
        };
        entry.hash = entry.computed();
        entry
    }

    /// Its end.
    pub fn head(&self) -> Option<Head> {
        self.entries.last().map(|last| Head { sequence: last.sequence, hash: last.hash.clone() })
    }

    /// Judges it by an end that was recorded elsewhere.
    ///
    /// # Errors
    /// `plan/journal-short` if that entry is not, or no longer, in it.
    pub fn reaches(&self, name: &str, head: &Head) -> Result<(), Report> {
        if self.entries.iter().any(|entry| entry.sequence == head.sequence && entry.hash == head.hash) {
            return Ok(());
        }
        let message = format!("entry {}, which was recorded, is not in the journal", head.sequence);
        let last =
            self.entries.last().map_or("it is empty".to_owned(), |last| format!("it ends at entry {}", last.sequence));
        Err(Diagnostic::error(codes::JOURNAL_SHORT, message)
            .at(Source::private(name, "").whole(), last)
            .help(format!("what the entries after its end told is lost; {GO_ON}"))
            .into())
    }
}

/// Reads a journal: its entries, if every line is sound and the chain closes. The report may hold a warning beside.
///
/// # Errors
/// `plan/journal-damaged`, `plan/journal-broken`, `plan/journal-newer`, each at its line.
pub fn read(source: &Arc<Source>) -> Result<(Journal, Report), Report> {
    let text = source.text();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut findings = Findings::new();
    let mut journal = Journal { entries: Vec::new(), whole };
    let mut start = 0;
    // After a line that cannot be read, nothing is known of the link that leads to it.
    let mut linked = true;
    for line in text.get(..whole).unwrap_or_default().split_inclusive('\n') {
        let span = start..start + line.trim_end().len();
        start += line.len();
        match entry(line) {
            Ok(entry) => {
                if linked && let Some(why) = unlinked(journal.entries.last(), &entry) {
                    findings.push(Diagnostic::error(codes::JOURNAL_BROKEN, why).at(source.place(span), "").help(
                        format!("lines before this one were removed or moved, and what they told is lost; {GO_ON}"),
                    ));
                }
                linked = true;
                journal.entries.push(entry);
            }
            Err(fault) => {
                findings.push(fault.at(source.place(span), ""));
                linked = false;
            }
        }
    }
    if whole < text.len() {
        findings.push(
            Diagnostic::warning(codes::JOURNAL_PARTIAL, "the last line is incomplete: its writer was killed")
                .at(source.place(whole..text.len()), "")
                .help("nothing is lost: what it would have told did not happen, and the next entry takes its place"),
        );
    }
    findings.conclude(journal)
}

/// The entry of a line, which carries its own hash.
fn entry(line: &str) -> Result<Entry, Diagnostic> {
    let damaged = |why: &str| {
        Diagnostic::error(codes::JOURNAL_DAMAGED, format!("this entry {why}"))
            .help(format!("the line was damaged or changed, and what it told is lost; {GO_ON}"))
    };
    let value: Value = serde_json::from_str(line).map_err(|_| damaged("is not JSON"))?;
    if let Some(version) = value.get("version").and_then(Value::as_u64)
        && version > u64::from(VERSION)
    {
        return Err(Diagnostic::error(
            codes::JOURNAL_NEWER,
            format!("version {version} of this entry is newer than this release"),
        )
        .help("use the newer release that wrote it"));
    }
    let entry: Entry = serde_json::from_value(value).map_err(|_| damaged("has not the fields of one"))?;
    if entry.computed() != entry.hash {
        return Err(damaged("does not have the hash that it states"));
    }
    // What is read in more than one form is written in one: any other was not written by a journal.
    if entry.line() == line { Ok(entry) } else { Err(damaged("is not written as entries are")) }
}

/// Why an entry does not follow on another; `None` if it does.
fn unlinked(last: Option<&Entry>, entry: &Entry) -> Option<String> {
    match last {
        None if entry.sequence == 1 && entry.previous.is_none() => None,
        None => Some(format!("the journal begins at entry {}, not at entry 1", entry.sequence)),
        Some(last) if entry.sequence == last.sequence + 1 && entry.previous.as_ref() == Some(&last.hash) => None,
        Some(last) if entry.sequence == last.sequence + 1 => {
            Some(format!("entry {} does not follow on this entry {}", entry.sequence, last.sequence))
        }
        Some(last) => Some(format!("entry {} stands after entry {}", entry.sequence, last.sequence)),
    }
}
