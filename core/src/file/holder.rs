//! Who holds a lock.

use serde::{Deserialize, Serialize};

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};

/// The holder of a lock, as it is written into the lock file for whoever is refused.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Holder {
    /// The login name.
    pub user: String,
    /// The machine's name.
    pub host: String,
    /// The process id there.
    pub pid: u32,
    /// What it is doing, in a word or two: `deploy`, `edge_config https`.
    pub operation: String,
    /// The source revision it works from; empty where there is none.
    pub revision: String,
    /// When it began, as RFC 3339.
    pub started: String,
}

impl Holder {
    /// One line for people.
    pub fn to_text(&self) -> String {
        let Self { user, host, pid, operation, revision, started } = self;
        let of = if revision.is_empty() { String::new() } else { format!(" of {revision}") };
        format!("`{operation}`{of} by {user} on {host}, process {pid}, since {started}")
    }
}

/// The refusal of a second holder, `file/lock-held`. `record` is the text of the lock file.
pub fn refusal(path: &str, record: &str) -> Report {
    let who = match serde_json::from_str::<Holder>(record) {
        Ok(holder) => holder.to_text(),
        Err(_) => "an operation that has not yet said who it is".to_owned(),
    };
    Diagnostic::error(codes::LOCK_HELD, format!("the lock is held: {who}"))
        .at(Place::named(path), "")
        .help("wait until it ends, or end that process; the lock goes with its holder and is never broken by age")
        .into()
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn the_refused_learns_who_holds_it() {
        let record = r#"{"user":"ada","host":"admin1","pid":71,"operation":"deploy","revision":"abc","started":"2026-01-02T03:04:05Z"}"#;
        let text = refusal("/run/x.lock", record).to_string();
        assert!(text.contains("`deploy` of abc by ada on admin1, process 71, since 2026-01-02T03:04:05Z"), "{text}");
        assert!(refusal("/run/x.lock", "").to_string().contains("not yet said"));
    }
}
