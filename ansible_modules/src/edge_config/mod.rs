//! `edge_config`: a listener of the edge, installed as a transaction.
//!
//! What is decided is decided in [`pharos_core::edge::install`]; here the host is looked at, steps are performed, and listeners
//! are asked what they serve.

mod arguments;
mod candidate;
mod certificates;
mod generation;
mod kill_point;
mod observe;
mod perform;
mod probe;

use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::CertificateMode;
use pharos_core::edge::binding::EdgeState;
use pharos_core::edge::install::{
    Assessment, Listener, Plan, Step, WELCOME_SITE, assess, judge_proof, judge_test, not_root,
};
use pharos_core::file::Holder;
use pharos_live::lock::Lock;
use pharos_live::private::PrivateDir;
use schemars::JsonSchema;
use serde::Serialize;

use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome, State};
use arguments::Arguments;
use certificates::{FitCertificate, Judged};

/// The module.
pub(crate) struct EdgeConfig;

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Data {
    /// The listener.
    listener: Listener,
    /// Its configuration file.
    path: String,
    /// The version of the nginx that it was rendered for; empty if there is none yet.
    nginx: String,
    /// The Debian packages that are missing.
    packages: Vec<String>,
    /// Whether something was, or in check mode would be, done.
    outstanding: bool,
    /// The steps that were performed, or that check mode would perform, in order.
    steps: Vec<String>,
    /// Whether an earlier run was interrupted and is completed by this one.
    resumed: bool,
    /// Whether all that is left of it is the reload, with certificates that are fit: it is then due before any is requested.
    pending: bool,
    /// How many transactions were begun on the host, of either listener.
    generation: u64,
    /// The certificates that the listener serves.
    certificates: Vec<FitCertificate>,
}

impl Module for EdgeConfig {
    const NAME: &'static str = "edge_config";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("../examples/edge_config.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        // Whatever the connection's is: nginx's user reads what is made here, and what is private is made so explicitly.
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        let user = rustix::process::geteuid();
        if !user.is_root() {
            return Err(not_root(user.as_raw()).into());
        }
        let ready = match judge(&arguments, context)? {
            Judgement::NoNginx(outcome) => return Ok(*outcome),
            Judgement::Ready(ready) => ready,
        };
        if context.check || ready.plan.is_empty() {
            return Ok(ready.outcome());
        }
        // From here on the host is changed, by nobody else: what was seen before the lock is seen again.
        let state = observe::state()?;
        let holder = holder(format!("edge_config {}", arguments.listener.word()));
        let _lock = Lock::take(&state, "lock", &holder)?;
        match judge(&arguments, context)? {
            Judgement::NoNginx(outcome) => Ok(*outcome),
            Judgement::Ready(ready) if ready.plan.is_empty() => Ok(ready.outcome()),
            Judgement::Ready(ready) => {
                let journal = observe::journal()?;
                journal.judge(&observe::journal_path(), arguments.generation)?;
                let journal = journal.next(holder);
                state.write(observe::JOURNAL, journal.to_text().as_bytes())?;
                transact(&state, Ready { generation: journal.generation, ..*ready })
            }
        }
    }
}

/// A host that was judged.
enum Judgement {
    /// There is no nginx yet, and check mode passes over it: what it answers.
    NoNginx(Box<Outcome<Data>>),
    /// Nothing is in the way.
    Ready(Box<Ready>),
}

/// What is to be done, proven in a copy.
struct Ready {
    assessment: Assessment,
    plan: Plan,
    certificates: Judged,
    generation: u64,
    warnings: Report,
}

/// Looks at the host and judges everything: documents, certificates, ports, the candidate. Nothing is changed.
fn judge(arguments: &Arguments, context: &Context) -> Result<Judgement, Failure> {
    let at = UnixTime::new(context.instant);
    let mut findings = Findings::new();
    let (mut desired, report) = arguments.desired()?;
    findings.extend(report);
    let due =
        context.check && (arguments.development || matches!(desired.certificates, CertificateMode::Certbot { .. }));
    let observation = observe::observe(arguments.listener, &desired.listen_addresses)?;
    let certificates = certificates::judge(&mut desired, &arguments.trust, at, due, &mut findings);
    let assessment = assess(&desired, &observation, at, context.check, &mut findings);
    if findings.refused() {
        return Err(findings.into_report().into());
    }
    let Some(assessment) = assessment else {
        let generation = observe::journal()?.generation;
        let outcome =
            without_nginx(arguments.listener, certificates.fit, generation).with_report(findings.into_report());
        return Ok(Judgement::NoNginx(Box::new(outcome)));
    };
    let plan = assessment.plan(|| is_served(&assessment))?;
    if !certificates.to_be_issued {
        prove_candidate(&assessment, &plan, &mut findings)?;
    }
    let ((), warnings) = findings.conclude(())?;
    let generation = observe::journal()?.generation;
    Ok(Judgement::Ready(Box::new(Ready { assessment, plan, certificates, generation, warnings })))
}

/// Whether what the files say is what is served already. Nothing is written for it.
fn is_served(assessment: &Assessment) -> bool {
    let proof = assessment.proof.without_token();
    let mut findings = Findings::new();
    judge_proof(&proof, &probe::ask(&proof), &mut findings);
    !findings.refused()
}

/// Has nginx test every state that the tree will go through, in a copy; where none of it changes, the state that it is in.
fn prove_candidate(assessment: &Assessment, plan: &Plan, findings: &mut Findings) -> Result<(), Report> {
    let goal = &assessment.goal;
    let changes = plan.steps.iter().any(Step::changes_tree);
    if !changes && goal.text.is_none() {
        return Ok(());
    }
    let tested = candidate::test(goal.listener, &plan.steps)?;
    let text = goal.text.as_deref().unwrap_or_default();
    let hosts = assessment.hosts();
    if let Some((last, intermediate)) = tested.after.split_last() {
        judge_test((goal.listener, text), &hosts, &tested.before, last, findings);
        // Where the tree is broken now, the first steps cannot mend it; where it passes, they must not break it.
        if tested.before.passed {
            for output in intermediate {
                judge_test((goal.listener, text), &hosts, &tested.before, output, findings);
            }
        }
    } else {
        assessment.judge_standing(&tested.before, findings);
    }
    Ok(())
}

fn transact(state: &PrivateDir, ready: Ready) -> Result<Outcome<Data>, Failure> {
    let mut performer = perform::Performer::new(state, &ready.assessment);
    if let Err(failed) = performer.perform_all(&ready.plan) {
        let failure = Failure::from(failed.report);
        let (before, after) = ready.states();
        return Err(if failed.pending { failure.with_change(before, after) } else { failure });
    }
    let mut findings = Findings::new();
    findings.extend(ready.warnings.clone());
    findings.extend(std::mem::take(&mut performer.warnings).into_report());
    drop(performer);
    Ok(Ready { warnings: findings.into_report(), ..ready }.outcome())
}

impl Ready {
    fn outcome(self) -> Outcome<Data> {
        let (before, after) = self.states();
        let listener = self.assessment.goal.listener;
        let data = Data {
            listener,
            path: listener.file().to_owned(),
            nginx: self.assessment.nginx.version.to_string(),
            packages: Vec::new(),
            outstanding: !self.plan.is_empty(),
            steps: self.plan.words().into_iter().map(str::to_owned).collect(),
            resumed: self.plan.resumes,
            pending: self.plan.only_completes() && !self.certificates.to_be_issued,
            generation: self.generation,
            certificates: self.certificates.fit,
        };
        Outcome::of(data).with_change(before, after).with_report(self.warnings)
    }

    /// The state before and after the plan, as it is shown by `--diff`.
    fn states(&self) -> (State, State) {
        let Assessment { goal, situation, .. } = &self.assessment;
        let (mut before, mut after) = (State::new(), State::new());
        if let Some(text) = &situation.live {
            before.insert(goal.listener.file(), text.as_str());
        }
        if let Some(text) = &goal.text {
            after.insert(goal.listener.file(), text.as_str());
        }
        if let Some(target) = situation.welcome.as_deref().filter(|_| self.plan.steps.contains(&Step::RetireWelcome)) {
            before.insert(WELCOME_SITE, format!("-> {target}\n"));
        }
        let service = |running: bool, enabled: bool, current: bool| {
            let runs = if running { "running" } else { "stopped" };
            let boot = if enabled { "enabled" } else { "disabled" };
            let read = if current || !running { "" } else { ", with an earlier state of its files" };
            format!("{runs}, {boot}{read}\n")
        };
        let activates = self.plan.steps.iter().any(Step::activates);
        let enables = self.plan.steps.contains(&Step::Enable);
        before.insert("nginx.service", service(situation.running, situation.enabled, !activates));
        after.insert("nginx.service", service(situation.running || activates, situation.enabled || enables, true));
        (before, after)
    }
}

/// The answer of check mode where nginx is still to be installed: something will change, and what cannot be said yet.
fn without_nginx(listener: Listener, certificates: Vec<FitCertificate>, generation: u64) -> Outcome<Data> {
    let data = Data {
        listener,
        path: listener.file().to_owned(),
        nginx: String::new(),
        packages: vec!["nginx".to_owned()],
        outstanding: true,
        steps: Vec::new(),
        resumed: false,
        pending: false,
        generation,
        certificates,
    };
    let before = State::from_iter([("nginx.service", "not installed\n")]);
    let after = State::from_iter([("nginx.service", "running, enabled\n")]);
    Outcome::of(data).with_change(before, after)
}

/// Takes the lock of the host's edge, for as long as something is changed.
pub(crate) fn lock(operation: String) -> Result<Lock, Report> {
    Lock::take(&observe::state()?, "lock", &holder(operation))
}

/// Whether a transaction of a listener was interrupted and has yet to be completed.
pub(crate) fn pending(listener: Listener) -> Result<bool, Report> {
    Ok(observe::marker(listener)?.is_some())
}

/// The private folder of the markers, made if it is missing.
pub(crate) fn markers() -> Result<PrivateDir, Report> {
    observe::state()
}

/// A marker of this name with its path; `None` if there is none.
pub(crate) fn read_marker(name: &str) -> Result<Option<(String, String)>, Report> {
    observe::read_marker(name)
}

/// How far the edge of this host has come.
pub(crate) fn edge_state() -> Result<EdgeState, Report> {
    let mut found = Vec::new();
    for listener in [Listener::Http, Listener::Https] {
        if self::pending(listener)? {
            found.push(listener);
        }
    }
    let installed = std::path::Path::new(Listener::Https.file()).is_file();
    Ok(EdgeState { pending: found, active: installed && crate::host::system::unit()?.is_running() })
}

fn holder(operation: String) -> Holder {
    let user = std::env::var("SUDO_USER").unwrap_or_else(|_| "root".to_owned());
    Holder {
        user,
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        pid: std::process::id(),
        operation,
        revision: String::new(),
        started: UnixTime::new(crate::host::system::clock()).to_string(),
    }
}
