//! What a transaction on a host refuses: `tests/rejected/edge/*.json`, each what was observed or answered there.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test may panic as the test may"
)]

use std::collections::BTreeMap;
use std::net::IpAddr;

use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::binding::{
    Binding, BindingSituation, EdgeState, EnvironmentFile, Setting, bind, judge_restarted,
};
use pharos_core::edge::inspect::{BoundSocket, Endpoint, Master, RestartReason, Transport};
use pharos_core::edge::install::{
    Addresses, Challenge, ChallengeAnswer, Generation, Goal, HostAnswer, HostProof, Journal, Listener, Marker,
    OsRelease, Proof, ProofAnswers, Served, Situation, Stage, Step, System, TestOutput, Unit, foreign_file,
    judge_addresses, judge_generation, judge_proof, judge_system, judge_test, not_restored, not_root, pending, plan,
    reload_failed,
};
use pharos_core::edge::judge_development;
use pharos_core::file::Kind;
use pharos_core::policy::EdgeEnvironment;
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

/// One of these is written in a fixture.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Case {
    System(SystemCase),
    Test(TestCase),
    Marker(String),
    Journal {
        judged: u64,
        text: String,
    },
    Restart {
        old: String,
        new: String,
    },
    Log(Option<String>),
    Proof(ProofCase),
    NotRoot(u32),
    ForeignFile(String),
    Pending(String),
    ReloadFailed(String),
    NotRestored(()),
    Binding(BindingCase),
    /// The edge environment of a site that is no development box.
    NotDevelopment(EdgeEnvironment),
    /// Addresses to listen on, those that the host has, and why it refuses the others.
    Listen {
        listen: Vec<IpAddr>,
        own: Vec<IpAddr>,
        refused: BTreeMap<IpAddr, String>,
    },
}

/// A service whose one variable `SITE_API_URL` is wanted, and what is there.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BindingCase {
    unit: String,
    settings: Vec<(String, String)>,
    /// The text of its file; `null` if there is none.
    file: Option<String>,
    /// Whether its file is a link.
    link: bool,
    pending: bool,
    active: bool,
    /// The state after a restart.
    restarted: Option<String>,
}

impl Default for BindingCase {
    fn default() -> Self {
        Self {
            unit: "runtime.service".to_owned(),
            settings: vec![("SITE_API_URL".to_owned(), "https://site.box.test:8443".to_owned())],
            file: Some("SITE_API_URL=https://old.box.test\nTOKEN=secret\n".to_owned()),
            link: false,
            pending: false,
            active: true,
            restarted: None,
        }
    }
}

impl BindingCase {
    fn judge(self) -> Report {
        let settings = self.settings.into_iter().map(|(name, value)| Setting { name, value }).collect();
        let binding = match Binding::new(&self.unit, "/etc/pharos/runtime.env".parse().unwrap(), settings) {
            Ok(binding) => binding,
            Err(report) => return report,
        };
        let unit = |active: &str| Unit { load: "loaded".to_owned(), active: active.to_owned(), ..Unit::default() };
        if let Some(state) = self.restarted {
            return refused(judge_restarted(&binding, &unit(&state)));
        }
        let file = match self.file {
            _ if self.link => EnvironmentFile::Other(Kind::Link),
            Some(text) => EnvironmentFile::Text(text),
            None => EnvironmentFile::Absent,
        };
        let pending = if self.pending { vec![Listener::Https] } else { Vec::new() };
        let edge = Some(EdgeState { pending, active: self.active });
        refused(bind(&binding, &BindingSituation { unit: unit("active"), file, marker: None, edge }))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemCase {
    os_release: String,
    init: String,
    nginx: Option<String>,
    unit: String,
    clock: i64,
    #[serde(default)]
    masters: Vec<Master>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestCase {
    text: String,
    host: String,
    before: (bool, String),
    candidate: (bool, String),
}

/// What one host name answers at one address.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofCase {
    listener: Listener,
    #[serde(default)]
    passed_on: bool,
    serial: Result<String, String>,
    status: Result<Option<u16>, String>,
    #[serde(default)]
    challenge: Option<u16>,
    #[serde(default)]
    token: bool,
    #[serde(default = "yes")]
    refuses_unknown: bool,
}

fn yes() -> bool {
    true
}

const AT: UnixTime = UnixTime::new(1_700_000_000);

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let mut findings = Findings::new();
    match serde_json::from_str(fixture.source().text()).unwrap() {
        Case::System(case) => system(case, &mut findings),
        Case::Test(case) => {
            let output = |(passed, text): (bool, String)| TestOutput { passed, text };
            let hosts = [case.host.parse().unwrap()];
            let (before, candidate) = (output(case.before), output(case.candidate));
            judge_test((Listener::Https, &case.text), &hosts, &before, &candidate, &mut findings);
        }
        Case::Marker(text) => return refused(Marker::parse("/var/lib/pharos-edge/transactions/https.json", &text)),
        Case::Journal { judged, text } => {
            let path = "/var/lib/pharos-edge/transactions/journal.json";
            return refused(Journal::parse(path, &text).unwrap().judge(path, Some(judged)));
        }
        Case::Restart { old, new } => return restart(&old, &new),
        Case::Log(log) => {
            let refusal = log.as_deref().and_then(Generation::refusal);
            let generation = refusal.map_or(Generation::Old, Generation::Refused);
            judge_generation(Listener::Https, &generation, &mut findings);
        }
        Case::Proof(case) => proof(case, &mut findings),
        Case::NotRoot(user) => findings.push(not_root(user)),
        Case::ForeignFile(what) => findings.push(foreign_file(Listener::Http, &what)),
        Case::Pending(stage) => {
            let stage = if stage == "begun" { Stage::Begun } else { Stage::Validated };
            findings.push(pending(&marker(stage)));
        }
        Case::ReloadFailed(said) => findings.push(reload_failed(&Step::Reload, &said, true)),
        Case::Listen { listen, own, refused } => {
            judge_addresses(&listen, true, &Addresses { own, refused }, &mut findings);
        }
        Case::NotDevelopment(environment) => return refused(judge_development("edge.json", &environment)),
        Case::Binding(case) => return case.judge(),
        Case::NotRestored(()) => findings.push(not_restored(&Step::Reload, Listener::Https)),
    }
    findings.into_report()
}

fn system(case: SystemCase, findings: &mut Findings) {
    let system = System {
        os: OsRelease::parse(&case.os_release),
        init: case.init,
        nginx: case.nginx,
        unit: Unit::parse(&case.unit),
        clock: case.clock,
    };
    judge_system(&system, &case.masters, AT, false, findings);
}

fn restart(old: &str, new: &str) -> Report {
    let socket = |text: &str| BoundSocket {
        endpoint: Endpoint::parse(text, None).unwrap().remove(0),
        transport: Transport::Tcp,
        ipv6only: true,
        reuseport: false,
    };
    let restart = vec![RestartReason::Occupied { new: socket(new), old: socket(old) }];
    let situation = Situation { running: true, enabled: true, restart, ..Situation::default() };
    let goal =
        Goal { listener: Listener::Https, text: Some("new".to_owned()), allow_restart: false, retire_welcome: false };
    refused(plan(&goal, &situation))
}

fn proof(case: ProofCase, findings: &mut Findings) {
    let https = case.listener == Listener::Https;
    let file = "/etc/letsencrypt/live/platform.example.org/fullchain.pem".parse().unwrap();
    let host = HostProof {
        host: "platform.example.org".parse().unwrap(),
        port: pharos_core::name::Port::new(case.listener.port()).unwrap(),
        certificate: https.then(|| (file, "0a".parse().unwrap())),
        path: "/".to_owned(),
    };
    let challenge =
        if case.passed_on { Challenge::PassedOn } else { Challenge::Webroot("/var/www/acme".parse().unwrap()) };
    let answer = HostAnswer {
        serial: case.serial.map(|serial| serial.parse().unwrap()),
        status: case.status,
        challenge: (!https).then_some(ChallengeAnswer { status: Ok(case.challenge), token: case.token }),
    };
    let address = "127.0.0.1".parse().unwrap();
    let proof = Proof {
        listener: case.listener,
        addresses: vec![address],
        hosts: vec![host],
        challenge: (!https).then_some(challenge),
    };
    let served = Served { address, hosts: vec![answer], refuses_unknown: case.refuses_unknown };
    judge_proof(&proof, &ProofAnswers(vec![served]), findings);
}

fn marker(stage: Stage) -> Marker {
    Marker {
        version: 1,
        listener: Listener::Https,
        stage,
        candidate: None,
        previous: None,
        welcome: None,
        running: true,
        enabled: true,
    }
}

/// What is answered as it must be is no finding.
#[test]
fn sound_answers_are_not_refused() {
    for case in [
        r#"{"proof": {"listener": "https", "serial": {"Ok": "0A"}, "status": {"Ok": 404}}}"#,
        r#"{"proof": {"listener": "https", "serial": {"Ok": "0A"}, "status": {"Ok": 503}}}"#,
        r#"{"proof": {"listener": "http", "serial": {"Err": ""}, "status": {"Ok": 308}, "challenge": 200, "token": true}}"#,
        r#"{"proof": {"listener": "http", "serial": {"Err": ""}, "status": {"Ok": 301}, "challenge": 404, "passed_on": true}}"#,
    ] {
        let Case::Proof(case) = serde_json::from_str(case).unwrap() else { panic!("a proof") };
        let mut findings = Findings::new();
        proof(case, &mut findings);
        assert!(findings.is_empty(), "{}", findings.into_report());
    }
}

/// What stands behind the edge fails no installation, and is told.
#[test]
fn a_silent_gateway_is_told() {
    for status in ["null", "502", "504"] {
        let case =
            format!(r#"{{"proof": {{"listener": "https", "serial": {{"Ok": "0A"}}, "status": {{"Ok": {status}}}}}}}"#);
        let Case::Proof(case) = serde_json::from_str(&case).unwrap() else { panic!("a proof") };
        let mut findings = Findings::new();
        proof(case, &mut findings);
        assert!(!findings.refused());
        assert_eq!(findings.into_report().diagnostics()[0].code.name(), "edge/upstream-silent");
    }
}

#[test]
fn debian_is_accepted_in_every_starting_state() {
    for (version, active, file) in
        [("12", "active", "enabled"), ("13", "inactive", "disabled"), ("12", "failed", "enabled")]
    {
        let mut findings = Findings::new();
        let pid = if active == "active" { 812 } else { 0 };
        system(
            SystemCase {
                os_release: format!("ID=debian\nVERSION_ID=\"{version}\"\n"),
                init: "systemd".to_owned(),
                nginx: Some("configure arguments: --conf-path=/etc/nginx/nginx.conf\n".to_owned()),
                unit: format!("LoadState=loaded\nActiveState={active}\nUnitFileState={file}\nMainPID={pid}\n"),
                clock: AT.seconds() - 300,
                masters: (pid != 0).then_some(Master { pid, unit: None, configuration: None }).into_iter().collect(),
            },
            &mut findings,
        );
        assert!(findings.is_empty(), "{}", findings.into_report());
    }
}
