//! Private files and locks: what was observed of them, refused.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test may panic as the test may"
)]

use pharos_core::diagnostic::Report;
use pharos_core::file::{Kind, Metadata, judge_ancestor, judge_private, lock_refusal};
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

/// What was observed. A `lock-held` fixture is the lock file instead.
#[derive(Deserialize)]
struct Observed {
    path: String,
    /// What is expected: `file`, `directory`, or `ancestor` for a directory above the private root.
    expected: String,
    kind: String,
    mode: String,
    owner: u32,
    caller: u32,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let text = fixture.source().text().to_owned();
    if fixture.what() == "lock-held" {
        return lock_refusal("/var/lib/pharos-edge/transactions/lock", &text);
    }
    let observed: Observed = serde_json::from_str(&text).unwrap();
    let mode = u32::from_str_radix(&observed.mode, 8).unwrap();
    let found = Metadata { kind: kind(&observed.kind), mode, owner: observed.owner };
    refused(match observed.expected.as_str() {
        "ancestor" => judge_ancestor(&observed.path, &found, observed.caller),
        expected => judge_private(&observed.path, kind(expected), &found, observed.caller),
    })
}

fn kind(word: &str) -> Kind {
    match word {
        "file" => Kind::File,
        "directory" => Kind::Directory,
        "link" => Kind::Link,
        _ => Kind::Other,
    }
}
