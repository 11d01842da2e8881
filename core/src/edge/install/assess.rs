//! From everything that was observed on a host, and what is wanted there, to the goal and the situation of a transaction.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{
    Addresses, Challenge, Goal, HostProof, Listener, Marker, Plan, Proof, Situation, System, TestOutput, WELCOME_SITE,
    foreign_file, is_welcome_target, judge_addresses, judge_standing, judge_system, pending, plan,
};
use crate::catalogue::{Access, RouteTable, Transport};
use crate::certificate::{Serial, UnixTime};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::edge::inspect::{self, BoundSocket, Endpoint, Facts, Observed, Ours, Overview, listener_change};
use crate::edge::nginx::{Configuration, Files};
use crate::edge::render::{self, Authorship, HTTP_FILE, HTTPS_FILE, authorship, probes};
use crate::edge::{CertificateMode, EdgeHost, HttpSetting, HttpSettings, NginxBuild, codes};
use crate::file::Kind;
use crate::name::{AbsolutePath, HostName, Port};
use crate::policy::EdgeEnvironment;

/// The root of the configuration, as the distributions' packages have it.
pub const ROOT: &str = "/etc/nginx/nginx.conf";

/// What is wanted on a host.
#[derive(Clone, Debug)]
pub struct Desired {
    /// Which listener is installed.
    pub listener: Listener,
    /// The routes of the site.
    pub table: RouteTable,
    /// What the site selects.
    pub environment: EdgeEnvironment,
    /// Who owns the certificates of this host.
    pub certificates: CertificateMode,
    /// The addresses to listen on; empty means all of them.
    pub listen_addresses: Vec<IpAddr>,
    /// Whether nginx may be restarted.
    pub allow_restart: bool,
    /// Whether the package's welcome site goes whatever the listener; for the challenges of port 80 it always goes.
    pub retire_welcome: bool,
    /// The serial number of each host's certificate file.
    pub serials: BTreeMap<HostName, Serial>,
}

/// What stands at the place of a listener's file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Live {
    /// Nothing.
    #[default]
    Absent,
    /// A file with this text.
    Text(String),
    /// Something else.
    Other(Kind),
}

/// What was observed on a host.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// What it says of itself.
    pub system: System,
    /// Who listens, and which nginx masters run.
    pub observed: Observed,
    /// The files of its nginx configuration.
    pub files: Files,
    /// What stands at the place of the listener's file.
    pub live: Live,
    /// Where the link of the welcome site points to, if there is one.
    pub welcome_link: Option<String>,
    /// What an interrupted run left.
    pub marker: Option<Marker>,
    /// Whether the kernel offers IPv6.
    pub ipv6: bool,
    /// The addresses that it has.
    pub addresses: Addresses,
}

/// A host that was judged: nothing keeps the transaction from being made.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// What is to be reached.
    pub goal: Goal,
    /// What is there.
    pub situation: Situation,
    /// What must be seen before the commit.
    pub proof: Proof,
    /// Where nginx writes why a reload had no effect.
    pub error_log: String,
    /// The nginx that it was rendered for.
    pub nginx: NginxBuild,
    /// Files of certificates that are judged, and perhaps requested again, after this listener.
    pub to_come: Vec<AbsolutePath>,
}

impl Assessment {
    /// The steps, with what is served taken as it was found: `served` is asked only if nothing else calls for a reload.
    pub fn plan(&self, served: impl FnOnce() -> bool) -> Result<Plan, Report> {
        let unlooked = Situation { served: true, ..self.situation.clone() };
        let steps = plan(&self.goal, &unlooked)?;
        let activates = steps.steps.iter().any(super::Step::activates);
        if activates || !unlooked.running || self.goal.text.is_none() || served() {
            return Ok(steps);
        }
        plan(&self.goal, &Situation { served: false, ..unlooked })
    }

    /// Judges nginx's test of the tree as it stands, where a plan changes nothing of it.
    pub fn judge_standing(&self, now: &TestOutput, findings: &mut Findings) {
        let text = self.goal.text.as_deref().unwrap_or_default();
        judge_standing((self.goal.listener, text), &self.hosts(), &self.to_come, now, findings);
    }

    /// The names that the listener answers.
    pub fn hosts(&self) -> Vec<HostName> {
        self.proof.hosts.iter().map(|host| host.host.clone()).collect()
    }
}

/// Judges a host with everything that is known of it. `None` if there is no nginx, which in check mode is only a warning: then
/// the ports are judged, and the rest when it is installed.
pub fn assess(
    desired: &Desired,
    observation: &Observation,
    at: UnixTime,
    check: bool,
    findings: &mut Findings,
) -> Option<Assessment> {
    let Observation { system, observed, .. } = observation;
    judge_system(system, &observed.masters, at, check, findings);
    judge_addresses(&desired.listen_addresses, observation.ipv6, &observation.addresses, findings);
    let ours = ours(desired);
    let Some(nginx) = &system.nginx else {
        inspect::inspect(&[], &ours, observed, findings);
        return None;
    };
    let nginx = NginxBuild::parse(nginx).map_err(|refusal| findings.push(refusal)).ok()?;
    let now = overview(&observation.files, &ours, &Observed::default(), &mut Findings::new())?;
    let host = EdgeHost {
        nginx,
        ipv6: observation.ipv6,
        listen_addresses: desired.listen_addresses.clone(),
        certificates: desired.certificates.clone(),
        existing: existing(&now.facts),
    };
    let text = rendered(desired, &host, findings).map_err(|report| findings.extend(report)).ok()?;
    let live = live(desired.listener, &observation.live, findings).map_err(|foreign| findings.push(foreign)).ok()?;
    if let Some(marker) = &observation.marker {
        findings.push(pending(marker));
    }
    let retire_welcome = text.is_some() && (desired.retire_welcome || desired.listener == Listener::Http);
    let goal = Goal { listener: desired.listener, text, allow_restart: desired.allow_restart, retire_welcome };
    let mut situation = Situation {
        live,
        marker: observation.marker.clone(),
        welcome: welcome(observation, &now),
        running: system.unit.is_running(),
        enabled: system.unit.is_enabled(),
        served: true,
        restart: Vec::new(),
    };
    let candidate = candidate(&observation.files, &goal, &situation);
    let then = overview(&candidate, &ours, observed, findings)?;
    if situation.running {
        situation.restart = listener_change(&running(observed, &now), &then.sockets).restart;
    }
    let error_log = then.facts.main_value("error_log").unwrap_or("/var/log/nginx/error.log").to_owned();
    Some(Assessment { goal, situation, proof: proof(desired, &host), error_log, nginx, to_come: to_come(desired) })
}

/// What certbot may have to bring back before the HTTPS listener is installed, which names it already if it was there before.
fn to_come(desired: &Desired) -> Vec<AbsolutePath> {
    if desired.listener == Listener::Https || !matches!(desired.certificates, CertificateMode::Certbot { .. }) {
        return Vec::new();
    }
    let hosts = desired.table.hosts().iter();
    let files = hosts.filter_map(|host| desired.certificates.files(host.origin.host()));
    files.flat_map(|files| [files.certificate, files.key]).collect()
}

/// What is ours on the host while this listener is installed.
fn ours(desired: &Desired) -> Ours {
    let hosts = desired.table.hosts();
    let (ports, webroot) = match (desired.listener, &desired.certificates) {
        (Listener::Https, _) => (hosts.iter().map(|host| host.origin.port().get()).collect(), None),
        (Listener::Http, CertificateMode::Existing { .. }) => (Vec::new(), None),
        (Listener::Http, CertificateMode::Certbot { webroot, issuer, .. }) => {
            (vec![80], issuer.is_none().then(|| webroot.to_string()))
        }
    };
    Ours {
        files: vec![HTTP_FILE.to_owned(), HTTPS_FILE.to_owned()],
        hosts: hosts.iter().map(|host| host.origin.host().to_string()).collect(),
        ports,
        webroot,
    }
}

fn overview(files: &Files, ours: &Ours, observed: &Observed, findings: &mut Findings) -> Option<Overview> {
    let configuration = Configuration::load(files, ROOT, findings);
    inspect::inspect(std::slice::from_ref(&configuration), ours, observed, findings).into_iter().next()
}

/// The settings of the `http` block that files other than ours give.
fn existing(facts: &Facts) -> HttpSettings {
    let value = |setting: HttpSetting| {
        let given = facts.http.get(setting.directive())?;
        let theirs = given.iter().find(|setting| ![HTTP_FILE, HTTPS_FILE].contains(&setting.at.file.as_str()))?;
        size(theirs.values.first()?)
    };
    HttpSetting::ALL.into_iter().filter_map(|setting| Some((setting, value(setting)?))).collect()
}

/// A size as nginx writes it: `64`, `1k`, `2m`.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'k' | b'K' => (text.get(..text.len() - 1)?, 1 << 10),
        b'm' | b'M' => (text.get(..text.len() - 1)?, 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The text of the listener's file; `None` if there is to be none.
fn rendered(desired: &Desired, host: &EdgeHost, findings: &mut Findings) -> Result<Option<String>, Report> {
    let file = match desired.listener {
        Listener::Https => {
            let (file, warnings) = render::https(&desired.table, &desired.environment, host)?;
            findings.extend(warnings);
            Some(file)
        }
        Listener::Http => render::http(&desired.table, host)?,
    };
    Ok(file.map(|file| file.text()))
}

/// The text that is live, if it is ours to replace.
fn live(listener: Listener, live: &Live, findings: &mut Findings) -> Result<Option<String>, Diagnostic> {
    let text = match live {
        Live::Absent => return Ok(None),
        Live::Other(kind) => return Err(foreign_file(listener, &format!("it is {}", kind.words()))),
        Live::Text(text) => text,
    };
    match authorship(text) {
        Authorship::Foreign => return Err(foreign_file(listener, "it does not begin with our mark")),
        Authorship::Intact => {}
        Authorship::Changed => findings.push(
            Diagnostic::warning(codes::FILE_CHANGED, "our file was changed by hand; it is replaced as a whole")
                .at(Place::named(listener.file()), "")
                .help("change the policy instead"),
        ),
    }
    Ok(Some(text.clone()))
}

/// The target of the welcome link, if it is the package's own and its site says what the package made it say.
fn welcome(observation: &Observation, now: &Overview) -> Option<String> {
    let target = observation.welcome_link.as_deref().filter(|target| is_welcome_target(target))?;
    let pristine = now.welcome.iter().any(|site| site.file == WELCOME_SITE && site.pristine);
    pristine.then(|| target.to_owned())
}

/// The files as they will be.
fn candidate(files: &Files, goal: &Goal, situation: &Situation) -> Files {
    let mut files = files.clone();
    if goal.retire_welcome && situation.welcome.is_some() {
        files.remove(WELCOME_SITE);
    }
    match &goal.text {
        Some(text) => files.insert(goal.listener.file(), text.as_bytes()),
        None => files.remove(goal.listener.file()),
    }
    files
}

/// The sockets that the running nginx holds, with the options that its configuration gives them.
fn running(observed: &Observed, now: &Overview) -> Vec<BoundSocket> {
    let held = observed.sockets.iter().filter(|socket| socket.process.as_deref() == Some("nginx"));
    held.map(|socket| {
        let endpoint = Endpoint::Ip(socket.address);
        let configured =
            now.sockets.iter().find(|known| known.endpoint == endpoint && known.transport == inspect::Transport::Tcp);
        configured.cloned().unwrap_or(BoundSocket {
            endpoint,
            transport: inspect::Transport::Tcp,
            ipv6only: socket.ipv6only,
            reuseport: false,
        })
    })
    .collect()
}

/// What must be seen of this listener from the host itself.
fn proof(desired: &Desired, host: &EdgeHost) -> Proof {
    let challenge = match (desired.listener, &desired.certificates) {
        (Listener::Http, CertificateMode::Certbot { webroot, issuer: None, .. }) => {
            Some(Challenge::Webroot(webroot.clone()))
        }
        (Listener::Http, CertificateMode::Certbot { issuer: Some(_), .. }) => Some(Challenge::PassedOn),
        _ => None,
    };
    let hosts = desired.table.hosts().iter().map(|virtual_host| {
        let name = virtual_host.origin.host();
        match desired.listener {
            Listener::Https => HostProof {
                host: name.clone(),
                port: virtual_host.origin.port(),
                certificate: host
                    .certificates
                    .files(name)
                    .and_then(|files| Some((files.certificate, desired.serials.get(name)?.clone()))),
                path: path(desired, name),
            },
            Listener::Http => {
                HostProof { host: name.clone(), port: Port::HTTP, certificate: None, path: "/".to_owned() }
            }
        }
    });
    let serves = desired.listener == Listener::Https || challenge.is_some();
    let hosts = if serves { hosts.collect() } else { Vec::new() };
    Proof { listener: desired.listener, addresses: addresses(host), hosts, challenge }
}

/// Where the host asks itself: the addresses that it listens on, and for all addresses its own.
fn addresses(host: &EdgeHost) -> Vec<IpAddr> {
    if host.listen_addresses.is_empty() {
        let mut all = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
        all.extend(host.ipv6.then_some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        return all;
    }
    let own = |address: &IpAddr| match address {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        other => *other,
    };
    host.listen_addresses.iter().map(own).collect()
}

/// A path of the host that is asked: of a public route over HTTP, if it has one.
fn path(desired: &Desired, host: &HostName) -> String {
    let probes: Vec<_> = probes(&desired.table).into_iter().filter(|probe| probe.host == *host).collect();
    let best = probes.iter().find(|probe| probe.access == Access::Public && probe.transport == Transport::Http);
    best.or(probes.first()).map_or_else(|| "/".to_owned(), |probe| probe.path.clone())
}
