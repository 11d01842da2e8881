//! Records of plans: written in the newest version, read in every one there was.

use serde::Deserialize;
use serde_json::Value;

use super::{Fingerprint, Plan, codes};
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::name::EnvironmentName;

/// The newest version.
pub const VERSION: u32 = 2;

/// Makes of a record of one version one of the next; `UPGRADES[0]` makes version 2 of version 1.
type Upgrade = fn(Value) -> Value;

const UPGRADES: &[Upgrade] = &[without_seen_edge_certificates];

/// Version 1 had room for the certificates of edge hosts, which no plan has ever contacted: version 2 has it no more.
fn without_seen_edge_certificates(mut plan: Value) -> Value {
    if let Some(seen) = plan.get_mut("observations").and_then(Value::as_object_mut) {
        seen.remove("certificates");
    }
    let hosts = plan.pointer_mut("/edge/hosts").and_then(Value::as_array_mut);
    for certificate in hosts.into_iter().flatten().filter_map(|host| host.get_mut("certificate")?.as_object_mut()) {
        certificate.remove("issuer");
        certificate.remove("not_after");
    }
    if let Some(keys) = plan.as_object_mut() {
        keys.insert("version".to_owned(), 2.into());
    }
    plan
}

/// A record, as far as this release understands it.
#[derive(Clone, Debug)]
pub enum Recorded {
    /// A plan.
    Known(Box<Plan>),
    /// A plan of a newer release: it can be shown as what it is, and authorises nothing.
    Newer {
        /// Its version.
        version: u64,
        /// What it holds.
        document: Value,
    },
}

impl Recorded {
    /// The plan, for whoever needs to understand it.
    ///
    /// # Errors
    /// `plan/newer` for a plan of a newer release.
    pub fn known(self, name: &str) -> Result<Plan, Report> {
        match self {
            Self::Known(plan) => Ok(*plan),
            Self::Newer { version, .. } => Err(newer(name, version)),
        }
    }
}

impl Recorded {
    /// Judges that it is a plan of this environment; one that does not say of which stays uncontested.
    ///
    /// # Errors
    /// `plan/other-environment`
    pub fn of(&self, name: &str, environment: &EnvironmentName) -> Result<(), Report> {
        let found = match self {
            Self::Known(plan) => plan.environment.as_str(),
            Self::Newer { document, .. } => {
                document.get("environment").and_then(Value::as_str).unwrap_or(environment.as_str())
            }
        };
        if found == environment.as_str() {
            return Ok(());
        }
        let message = format!("this is a plan of `{}`, and `{environment}` is asked for", found.escape_debug());
        Err(Diagnostic::error(codes::OTHER_ENVIRONMENT, message)
            .at(Place::named(name), "the newest plan in the directory of the records")
            .help("two environments never share records: leave `STATE_DIR` out, or name a directory of this environment's own")
            .into())
    }
}

pub(super) fn newer(name: &str, version: u64) -> Report {
    Diagnostic::error(
        codes::NEWER,
        format!("version {version} of this record is newer than this release, which reads up to {VERSION}"),
    )
    .at(Place::named(name), "")
    .help("use the newer release; until then `pharos plan show` shows what the record holds, and nothing may change by it")
    .into()
}

/// The refusal of the pointer to the newest plan.
pub(super) fn damaged(name: &str) -> Report {
    Diagnostic::error(codes::UNREADABLE, "this does not name the newest plan")
        .at(Place::named(name), "")
        .help("every plan is still in `plans/`, and `pharos plan show FILE` reads it; move this file away together with `journal.jsonl`, and plan again")
        .into()
}

fn unreadable(name: &str, why: &str) -> Report {
    Diagnostic::error(codes::UNREADABLE, format!("this is no plan: {why}"))
        .at(Place::named(name), "")
        .help("name a record that `deploy-plan` wrote; a damaged one is restored from a copy, or planned anew")
        .into()
}

/// Reads a record. `name` is what messages call it.
///
/// # Errors
/// `plan/unreadable`
pub fn read(name: &str, bytes: &[u8]) -> Result<Recorded, Report> {
    let mut document: Value = serde_json::from_slice(bytes)
        .map_err(|error| unreadable(name, &format!("no JSON at line {}, column {}", error.line(), error.column())))?;
    let version = document.get("version").and_then(Value::as_u64).filter(|version| *version > 0);
    let Some(version) = version.filter(|_| document.get("fingerprints").is_some()) else {
        return Err(unreadable(name, "it has no `version` or no `fingerprints`"));
    };
    if version > u64::from(VERSION) {
        return Ok(Recorded::Newer { version, document });
    }
    let done = usize::try_from(version - 1).unwrap_or(usize::MAX);
    for upgrade in UPGRADES.get(done..).unwrap_or_default() {
        document = upgrade(document);
    }
    // The words of the decoder may quote what was written; they are of a public record.
    let plan = Plan::deserialize(&document).map_err(|error| unreadable(name, &error.to_string()))?;
    Ok(Recorded::Known(Box::new(plan)))
}

/// Whether a record is the one that the journal tells of.
///
/// # Errors
/// `plan/unreadable`, `plan/changed`
pub fn unchanged(name: &str, bytes: &[u8], recorded: &Fingerprint) -> Result<(), Report> {
    // Of what is written and not of the plan, which an upgrade may have made.
    let document: Value = serde_json::from_slice(bytes).map_err(|_| unreadable(name, "it is no JSON"))?;
    let found = Fingerprint::of(&document);
    if found == *recorded {
        return Ok(());
    }
    Err(Diagnostic::error(codes::CHANGED, "this is not the plan that was recorded")
        .at(Place::named(name), format!("it is {found}"))
        .at(Place::named("journal"), format!("recorded as {recorded}"))
        .help("the file was changed or damaged since: restore it from a copy, or plan again")
        .into())
}

/// The text of a record: indented JSON with a final newline, equal for equal plans.
pub fn write(plan: &Plan) -> String {
    // Every key of a plan is a text and every number an integer, so that it has a JSON form.
    let mut text = serde_json::to_string_pretty(plan).unwrap_or_default();
    text.push('\n');
    text
}
