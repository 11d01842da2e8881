//! The steps, performed.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::install::{
    Assessment, Plan, Step, TestOutput, WELCOME_SITE, aftermath, judge_generation, judge_proof, judge_test,
    not_restored, reload_failed,
};
use pharos_live::file::{self, Attributes};
use pharos_live::private::PrivateDir;

use super::candidate::test_live;
use super::generation::Before;
use super::{kill_point, probe};
use crate::host::program;

/// How often what is served is asked before it is believed, and how long to wait in between: old workers may have accepted a
/// connection just before they were told to go.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(300);

/// What became of a transaction that failed.
pub(super) struct Failed {
    /// Why.
    pub(super) report: Report,
    /// Whether the validated file stays and its reload remains pending.
    pub(super) pending: bool,
}

/// Performs the steps of a transaction.
pub(super) struct Performer<'a> {
    state: &'a PrivateDir,
    assessment: &'a Assessment,
    /// The state of nginx before it was last made to read its files.
    before: Option<Before>,
    performed: usize,
    /// What is worth knowing though it stopped nothing.
    pub(super) warnings: Findings,
}

impl<'a> Performer<'a> {
    pub(super) fn new(state: &'a PrivateDir, assessment: &'a Assessment) -> Self {
        Self { state, assessment, before: None, performed: 0, warnings: Findings::new() }
    }

    /// Performs a plan; what fails is answered as the core says.
    pub(super) fn perform_all(&mut self, plan: &Plan) -> Result<(), Failed> {
        file::sweep(Path::new(self.assessment.goal.listener.file()))
            .map_err(|report| Failed { report, pending: false })?;
        for (index, step) in plan.steps.iter().enumerate() {
            let after = aftermath(plan, index);
            if let Err(report) = self.perform(step, after.pending) {
                let mut findings = Findings::new();
                findings.extend(report);
                for undo in &after.steps {
                    if let Err(report) = self.perform(undo, false) {
                        findings.push(not_restored(undo, self.assessment.goal.listener));
                        findings.extend(report);
                        break;
                    }
                }
                return Err(Failed { report: findings.into_report(), pending: after.pending });
            }
        }
        Ok(())
    }

    fn perform(&mut self, step: &Step, stays_pending: bool) -> Result<(), Report> {
        let listener = self.assessment.goal.listener;
        let path = Path::new(listener.file());
        match step {
            Step::Mark(marker) => self.state.write(listener.marker(), marker.to_text().as_bytes())?,
            Step::Clear => self.state.remove(listener.marker())?,
            Step::RetireWelcome => file::remove(Path::new(WELCOME_SITE))?,
            Step::PutBackWelcome { target } => file::link(Path::new(WELCOME_SITE), OsStr::new(target))?,
            Step::Write(text) => {
                file::replace(path, text.as_bytes(), Attributes { mode: 0o644, owner: None, force: false })?;
            }
            Step::Remove => file::remove(path)?,
            Step::Test => self.test()?,
            Step::Enable | Step::Disable => systemctl(step, stays_pending)?,
            Step::Reload | Step::Start | Step::Restart | Step::Stop => {
                self.before = Some(Before::look(&self.assessment.error_log)?);
                systemctl(step, stays_pending)?;
            }
            Step::Settle => self.settle()?,
            Step::Prove => self.prove()?,
        }
        self.performed += 1;
        kill_point::passed(self.performed);
        Ok(())
    }

    /// nginx's test of the live tree: it may differ from the copy by what somebody changed meanwhile.
    fn test(&self) -> Result<(), Report> {
        let goal = &self.assessment.goal;
        let text = goal.text.as_deref().unwrap_or_default();
        let unknown = TestOutput { passed: true, text: String::new() };
        let found = test_live()?;
        let before = if found.passed { &found } else { &unknown };
        let mut findings = Findings::new();
        judge_test((goal.listener, text), &self.assessment.hosts(), before, &found, &mut findings);
        findings.conclude(()).map(drop)
    }

    fn settle(&self) -> Result<(), Report> {
        let Some(before) = &self.before else { return Ok(()) };
        let mut findings = Findings::new();
        judge_generation(self.assessment.goal.listener, &before.settle()?, &mut findings);
        findings.conclude(()).map(drop)
    }

    fn prove(&mut self) -> Result<(), Report> {
        self.settle()?;
        for attempt in 1.. {
            let mut findings = Findings::new();
            judge_proof(&self.assessment.proof, &probe::ask(&self.assessment.proof), &mut findings);
            match findings.conclude(()) {
                Ok(((), warnings)) => {
                    self.warnings.extend(warnings);
                    return Ok(());
                }
                Err(report) if attempt >= TRIES => return Err(report),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
        Ok(())
    }
}

/// Has systemd do a step to nginx.
fn systemctl(step: &Step, stays_pending: bool) -> Result<(), Report> {
    let said = program::run("systemctl", &["--quiet", step.word(), "nginx.service"])?;
    if said.ok {
        return Ok(());
    }
    // systemd only says that it failed; nginx's own words are in the journal.
    let journal = ["--unit=nginx.service", "--lines=5", "--output=cat", "--no-pager", "--quiet"];
    let journal = program::run("journalctl", &journal).map(|journal| journal.stdout).unwrap_or_default();
    Err(reload_failed(step, &format!("{}\n{journal}", said.words()), stays_pending).into())
}
