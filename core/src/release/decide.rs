//! What is to be done with a release.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::{self, Revision, Said, State};
use super::{ChartWords, codes};
use crate::diagnostic::{Diagnostic, Place, Report};

/// A release as it is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The name of its chart.
    pub chart: String,
    /// The version of its chart; without one the chart is known by its values alone.
    pub version: Option<String>,
    /// What names the chart to Helm.
    pub words: ChartWords,
    /// The values, all of them.
    pub values: Value,
    /// Whether the namespace is made if it is not there.
    pub creates_namespace: bool,
    /// How long Helm waits for what it applied, in its words: `5m`.
    pub timeout: String,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Nothing: it is as it is wanted.
    Unchanged,
    /// It is installed.
    Install,
    /// It is given a new revision.
    Upgrade,
}

/// What comes before, where an earlier run was interrupted or failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Recovery {
    /// The revision that stood is brought back.
    RollBack(u32),
    /// What never stood is removed.
    Uninstall,
}

/// What is to be done with a release, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What comes first. After it the release is looked at and decided on again.
    pub recovery: Option<Recovery>,
    /// What is to be done.
    pub action: Action,
    /// The last revision; 0 if there is none.
    pub revision: u32,
    /// Why something is done.
    pub reasons: Vec<String>,
}

/// Decides on a release: `history` is the answer of `helm history`, `recorded` that of `helm get values`, both with `--output=json`.
///
/// A pending release is taken for an interrupted one: the caller holds the environment's lock, and Helm itself leaves no sign of life.
///
/// # Errors
/// `release/unreadable`, `release/being-removed`, `release/foreign-chart` and `release/downgrade`
pub fn decide(wanted: &Wanted, history: &Said, recorded: &Said) -> Result<Decision, Report> {
    let revisions = record::history(&wanted.name, history)?;
    let Some(last) = revisions.last() else {
        return Ok(install(0, "it is not there".to_owned()));
    };
    let version = wanted.version_of(last)?;
    let decision = match last.status {
        State::Uninstalling => return Err(wanted.being_removed().into()),
        State::Uninstalled => install(last.revision, "it was removed".to_owned()),
        State::PendingInstall | State::PendingUpgrade | State::PendingRollback => interrupted(last, &revisions),
        State::Failed if stood(&revisions).is_none() => interrupted(last, &revisions),
        State::Failed | State::Superseded => {
            upgrade(last, vec![format!("revision {} is {}", last.revision, last.status.word())])
        }
        State::Deployed => {
            let mut reasons = Vec::new();
            if let Some(to) = wanted.version.as_deref().filter(|to| *to != version) {
                reasons.push(format!("its chart is {version}, and {to} is wanted"));
            }
            let present = record::values(&wanted.name, recorded)?;
            reasons.extend(moved(&present, &wanted.values));
            upgrade(last, reasons)
        }
    };
    wanted.judge_version(version)?;
    Ok(decision)
}

/// Judges what Helm answered when it was to install or upgrade a release; `history` was asked for after that.
///
/// # Errors
/// `release/not-applied`, with what stands now; `release/unreadable`
pub fn judge_applied(wanted: &Wanted, applied: &Said, history: &Said) -> Result<(), Report> {
    if applied.rc == 0 {
        return Ok(());
    }
    let revisions = record::history(&wanted.name, history)?;
    let (now, help) = match revisions.last() {
        None => ("nothing of it is left".to_owned(), "mend what Helm names, then run this again"),
        Some(last) if last.status == State::Deployed => (
            format!("what stood before stands again, as revision {}", last.revision),
            "mend what Helm names, then run this again",
        ),
        Some(last) => (
            format!("revision {} is {}", last.revision, last.status.word()),
            "mend what Helm names, then run this again: what stood before is then brought back first",
        ),
    };
    let message = format!("Helm could not apply release `{}`; {now}: {}", wanted.name, applied.words());
    let place = format!("in namespace {}", wanted.namespace);
    Err(Diagnostic::error(codes::NOT_APPLIED, message).at(wanted.place(), place).help(help).into())
}

fn install(revision: u32, reason: String) -> Decision {
    Decision { recovery: None, action: Action::Install, revision, reasons: vec![reason] }
}

/// A new revision, if there is a reason for one.
fn upgrade(last: &Revision, reasons: Vec<String>) -> Decision {
    let action = if reasons.is_empty() { Action::Unchanged } else { Action::Upgrade };
    Decision { recovery: None, action, revision: last.revision, reasons }
}

fn interrupted(last: &Revision, revisions: &[Revision]) -> Decision {
    let reasons = vec![format!("revision {} is {}", last.revision, last.status.word())];
    let (recovery, action) = match stood(revisions) {
        Some(revision) => (Recovery::RollBack(revision), Action::Upgrade),
        None => (Recovery::Uninstall, Action::Install),
    };
    Decision { recovery: Some(recovery), action, revision: last.revision, reasons }
}

/// The revision that stands, or that stood last. Helm notes that a revision was superseded shortly before it notes that its successor is
/// deployed.
fn stood(revisions: &[Revision]) -> Option<u32> {
    let last = |state| revisions.iter().rev().find(|revision| revision.status == state);
    last(State::Deployed).or_else(|| last(State::Superseded)).map(|revision| revision.revision)
}

/// The values that differ, by their pointers; never what they are.
fn moved(present: &Value, wanted: &Value) -> Vec<String> {
    const SHOWN: usize = 8;
    let mut pointers = Vec::new();
    differences(present, wanted, "", &mut pointers);
    let more = pointers.len().saturating_sub(SHOWN);
    pointers.truncate(SHOWN);
    let mut reasons: Vec<String> = pointers.into_iter().map(|pointer| format!("the value {pointer} differs")).collect();
    if more > 0 {
        reasons.push(format!("{more} more values differ"));
    }
    reasons
}

fn differences(present: &Value, wanted: &Value, at: &str, found: &mut Vec<String>) {
    match (present, wanted) {
        (Value::Object(present), Value::Object(wanted)) => {
            let keys: std::collections::BTreeSet<&String> = present.keys().chain(wanted.keys()).collect();
            for key in keys {
                let below = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (present.get(key), wanted.get(key)) {
                    (Some(present), Some(wanted)) => differences(present, wanted, &below, found),
                    _ => found.push(below),
                }
            }
        }
        (Value::Array(present), Value::Array(wanted)) if present.len() == wanted.len() => {
            for (index, (present, wanted)) in present.iter().zip(wanted).enumerate() {
                differences(present, wanted, &format!("{at}/{index}"), found);
            }
        }
        _ if present == wanted => {}
        _ => found.push(if at.is_empty() { "/".to_owned() } else { at.to_owned() }),
    }
}

impl Wanted {
    /// The words that Helm is given to recover.
    pub fn recover(&self, decision: &Decision) -> Vec<String> {
        let words = match decision.recovery {
            None => return Vec::new(),
            Some(Recovery::RollBack(revision)) => vec!["rollback".to_owned(), self.name.clone(), revision.to_string()],
            Some(Recovery::Uninstall) => vec!["uninstall".to_owned(), self.name.clone()],
        };
        words.into_iter().chain(self.where_and_how_long()).chain(["--wait".to_owned()]).collect()
    }

    /// The words that Helm is given to install or upgrade; the values follow on its standard input. What fails is rolled back by Helm.
    pub fn apply(&self, decision: &Decision) -> Vec<String> {
        if decision.action == Action::Unchanged {
            return Vec::new();
        }
        let words = ["upgrade", "--install", self.name.as_str()].map(str::to_owned);
        let namespace = self.creates_namespace.then(|| "--create-namespace".to_owned());
        let rest = ["--atomic", "--reset-values", "--values=-"].map(str::to_owned);
        let words = words.into_iter().chain(self.words.iter().cloned()).chain(self.where_and_how_long());
        words.chain(namespace).chain(rest).collect()
    }

    fn where_and_how_long(&self) -> [String; 2] {
        [format!("--namespace={}", self.namespace), format!("--timeout={}", self.timeout)]
    }

    fn place(&self) -> Place {
        Place::named(&format!("release {}", self.name))
    }

    /// The version of a revision's chart, which must be the chart that is wanted.
    fn version_of<'r>(&self, revision: &'r Revision) -> Result<&'r str, Diagnostic> {
        let rest = revision.chart.strip_prefix(self.chart.as_str()).and_then(|rest| rest.strip_prefix('-'));
        rest.filter(|version| version.starts_with(|c: char| c.is_ascii_digit())).ok_or_else(|| {
            let message = format!("`{}` is a release of {}, not of `{}`", self.name, revision.chart, self.chart);
            Diagnostic::error(codes::FOREIGN_CHART, message).at(self.place(), format!("in namespace {}", self.namespace)).help(
                "look at who installed it; it is left alone. Remove it with `helm uninstall`, or have its owner rename it",
            )
        })
    }

    fn judge_version(&self, present: &str) -> Result<(), Diagnostic> {
        let Some(wanted) = &self.version else { return Ok(()) };
        match (numbers(present), numbers(wanted)) {
            (Some(before), Some(after)) if before > after => {
                let message = format!("`{}` would go back from {present} to {wanted}", self.name);
                Err(Diagnostic::error(codes::DOWNGRADE, message)
                    .at(self.place(), "the cluster is ahead of this checkout")
                    .help("take the checkout that installed it, or one that is newer; to go back, restore what was before the upgrade"))
            }
            _ => Ok(()),
        }
    }

    fn being_removed(&self) -> Diagnostic {
        Diagnostic::error(codes::BEING_REMOVED, format!("`{}` is being removed", self.name))
            .at(self.place(), format!("{} in namespace {}", State::Uninstalling.word(), self.namespace))
            .help(format!(
                "finish that first: `helm uninstall {} --namespace {} --wait`, then run this again",
                self.name, self.namespace
            ))
    }
}

/// The three numbers of a version; what follows them is left out.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let plain = version.split(['-', '+']).next()?;
    let numbers: Vec<u64> = plain.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}
