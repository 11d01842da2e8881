//! `service_binding`: a service of the host is given the origins of its edge, and restarted.
//!
//! What is decided is decided in [`pharos_core::edge::binding`]; here the file is read and replaced, and systemd is asked.

use std::path::Path;
use std::time::Duration;

use pharos_core::diagnostic::{Diagnostic, Report};
use pharos_core::edge::binding::{
    Binding, BindingMarker, BindingPlan, BindingSituation, BindingStep, EnvironmentFile, Setting as Wanted, bind,
    judge_restarted, restart_failed,
};
use pharos_core::edge::install::not_root;
use pharos_core::file::Kind;
use pharos_core::name::AbsolutePath;
use pharos_live::file::{self, Attributes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edge_config;
use crate::files::{read, unreadable};
use crate::host::{program, system};
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome, State};

/// How often a restarted service is looked at, and how long to wait in between: one that fails at its start is restarted by systemd
/// itself, and would be seen to run for a moment.
const LOOKS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(500);

/// The module.
pub(crate) struct ServiceBinding;

/// The origins of the edge, in the environment file of a service that uses them.
///
/// Some lines of an `EnvironmentFile` are kept as they are wanted, all others stay byte for byte; then the service is restarted. A service
/// that rests is not started, and one that is not installed is left alone.
///
/// Nothing is changed before the edge of the host serves what was validated. A marker under `/var/lib/pharos-edge/transactions` is
/// written before the file and removed after the restart: a restart that failed, or that an interruption prevented, is completed by
/// the next run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The service, as systemd names it: `pharos-site-runtime.service`.
    unit: String,
    /// Its environment file.
    file: AbsolutePath,
    /// The variables and their values.
    #[schemars(length(min = 1))]
    settings: Vec<Setting>,
    /// Whether the edge is installed by the same play. Check mode then does not ask whether it is active.
    #[serde(default)]
    edge_to_come: bool,
}

/// A variable of the service.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setting {
    /// Its name.
    name: String,
    /// Its value: an origin, a host, a port. Never a secret: it is shown.
    value: String,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// Whether the service is installed.
    installed: bool,
    /// Whether an interrupted run was, or in check mode would be, completed.
    resumed: bool,
    /// The steps that were performed, or that check mode would perform, in order.
    steps: Vec<String>,
}

impl Module for ServiceBinding {
    const NAME: &'static str = "service_binding";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("../examples/service_binding.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        let user = rustix::process::geteuid();
        if !user.is_root() {
            return Err(not_root(user.as_raw()).into());
        }
        let settings = arguments.settings.into_iter().map(|one| Wanted { name: one.name, value: one.value }).collect();
        let binding = Binding::new(&arguments.unit, arguments.file, settings)?;
        let plan = bind(&binding, &situation(&binding, context.check && arguments.edge_to_come)?)?;
        if context.check || plan.steps.is_empty() {
            return Ok(outcome(&binding, &plan));
        }
        // From here on the host is changed, by nobody else: what was seen before the lock is seen again.
        let _lock = edge_config::lock(format!("service_binding {}", binding.unit()))?;
        let plan = bind(&binding, &situation(&binding, false)?)?;
        match perform(&binding, &plan) {
            Ok(()) => Ok(outcome(&binding, &plan)),
            Err(report) => {
                let (before, after) = states(&binding, &plan);
                Err(Failure::from(report).with_change(before, after))
            }
        }
    }
}

/// What is there. `early` says that the edge is not asked for yet.
fn situation(binding: &Binding, early: bool) -> Result<BindingSituation, Report> {
    let marker = BindingMarker::file_name(binding.unit());
    let marker = match edge_config::read_marker(&marker)? {
        Some((path, text)) => Some(BindingMarker::parse(&path, &text)?),
        None => None,
    };
    let edge = if early { None } else { Some(edge_config::edge_state()?) };
    Ok(BindingSituation {
        unit: system::unit_of(binding.unit())?,
        file: environment_file(binding.file())?,
        marker,
        edge,
    })
}

fn environment_file(path: &AbsolutePath) -> Result<EnvironmentFile, Diagnostic> {
    let path = Path::new(path.as_str());
    let kind = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(EnvironmentFile::Absent),
        Err(error) => return Err(unreadable(path, &error)),
        Ok(metadata) if metadata.is_file() => {
            let text = String::from_utf8(read(path)?);
            return Ok(text.map_or(EnvironmentFile::Other(Kind::File), EnvironmentFile::Text));
        }
        Ok(metadata) if metadata.is_symlink() => Kind::Link,
        Ok(metadata) if metadata.is_dir() => Kind::Directory,
        Ok(_) => Kind::Other,
    };
    Ok(EnvironmentFile::Other(kind))
}

fn perform(binding: &Binding, plan: &BindingPlan) -> Result<(), Report> {
    let markers = edge_config::markers()?;
    let name = BindingMarker::file_name(binding.unit());
    let path = Path::new(binding.file().as_str());
    for step in &plan.steps {
        match step {
            BindingStep::Mark(marker) => markers.write(&name, marker.to_text().as_bytes())?,
            BindingStep::Write(text) => {
                file::sweep(path)?;
                file::replace(path, text.as_bytes(), Attributes { mode: 0o600, owner: None, force: false })?;
            }
            BindingStep::Restart => restart(binding)?,
            BindingStep::Clear => markers.remove(&name)?,
        }
    }
    Ok(())
}

/// Restarts the service, and sees that it goes on running.
fn restart(binding: &Binding) -> Result<(), Report> {
    // What failed too often is not started again by systemd before this.
    program::run("systemctl", &["--quiet", "reset-failed", binding.unit()])?;
    let said = program::run("systemctl", &["--quiet", "restart", binding.unit()])?;
    if !said.ok {
        return Err(restart_failed(binding, &said.words()).into());
    }
    for _ in 0..LOOKS {
        std::thread::sleep(PAUSE);
        judge_restarted(binding, &system::unit_of(binding.unit())?)?;
    }
    Ok(())
}

fn outcome(binding: &Binding, plan: &BindingPlan) -> Outcome<Data> {
    let (before, after) = states(binding, plan);
    let steps = plan.steps.iter().map(|step| step.word().to_owned()).collect();
    Outcome::of(Data { installed: plan.installed, resumed: plan.resumes, steps }).with_change(before, after)
}

/// The state before and after: the lines of the binding alone, for the others may hold secrets.
fn states(binding: &Binding, plan: &BindingPlan) -> (State, State) {
    let (mut before, mut after) = (State::new(), State::new());
    if plan.installed {
        let read = |stale: bool| if stale { "a restart is pending\n" } else { "as it was started\n" };
        before.insert(binding.file().as_str(), plan.before.as_str());
        after.insert(binding.file().as_str(), plan.after.as_str());
        before.insert(binding.unit(), read(plan.resumes));
        after.insert(binding.unit(), read(false));
    }
    (before, after)
}
