//! What leads from the binding that is there to the one that is wanted.

use super::{Binding, BindingMarker};
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::edge::codes;
use crate::edge::install::{Listener, Unit};
use crate::file::Kind;

/// What stands at the place of an `EnvironmentFile`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EnvironmentFile {
    /// Nothing.
    Absent,
    /// A file with this text.
    Text(String),
    /// Something else, or a file that is no text.
    Other(Kind),
}

/// How far the edge of the host has come.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct EdgeState {
    /// The listeners whose transaction is not complete.
    pub pending: Vec<Listener>,
    /// Whether nginx runs and the HTTPS listener's file is there.
    pub active: bool,
}

/// What was observed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BindingSituation {
    /// The unit.
    pub unit: Unit,
    /// Its file.
    pub file: EnvironmentFile,
    /// What an interrupted run left.
    pub marker: Option<BindingMarker>,
    /// The edge; `None` if it is judged before the edge is installed, which check mode does.
    pub edge: Option<EdgeState>,
}

/// A step.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum BindingStep {
    /// Write the marker.
    Mark(BindingMarker),
    /// Replace the file by one with this text.
    Write(String),
    /// Restart the unit.
    Restart,
    /// Remove the marker.
    Clear,
}

impl BindingStep {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Mark(_) => "mark",
            Self::Write(_) => "write",
            Self::Restart => "restart",
            Self::Clear => "clear",
        }
    }
}

/// The steps that lead to what is wanted, and what is shown of both.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct BindingPlan {
    /// Whether the service is installed on the host. Nothing is done for one that is not.
    pub installed: bool,
    /// Whether an interrupted run is completed.
    pub resumes: bool,
    /// The steps, in order.
    pub steps: Vec<BindingStep>,
    /// The lines of the binding as they are.
    pub before: String,
    /// The lines of the binding as they are wanted.
    pub after: String,
}

/// The steps from what is there to what is wanted.
///
/// # Errors
/// `edge/binding-file` for a file that cannot be changed safely, and `edge/binding-before-edge` as long as the edge does not serve what
/// was validated.
pub fn bind(binding: &Binding, there: &BindingSituation) -> Result<BindingPlan, Report> {
    if !is_installed(&there.unit) {
        return Ok(BindingPlan::default());
    }
    let text = text(binding, &there.file)?;
    let (applied, assignments) = binding.applied(text)?;
    let writes = applied != text;
    let mut plan = BindingPlan {
        installed: true,
        resumes: there.marker.is_some(),
        steps: Vec::new(),
        before: binding.shown(text, &assignments),
        after: binding.wanted(),
    };
    if !writes && there.marker.is_none() {
        return Ok(plan);
    }
    judge_edge(binding, there.edge.as_ref())?;
    // A service that failed ran: it is what a restart that did not succeed leaves.
    let running = there.marker.as_ref().is_some_and(|left| left.running) || !is_at_rest(&there.unit);
    let marker = BindingMarker { version: 1, unit: binding.unit().to_owned(), running };
    if there.marker.as_ref() != Some(&marker) {
        plan.steps.push(BindingStep::Mark(marker));
    }
    if writes {
        plan.steps.push(BindingStep::Write(applied));
    }
    if running {
        plan.steps.push(BindingStep::Restart);
    }
    plan.steps.push(BindingStep::Clear);
    Ok(plan)
}

fn is_installed(unit: &Unit) -> bool {
    !matches!(unit.load.as_str(), "" | "not-found")
}

fn is_at_rest(unit: &Unit) -> bool {
    matches!(unit.active.as_str(), "inactive" | "")
}

fn text<'a>(binding: &Binding, file: &'a EnvironmentFile) -> Result<&'a str, Report> {
    let (message, help) = match file {
        EnvironmentFile::Text(text) => return Ok(text),
        EnvironmentFile::Absent => (
            format!("the environment file of {} is not there", binding.unit()),
            "correct the path, or complete the service's installation: it writes this file".to_owned(),
        ),
        EnvironmentFile::Other(Kind::File) => (
            format!("the environment file of {} is not a text in UTF-8", binding.unit()),
            "look at what it holds: systemd would not take such lines".to_owned(),
        ),
        EnvironmentFile::Other(kind) => (
            format!("in the place of the environment file of {} is {}", binding.unit(), kind.words()),
            "name the file itself: what it leads to is not replaced".to_owned(),
        ),
    };
    Err(Diagnostic::error(codes::BINDING_FILE, message).at(Place::named(binding.file().as_str()), "").help(help).into())
}

/// A service is sent to the edge only when the edge serves what was validated.
fn judge_edge(binding: &Binding, edge: Option<&EdgeState>) -> Result<(), Report> {
    let Some(edge) = edge else { return Ok(()) };
    let why = match edge.pending.first() {
        Some(listener) => format!("the transaction of the {} listener is not complete", listener.word()),
        None if !edge.active => "nginx does not serve the HTTPS listener".to_owned(),
        None => return Ok(()),
    };
    let message = format!("{} is not retargeted before the edge is active: {why}", binding.unit());
    let diagnostic = Diagnostic::error(codes::BINDING_BEFORE_EDGE, message).at(Place::named(binding.unit()), "");
    Err(diagnostic
        .help("complete the edge first: `ansible-playbook playbooks/edge.yml` does both in this order")
        .into())
}

/// Judges a restarted unit, as it was found once it had time to fail.
///
/// # Errors
/// `edge/binding-restart-failed` unless it runs.
pub fn judge_restarted(binding: &Binding, unit: &Unit) -> Result<(), Report> {
    match unit.active.as_str() {
        "active" | "reloading" => Ok(()),
        state => Err(restart_failed(binding, &format!("it is {state} after the restart")).into()),
    }
}

/// `edge/binding-restart-failed`: systemd could not restart the unit. `said` is what it said.
pub fn restart_failed(binding: &Binding, said: &str) -> Diagnostic {
    let said = said.trim();
    let said = if said.is_empty() { "systemd does not say why" } else { said };
    Diagnostic::error(codes::BINDING_RESTART_FAILED, format!("{} could not be restarted: {said}", binding.unit()))
        .at(Place::named(binding.unit()), "")
        .help("mend the cause and run this again: the new binding stays, and the restart is completed")
}

#[cfg(test)]
mod tests {
    use super::super::Setting;
    use super::{Binding, BindingMarker, BindingSituation, EdgeState, EnvironmentFile, Unit, bind, judge_restarted};
    use crate::edge::install::Listener;

    fn binding() -> Binding {
        let setting = Setting { name: "SITE_API_URL".to_owned(), value: "https://new".to_owned() };
        Binding::new("runtime.service", "/etc/runtime.env".parse().unwrap(), vec![setting]).unwrap()
    }

    fn unit(active: &str) -> Unit {
        Unit { load: "loaded".to_owned(), active: active.to_owned(), ..Unit::default() }
    }

    fn situation(text: &str) -> BindingSituation {
        BindingSituation {
            unit: unit("active"),
            file: EnvironmentFile::Text(text.to_owned()),
            marker: None,
            edge: Some(EdgeState { pending: Vec::new(), active: true }),
        }
    }

    fn words(there: &BindingSituation) -> Vec<&'static str> {
        bind(&binding(), there).unwrap().steps.iter().map(super::BindingStep::word).collect()
    }

    fn code(there: &BindingSituation) -> &'static str {
        bind(&binding(), there).unwrap_err().diagnostics()[0].code.name()
    }

    const OLD: &str = "SITE_API_URL=https://old\nTOKEN=secret\n";
    const NEW: &str = "SITE_API_URL=https://new\nTOKEN=secret\n";

    #[test]
    fn the_marker_comes_first_and_goes_last() {
        assert_eq!(words(&situation(OLD)), ["mark", "write", "restart", "clear"]);
        assert_eq!(words(&situation(NEW)), [""; 0]);
        let plan = bind(&binding(), &situation(OLD)).unwrap();
        assert_eq!(
            (plan.before.as_str(), plan.after.as_str()),
            ("SITE_API_URL=https://old\n", "SITE_API_URL=https://new\n")
        );
    }

    #[test]
    fn what_an_interruption_left_is_completed() {
        let marker = |running| Some(BindingMarker { version: 1, unit: "runtime.service".to_owned(), running });
        // between marker and file, between file and restart, after a restart that failed
        assert_eq!(words(&BindingSituation { marker: marker(true), ..situation(OLD) }), ["write", "restart", "clear"]);
        assert_eq!(words(&BindingSituation { marker: marker(true), ..situation(NEW) }), ["restart", "clear"]);
        let failed = BindingSituation { marker: marker(true), unit: unit("inactive"), ..situation(NEW) };
        assert_eq!(words(&failed), ["restart", "clear"]);
        assert!(bind(&binding(), &failed).unwrap().resumes);
    }

    #[test]
    fn a_service_that_rests_is_not_started_and_one_that_is_not_there_is_left_alone() {
        assert_eq!(words(&BindingSituation { unit: unit("inactive"), ..situation(OLD) }), ["mark", "write", "clear"]);
        assert_eq!(
            words(&BindingSituation { unit: unit("failed"), ..situation(OLD) }),
            ["mark", "write", "restart", "clear"]
        );
        let absent = Unit { load: "not-found".to_owned(), ..unit("inactive") };
        let plan = bind(&binding(), &BindingSituation { unit: absent, file: EnvironmentFile::Absent, ..situation("") });
        assert_eq!(plan, Ok(super::BindingPlan::default()));
    }

    #[test]
    fn nothing_is_retargeted_before_the_edge_is_active() {
        let edge = |pending: &[Listener], active| Some(EdgeState { pending: pending.to_vec(), active });
        for edge in [edge(&[Listener::Https], true), edge(&[], false)] {
            assert_eq!(code(&BindingSituation { edge: edge.clone(), ..situation(OLD) }), "edge/binding-before-edge");
            assert_eq!(words(&BindingSituation { edge, ..situation(NEW) }), [""; 0], "nothing is to be done");
        }
        assert_eq!(words(&BindingSituation { edge: None, ..situation(OLD) }).len(), 4);
    }

    #[test]
    fn a_restart_is_one_after_which_the_service_runs() {
        assert!(judge_restarted(&binding(), &unit("active")).is_ok());
        for state in ["failed", "inactive", "activating"] {
            assert!(judge_restarted(&binding(), &unit(state)).is_err(), "{state}");
        }
    }

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is() {
        let marker = BindingMarker { version: 1, unit: "runtime.service".to_owned(), running: true };
        assert_eq!(BindingMarker::parse("m", &marker.to_text()), Ok(marker.clone()));
        for bad in ["", "{}", &marker.to_text().replace(": 1", ": 2")] {
            assert!(BindingMarker::parse("m", bad).is_err(), "{bad}");
        }
    }
}
