//! `acme_lineage`: the certificates of an edge, requested by certbot.
//!
//! What is to be requested is decided in [`pharos_core::certificate::lineage`], who requests it and whether an authority would
//! find the answers in [`pharos_core::edge::challenge`]; here certbot is run.

mod arguments;
mod certbot;
mod token;

use pharos_core::certificate::UnixTime;
use pharos_core::certificate::lineage::{Action, LineageDecision};
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::challenge::{Challenger, choose_issuer};
use pharos_core::name::{HostName, SocketAddress};
use schemars::JsonSchema;
use serde::Serialize;

use crate::acme_lineages_info::decisions;
use crate::certificate_files::judge_places;
use crate::edge_config;
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome, State};
use arguments::Arguments;
use certbot::Certbot;

/// The module.
pub(crate) struct AcmeLineage;

/// What is returned.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of another task of the role")]
pub(crate) struct Data {
    /// The host names that need a certificate.
    hosts: Vec<HostName>,
    /// The edge that requests the certificates, by its name in the inventory.
    issuer: String,
    /// Whether that is another edge, whose certificates this one is given.
    follows: bool,
    /// Where challenges are passed on to; null if this edge requests the certificates itself.
    issuer_address: Option<SocketAddress>,
    /// Whether renewal is to be proven by this edge.
    proves_renewal: bool,
    /// The version of certbot; empty if it is still to be installed.
    certbot: String,
    /// The Debian packages that are missing.
    packages: Vec<String>,
    /// Whether the virtual environment of `certbot_source: pypi` is missing.
    virtual_environment_missing: bool,
    /// Whether a certificate was, or in check mode would be, requested.
    outstanding: bool,
    /// The timer that renews.
    timer: String,
    /// Whether it is not running, or not started at boot.
    timer_stopped: bool,
    /// What was, or in check mode would be, done for each host name.
    lineages: Vec<LineageDecision>,
    /// The host names whose renewal was proven.
    proven: Vec<HostName>,
}

impl Module for AcmeLineage {
    const NAME: &'static str = "acme_lineage";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("../examples/acme_lineage.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        // Whatever the connection's is: nginx's user reads tokens, and certbot makes what is private so explicitly.
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        let challenger = choose_issuer(&arguments.choice())?;
        let (policy, warnings) = arguments.policy()?;
        let outcome = |data: Data, before, after| Outcome::of(data).with_change(before, after);
        let mut findings = Findings::new();
        findings.extend(warnings);
        if let Challenger::Follower(address) = challenger {
            judge_places(policy.hosts.iter(), &mut findings);
            let (hosts, warnings) = findings.conclude(policy.hosts)?;
            let issuer = arguments.acme_issuer.clone();
            let data = Data { hosts, issuer, follows: true, issuer_address: Some(address), ..Data::default() };
            return Ok(outcome(data, State::new(), State::new()).with_report(warnings));
        }
        // Before the lineages are looked at: what another run requests meanwhile is not requested twice.
        let _lock = (!context.check).then(|| edge_config::lock("acme_lineage".to_owned())).transpose()?;
        let certbot = Certbot::find(arguments.certbot_source)?;
        certbot.judge(arguments.prove_renewal, context.check, &mut findings);
        let at = UnixTime::new(context.instant);
        let lineages = kept(decisions(&policy, at), &mut findings);
        let (lineages, warnings) = findings.conclude(lineages)?;
        let outstanding = lineages.iter().any(|lineage| lineage.action != Action::Leave);
        let data = Data { hosts: policy.hosts.clone(), outstanding, ..data(&arguments, &certbot)? };
        let before = states(&lineages);
        if context.check {
            let after = expected(&lineages, policy.effective_server().as_str());
            return Ok(outcome(Data { lineages, ..data }, before, after).with_report(warnings));
        }
        let requested = request(&arguments, &certbot, &lineages);
        let after = decisions(&policy, at).map(|(lineages, _)| states(&lineages));
        requested.map_err(|report| match &after {
            Ok(after) => Failure::from(report).with_change(before.clone(), after.clone()),
            Err(_) => Failure::from(report),
        })?;
        let proven = prove(&arguments, &certbot, &lineages)?;
        Ok(outcome(Data { lineages, proven, ..data }, before, after?).with_report(warnings))
    }
}

/// What was decided; the findings beside it are kept.
fn kept(found: Result<(Vec<LineageDecision>, Report), Report>, findings: &mut Findings) -> Vec<LineageDecision> {
    let (decisions, report) = found.unwrap_or_else(|refusal| (Vec::new(), refusal));
    findings.extend(report);
    decisions
}

fn data(arguments: &Arguments, certbot: &Certbot) -> Result<Data, Report> {
    Ok(Data {
        issuer: arguments.edge.clone(),
        proves_renewal: arguments.prove_renewal,
        timer: certbot.timer().to_owned(),
        timer_stopped: certbot.timer_stopped()?,
        certbot: certbot.version.clone(),
        packages: certbot.packages(),
        virtual_environment_missing: certbot.virtual_environment_missing(),
        ..Data::default()
    })
}

/// Requests what the decisions ask for, after a token came back through every name of theirs.
fn request(arguments: &Arguments, certbot: &Certbot, decisions: &[LineageDecision]) -> Result<(), Report> {
    let wanted: Vec<&LineageDecision> = decisions.iter().filter(|each| each.action != Action::Leave).collect();
    let hosts: Vec<&HostName> = wanted.iter().map(|decision| &decision.host).collect();
    token::fetch_all(&arguments.acme_webroot, &hosts)?;
    wanted.into_iter().try_for_each(|decision| certbot.issue(decision))
}

/// Proves that each lineage can be renewed, hooks and all.
fn prove(arguments: &Arguments, certbot: &Certbot, decisions: &[LineageDecision]) -> Result<Vec<HostName>, Report> {
    let mut findings = Findings::new();
    let mut proven = Vec::new();
    for decision in decisions.iter().filter(|_| arguments.prove_renewal) {
        match certbot.prove_renewal(decision) {
            Ok(()) => proven.push(decision.host.clone()),
            Err(report) => findings.extend(report),
        }
    }
    findings.conclude(proven).map(|(proven, _)| proven)
}

fn name(decision: &LineageDecision) -> String {
    format!("certificate of {}", decision.host)
}

/// The lineages as they are: what is stored, and what is wrong with it.
fn states(decisions: &[LineageDecision]) -> State {
    let stored = decisions.iter().filter_map(|decision| {
        let stored = decision.stored.as_ref()?;
        let wanting = decision.reasons.iter().map(|reason| format!("to be mended: {}\n", reason.detail));
        let text = format!("serial {}\nissued by {}\nuntil {}\n", stored.serial, stored.issuer, stored.not_after);
        Some((name(decision), text + &wanting.collect::<String>()))
    });
    stored.collect()
}

/// The lineages as they would be: one that is requested has a serial number that nobody knows yet.
fn expected(decisions: &[LineageDecision], server: &str) -> State {
    let mut state = states(decisions);
    for decision in decisions.iter().filter(|decision| decision.action != Action::Leave) {
        state.insert(name(decision), format!("requested from {server}\n"));
    }
    state
}
