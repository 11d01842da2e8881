//! From what is there to the steps that lead to the goal.

use super::{Listener, Marker, Stage, Step};
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::edge::codes;
use crate::edge::inspect::RestartReason;

/// The link that Debian's package enables its welcome site with.
pub const WELCOME_SITE: &str = "/etc/nginx/sites-enabled/default";

/// Whether a link at [`WELCOME_SITE`] that points there is the package's own.
pub fn is_welcome_target(target: &str) -> bool {
    ["/etc/nginx/sites-available/default", "../sites-available/default"].contains(&target)
}

/// What a transaction is to reach.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Goal {
    /// Which listener.
    pub listener: Listener,
    /// The text of its file; `None` if there is to be no such listener.
    pub text: Option<String>,
    /// Whether nginx may be restarted where a reload is not enough.
    pub allow_restart: bool,
    /// Whether the package's welcome site is to go.
    pub retire_welcome: bool,
}

/// What was observed, as far as the steps depend on it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Situation {
    /// The text of the listener's file.
    pub live: Option<String>,
    /// What an interrupted run left.
    pub marker: Option<Marker>,
    /// Where the package's welcome link points to, if it stands and its site is as the package made it.
    pub welcome: Option<String>,
    /// Whether nginx runs.
    pub running: bool,
    /// Whether nginx is started at boot.
    pub enabled: bool,
    /// Whether a running nginx serves what the files say; looked at only where nothing else calls for a reload.
    pub served: bool,
    /// Why a reload would not be enough for the goal.
    pub restart: Vec<RestartReason>,
}

/// The steps that lead to the goal; none if it is reached.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Plan {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The marker that the steps work under, as it is at their end.
    pub marker: Option<Marker>,
    /// Whether an interrupted run is being completed.
    pub resumes: bool,
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether all that is left is what an interrupted run had still to do after it had validated the files: the reload, and its
    /// proof.
    pub fn only_completes(&self) -> bool {
        self.resumes && !self.steps.contains(&Step::Test)
    }

    /// The words of the steps.
    pub fn words(&self) -> Vec<&'static str> {
        self.steps.iter().map(Step::word).collect()
    }
}

/// The steps from the situation to the goal. `edge/restart-needed` if a reload would not be enough and no restart is allowed.
///
/// The restore point is the text that was last proven: the live one, or the one that an interrupted run has recorded. With the
/// input unchanged, an interruption after validation leaves only the reload and its proof to be done.
pub fn plan(goal: &Goal, situation: &Situation) -> Result<Plan, Report> {
    let marker = marker(goal, situation);
    let write = situation.live != goal.text;
    let retire = marker.welcome.is_some() && situation.welcome.is_some();
    let serves = goal.text.is_some();
    if !write && !retire && situation.marker.is_none() && (!serves || (situation.running && situation.served)) {
        let steps = if situation.enabled || !serves { Vec::new() } else { vec![Step::Enable] };
        return Ok(Plan { steps, marker: None, resumes: false });
    }
    let activation = activation(goal, situation)?;
    let validated = situation.marker.as_ref().is_some_and(|left| left.stage == Stage::Validated);
    let pending = validated && !write && !retire && situation.marker.as_ref() == Some(&marker.validated());
    let mut steps = Vec::new();
    if !pending {
        if write || retire {
            steps.push(Step::Mark(marker.clone()));
        }
        if retire {
            steps.push(Step::RetireWelcome);
        }
        if write {
            steps.push(goal.text.clone().map_or(Step::Remove, Step::Write));
        }
        steps.push(Step::Test);
        steps.push(Step::Mark(marker.validated()));
    }
    if !situation.enabled && serves {
        steps.push(Step::Enable);
    }
    if let Some(activation) = activation {
        steps.extend([activation, Step::Prove]);
    }
    steps.push(Step::Clear);
    Ok(Plan { steps, marker: Some(marker.validated()), resumes: situation.marker.is_some() })
}

/// The marker of this transaction: an interrupted one goes on with its restore point.
fn marker(goal: &Goal, situation: &Situation) -> Marker {
    let left = situation.marker.as_ref();
    Marker {
        version: 1,
        listener: goal.listener,
        stage: Stage::Begun,
        candidate: goal.text.clone(),
        previous: left.map_or(&situation.live, |left| &left.previous).clone(),
        welcome: left
            .and_then(|left| left.welcome.clone())
            .or_else(|| situation.welcome.clone().filter(|_| goal.retire_welcome)),
        running: left.map_or(situation.running, |left| left.running),
        enabled: left.map_or(situation.enabled, |left| left.enabled),
    }
}

/// The step that makes nginx read its files; none where it does not run and nothing is to be served.
fn activation(goal: &Goal, situation: &Situation) -> Result<Option<Step>, Report> {
    if !situation.running {
        return Ok(goal.text.is_some().then_some(Step::Start));
    }
    if situation.restart.is_empty() {
        return Ok(Some(Step::Reload));
    }
    if goal.allow_restart {
        return Ok(Some(Step::Restart));
    }
    let reasons: Vec<String> = situation.restart.iter().map(ToString::to_string).collect();
    Err(Diagnostic::error(codes::RESTART_NEEDED, format!("a reload is not enough: {}", reasons.join("; ")))
        .at(
            Place::named(goal.listener.file()),
            "nginx -t and the reload itself would succeed, and nothing would change",
        )
        .help("allow a restart (`edge_allow_restart: true`), which drops open connections, or keep the listen address")
        .into())
}
