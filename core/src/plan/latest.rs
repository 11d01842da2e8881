//! The pointer to the newest record of an environment.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read::{damaged, newer};
use super::{Fingerprint, Plan, journal};
use crate::diagnostic::Report;

/// The newest version of the pointer.
const VERSION: u32 = 1;

/// Which plan is the newest, and how far the journal reached when it was recorded.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Latest {
    /// 1.
    pub version: u32,
    /// The name of the record's file.
    pub plan: String,
    /// The fingerprint of what is in it.
    pub fingerprint: Fingerprint,
    /// The journal's last entry.
    pub journal: journal::Head,
}

impl Latest {
    /// The pointer to a plan that was recorded with this entry.
    pub fn of(plan: &Plan, entry: &journal::Entry) -> Self {
        Self {
            version: VERSION,
            plan: file_name(plan),
            fingerprint: entry.plan.clone(),
            journal: journal::Head { sequence: entry.sequence, hash: entry.hash.clone() },
        }
    }

    /// Reads a pointer. `name` is what messages call it.
    ///
    /// # Errors
    /// `plan/unreadable`, `plan/newer`
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Report> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_| damaged(name))?;
        if let Some(version) =
            value.get("version").and_then(Value::as_u64).filter(|version| *version > u64::from(VERSION))
        {
            return Err(newer(name, version));
        }
        serde_json::from_value(value).map_err(|_| damaged(name))
    }

    /// Its text.
    pub fn write(&self) -> String {
        // Texts and integers alone: it has a JSON form.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The name of a plan's file: its instant, so that names sort by it, and the first digits of its fingerprint.
pub fn file_name(plan: &Plan) -> String {
    let at: String = plan.at.to_string().chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{at}-{}.json", plan.fingerprint().short())
}
