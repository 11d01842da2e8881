//! What must be seen from outside before a transaction is committed.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::Listener;
use crate::certificate::Serial;
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::codes;
use crate::name::{AbsolutePath, HostName, Port};

/// What is asked of a listener, and what the answers must be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Proof {
    /// Which listener.
    pub listener: Listener,
    /// Where it is asked: addresses of this host.
    pub addresses: Vec<IpAddr>,
    /// What each host name must answer.
    pub hosts: Vec<HostProof>,
    /// How the ACME challenge is answered, on port 80.
    pub challenge: Option<Challenge>,
}

/// What a host name must answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HostProof {
    /// The name.
    pub host: HostName,
    /// The port that it is asked on.
    pub port: Port,
    /// The certificate that must be served, on port 443: its file and serial number.
    pub certificate: Option<(AbsolutePath, Serial)>,
    /// A path that a route takes.
    pub path: String,
}

/// How the challenge is answered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Challenge {
    /// From this folder: a token that is put there must come back.
    Webroot(AbsolutePath),
    /// By another edge: whatever it answers, it must be it.
    PassedOn,
}

impl Proof {
    /// The same without writing anything on the host: that the challenge is answered at all is then enough.
    #[must_use]
    pub fn without_token(&self) -> Self {
        let challenge = self.challenge.as_ref().map(|_| Challenge::PassedOn);
        Self { challenge, ..self.clone() }
    }

    /// The ports that are asked, in ascending order.
    pub fn ports(&self) -> BTreeSet<Port> {
        self.hosts.iter().map(|host| host.port).collect()
    }
}

/// Whether a new generation of workers took over.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Generation {
    /// It did.
    New,
    /// The old one goes on, and the error log says why.
    Refused(String),
    /// The old one goes on.
    Old,
}

/// What was answered at an address.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Served {
    /// The address.
    pub address: IpAddr,
    /// What each host name answered, in the order of the proof.
    pub hosts: Vec<HostAnswer>,
    /// Whether a TLS handshake for an unknown name is refused on every port that is asked.
    pub refuses_unknown: bool,
}

/// What a host name answered. `Err` says why there was no answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HostAnswer {
    /// The serial number of the certificate that was served, on port 443.
    pub serial: Result<Serial, String>,
    /// The status of the answer to the proof's path; none within the time means that it was passed on and waits.
    pub status: Result<Option<u16>, String>,
    /// The answer to the challenge, on port 80.
    pub challenge: Option<ChallengeAnswer>,
}

/// The answer to a challenge.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChallengeAnswer {
    /// Its status, or why there was none.
    pub status: Result<Option<u16>, String>,
    /// Whether its body is the token.
    pub token: bool,
}

/// Everything that was answered.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ProofAnswers(pub Vec<Served>);

impl Generation {
    /// Why nginx's error log, from the reload on, says that the new generation was given up; `None` if it does not say so (yet).
    pub fn refusal(log: &str) -> Option<String> {
        let emergencies = || log.lines().filter_map(|line| line.split_once("[emerg] ").map(|(_, words)| words));
        let gave_up = |words: &str| words.contains("still could not bind()");
        if !emergencies().any(gave_up) {
            return None;
        }
        // `123#123: bind() to 0.0.0.0:443 failed (98: Address already in use)`, once for each try.
        let mut addresses: Vec<&str> = emergencies()
            .filter(|words| words.contains("bind() to "))
            .map(|words| words.split_once(": ").map_or(words, |(_, words)| words))
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        Some(if addresses.is_empty() { "it could not bind its addresses".to_owned() } else { addresses.join("; ") })
    }
}

/// `edge/reload-without-effect` unless a new generation serves: nginx's test and the reload itself succeed also when it could
/// not bind an address.
pub fn judge_generation(listener: Listener, generation: &Generation, findings: &mut Findings) {
    let why = match generation {
        Generation::New => return,
        Generation::Refused(line) => line.clone(),
        Generation::Old => "no new worker process came up, and the error log does not say why".to_owned(),
    };
    findings.push(
        Diagnostic::error(codes::RELOAD_WITHOUT_EFFECT, format!("nginx goes on with its old configuration: {why}"))
            .at(Place::named(listener.file()), "")
            .help("free the address that it names, or give the other one up"),
    );
}

/// Judges the answers: `edge/not-served` for a name, route or challenge that is not answered as it must be,
/// `edge/stale-certificate` for another certificate than the file's; as warnings, `edge/upstream-silent` and
/// `edge/issuer-silent` for a gateway and an issuing edge that do not answer.
pub fn judge_proof(proof: &Proof, answers: &ProofAnswers, findings: &mut Findings) {
    for served in &answers.0 {
        let place = || Place::named(&served.address.to_string());
        for (host, answer) in proof.hosts.iter().zip(&served.hosts) {
            let fault = match proof.listener {
                Listener::Https => https_fault(host, answer, place, findings),
                Listener::Http => http_fault(proof, host, answer, place, findings),
            };
            if let Some(diagnostic) = fault {
                findings.push(diagnostic.at(place(), ""));
            }
        }
        if proof.listener == Listener::Https && !served.refuses_unknown {
            findings.push(
                not_served("a TLS handshake for a name that is not ours succeeds".to_owned())
                    .at(place(), "")
                    .help("find the server that takes it: it is the default of this address, and ours is not"),
            );
        }
    }
}

fn not_served(message: String) -> Diagnostic {
    Diagnostic::error(codes::NOT_SERVED, message)
}

/// How an answer is called.
fn words(status: &Result<Option<u16>, String>) -> String {
    match status {
        Ok(Some(status)) => status.to_string(),
        Ok(None) => "nothing in time".to_owned(),
        Err(why) => why.clone(),
    }
}

fn https_fault(
    proof: &HostProof,
    answer: &HostAnswer,
    place: impl Fn() -> Place,
    findings: &mut Findings,
) -> Option<Diagnostic> {
    let host = &proof.host;
    let serial = match &answer.serial {
        Ok(serial) => serial,
        Err(why) => return Some(not_served(format!("`{host}` is not served: {why}"))),
    };
    if let Some((file, expected)) = &proof.certificate
        && serial != expected
    {
        return Some(
            Diagnostic::error(
                codes::STALE_CERTIFICATE,
                format!("`{host}` is served with the certificate {serial}, its file `{file}` holds {expected}"),
            )
            .help("the file changed under the running nginx, or another server answers this name"),
        );
    }
    match &answer.status {
        Err(why) => Some(not_served(format!("`{host}{}` is not answered: {why}", proof.path))),
        Ok(Some(421)) => {
            let message = format!("`{host}{}` is answered by the default server (421)", proof.path);
            Some(not_served(message).help("another server takes this name or its address"))
        }
        // The edge did its part, and what stands behind it is another's: such an installation is good.
        Ok(None | Some(502 | 504)) => {
            let found = words(&answer.status);
            let message = format!("`{host}{}` is passed on to the gateway, which does not answer: {found}", proof.path);
            findings.push(
                Diagnostic::warning(codes::UPSTREAM_SILENT, message)
                    .at(place(), "")
                    .help("look at the gateway and at what it leads to; the edge needs no further run"),
            );
            None
        }
        Ok(Some(_)) => None,
    }
}

fn http_fault(
    proof: &Proof,
    host_proof: &HostProof,
    answer: &HostAnswer,
    place: impl Fn() -> Place,
    findings: &mut Findings,
) -> Option<Diagnostic> {
    let host = &host_proof.host;
    let redirect = matches!(answer.status, Ok(Some(301 | 302 | 307 | 308)));
    if !redirect {
        let found = words(&answer.status);
        return Some(not_served(format!("`http://{host}{}` is not redirected to HTTPS: {found}", host_proof.path)));
    }
    let challenge = answer.challenge.as_ref()?;
    let found = words(&challenge.status);
    match (&proof.challenge, &challenge.status) {
        (Some(Challenge::Webroot(webroot)), status) if !(*status == Ok(Some(200)) && challenge.token) => Some(
            not_served(format!("the ACME challenge of `{host}` is not answered from `{webroot}`: {found}"))
                .help("let nginx's user read the folder and those above it"),
        ),
        (None | Some(Challenge::Webroot(_)), _) | (Some(Challenge::PassedOn), Ok(Some(200 | 404))) => None,
        (Some(Challenge::PassedOn), Ok(None | Some(500..=599))) => {
            findings.push(
                Diagnostic::warning(
                    codes::ISSUER_SILENT,
                    format!("the edge that issues certificates does not answer the challenge of `{host}`: {found}"),
                )
                .at(place(), "")
                .help("install that edge first, and let this one reach its port 80"),
            );
            None
        }
        (Some(Challenge::PassedOn), _) => {
            Some(not_served(format!("the ACME challenge of `{host}` is not passed on to the issuing edge: {found}")))
        }
    }
}
