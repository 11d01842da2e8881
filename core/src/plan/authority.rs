//! What a plan may authorise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Grade, Moved, Plan, codes, moved};
use crate::diagnostic::{Code, Diagnostic, Findings, Place, Report};

/// Why a plan authorises no change.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// It was made without looking at the site.
    Offline,
    /// The working tree has changes that are in no commit.
    Dirty,
    /// Something is refused.
    Refused,
}

impl Obstacle {
    /// What that means, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Offline => "it was made offline, and nothing was compared with the site itself",
            Self::Dirty => "the working tree has uncommitted changes, and a change is made from a commit",
            Self::Refused => "something in it is refused",
        }
    }

    const fn code(self) -> Code {
        match self {
            Self::Offline => codes::OFFLINE,
            Self::Dirty => codes::DIRTY,
            Self::Refused => codes::REFUSED,
        }
    }

    const fn help(self) -> &'static str {
        match self {
            Self::Offline => "plan again without OFFLINE=1",
            Self::Dirty => "commit the changes, or put them away, and plan again",
            Self::Refused => "mend what the plan's errors name and plan again",
        }
    }
}

/// What stands in the way of a change by this plan.
pub(super) fn obstacles(plan: &Plan) -> Vec<Obstacle> {
    let stands = [
        (plan.offline, Obstacle::Offline),
        (plan.revision.dirty, Obstacle::Dirty),
        (plan.count(Grade::Error) > 0, Obstacle::Refused),
    ];
    stands.into_iter().filter_map(|(there, obstacle)| there.then_some(obstacle)).collect()
}

/// Whether a recorded plan may authorise the operation that it is for. `name` is what messages call the record.
///
/// What a record states of itself is not believed where it can be computed: an offline plan is offline whatever its list of
/// obstacles says.
///
/// # Errors
/// `plan/offline`, `plan/dirty`, `plan/refused`: all that apply.
pub fn authorise(plan: &Plan, name: &str) -> Result<(), Report> {
    let mut findings = Findings::new();
    let mut stated = plan.obstacles.clone();
    stated.extend(obstacles(plan));
    stated.sort();
    stated.dedup();
    for obstacle in stated {
        findings.push(
            Diagnostic::error(obstacle.code(), format!("this plan authorises no change: {}", obstacle.words()))
                .at(Place::named(name), "")
                .help(obstacle.help()),
        );
    }
    findings.conclude(()).map(drop)
}

/// Whether what a pending operation was planned with still holds: a retry needs unchanged inputs and identities.
///
/// # Errors
/// `plan/moved`, once for everything that moved.
pub fn hold(recorded: &Plan, current: &Plan, name: &str) -> Result<(), Report> {
    let mut findings = Findings::new();
    for Moved { text, .. } in moved(recorded, current) {
        findings.push(
            Diagnostic::error(codes::MOVED, format!("since the plan was recorded: {text}"))
                .at(Place::named(name), "")
                .help("undo this, or plan anew: a plan is retried with what it was made from"),
        );
    }
    findings.conclude(()).map(drop)
}
