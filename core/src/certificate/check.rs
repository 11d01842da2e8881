//! The judgement of a chain, and the proof that it is fit.

use openssl::error::ErrorStack;
use openssl::x509::X509;

use super::bundle::{self, CHAIN, Keys};
use super::facts::{Certificate, reason};
use super::failure::{Context, explain, unverifiable};
use super::input::Input;
use super::key;
use super::summary::CertificateSummary;
use super::trust::{Failure, Rigour, TrustAnchors, Verdict, verify};
use super::{ServerName, UnixTime, codes, order, server_name, strength, usage, validity};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// What is asked of a chain beyond being sound.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct CertificatePolicy {
    /// Whether the chain may come from an ACME staging environment, whose roots nobody trusts: a path that is sound up to
    /// the topmost certificate sent is then accepted with the warning `certificate/staging`.
    pub staging: bool,
}

/// Everything that a judgement depends on.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The server's certificate and its intermediates, as the server would send them.
    pub chain: Input<'a>,
    /// The private key; without it the key is not judged.
    pub key: Option<Input<'a>>,
    /// What a path may end in.
    pub anchors: &'a TrustAnchors,
    /// Every name that clients will ask for.
    pub hosts: &'a [ServerName],
    /// What else is asked.
    pub policy: CertificatePolicy,
    /// The instant of the judgement.
    pub at: UnixTime,
}

/// Proof that a chain was verified: [`check`] alone makes it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct VerifiedPath {
    leaf: CertificateSummary,
    issuers: Vec<CertificateSummary>,
    hosts: Vec<ServerName>,
    at: UnixTime,
    key_checked: bool,
    anchored: bool,
}

impl VerifiedPath {
    /// The server's certificate.
    pub fn leaf(&self) -> &CertificateSummary {
        &self.leaf
    }

    /// The issuers from the server's certificate up to the anchor. A trust anchor that the file does not hold has
    /// position 0.
    pub fn issuers(&self) -> &[CertificateSummary] {
        &self.issuers
    }

    /// The names that it was verified for.
    pub fn hosts(&self) -> &[ServerName] {
        &self.hosts
    }

    /// The instant that it was verified for.
    pub fn at(&self) -> UnixTime {
        self.at
    }

    /// The end of the path: the earliest end of a certificate in it.
    pub fn valid_until(&self) -> UnixTime {
        self.issuers.iter().map(|issuer| issuer.not_after).fold(self.leaf.not_after, std::cmp::min)
    }

    /// Whether a private key was given, which then is the certificate's own.
    pub fn key_checked(&self) -> bool {
        self.key_checked
    }

    /// Whether the path ends in a trust anchor; false only under a staging policy.
    pub fn anchored(&self) -> bool {
        self.anchored
    }
}

/// Judges whether a server may serve this chain with this key for these hosts at this instant. The warnings come with the
/// proof; a refusal lists everything that was found.
///
/// # Errors
/// The codes of the room `certificate`.
pub fn check(request: &Request<'_>) -> Result<(VerifiedPath, Report), Report> {
    let mut findings = Findings::new();
    let sent = bundle::read(&request.chain, CHAIN, Keys::PassedOver, &mut findings);
    let readable = !findings.refused();
    let key = request.key.and_then(|input| key::read(&input, &mut findings));
    let mut proof = None;
    if readable {
        let index = order::leaf(&sent, key.as_ref(), &mut findings);
        if let Some(leaf) = sent.get(index) {
            if let Some(key) = &key {
                key::matches(key, leaf, &mut findings);
            }
            server_name::check(leaf, request.hosts, &mut findings);
            usage::check(leaf, &mut findings);
            let path = judge_path(request, &sent, leaf, &mut findings);
            proof = path.map(|(issuers, anchored)| VerifiedPath {
                leaf: leaf.summary.clone(),
                issuers,
                hosts: request.hosts.to_vec(),
                at: request.at,
                key_checked: key.is_some(),
                anchored,
            });
        }
    }
    match proof {
        Some(proof) => findings.conclude(proof),
        None => Err(findings.into_report()),
    }
}

/// Builds the path, has OpenSSL verify it, and judges each certificate in it. The issuers are answered, and whether they
/// lead to a trust anchor, if OpenSSL agrees.
fn judge_path(
    request: &Request<'_>,
    sent: &[Certificate],
    leaf: &Certificate,
    findings: &mut Findings,
) -> Option<(Vec<CertificateSummary>, bool)> {
    let judge = Judge { request, sent, leaf };
    let (verdict, failures) = match judge.verdict() {
        Ok(found) => found,
        Err(error) => {
            findings.push(unverifiable(leaf, &reason(&error)));
            return None;
        }
    };
    if verdict.staged {
        findings.push(staging(leaf));
    }
    let path = judge.certificates(&verdict.path);
    let path: Vec<&Certificate> = path.iter().collect();
    let complete = !failures.iter().any(|failure| failure.no_anchor());
    validity::check(&path, request.at, findings);
    strength::check(&path, complete, findings);
    if complete {
        order::check(sent, &path, request.at, findings);
    }
    let known = request.anchors.are_known();
    if let Some(first) = failures.first() {
        let context = Context { path: &path, sent, anchors: request.anchors };
        for diagnostic in failures.iter().filter_map(|failure| explain(*failure, &context)) {
            findings.push(diagnostic);
        }
        // Whatever our rules think of it: there is no proof without OpenSSL's consent.
        if known && !findings.refused() {
            findings.push(unverifiable(leaf, first.words));
        }
        return None;
    }
    known.then(|| (path.iter().skip(1).map(|issuer| issuer.summary.clone()).collect(), !verdict.staged))
}

struct Judge<'a> {
    request: &'a Request<'a>,
    sent: &'a [Certificate],
    leaf: &'a Certificate,
}

impl Judge<'_> {
    /// OpenSSL's verdict under the policy, and its refusals: the first one, and the next one behind a fault of date or
    /// strength, which our own rules report in full.
    fn verdict(&self) -> Result<(Verdict, Vec<Failure>), ErrorStack> {
        let known = self.request.anchors.are_known();
        let (mut verdict, topped) = self.reach(Rigour::Full, !known || self.request.policy.staging)?;
        verdict.staged = topped && known;
        let mut failures: Vec<Failure> = verdict.failure.into_iter().collect();
        if !verdict.staged && verdict.failure.is_some_and(Failure::date_or_strength) {
            failures.extend(self.reach(Rigour::Remainder, !known)?.0.failure);
        }
        Ok((verdict, failures))
    }

    /// The verdict, and whether the topmost certificate that was sent stood for a missing anchor, where it may.
    fn reach(&self, rigour: Rigour, top_may_end: bool) -> Result<(Verdict, bool), ErrorStack> {
        let verdict = self.verify(self.request.anchors.certificates(), rigour)?;
        match verdict.path.as_slice() {
            [_, .., top] if top_may_end && verdict.failure.is_some_and(Failure::no_anchor) => {
                Ok((self.verify(std::slice::from_ref(top), rigour.partial())?, true))
            }
            _ => Ok((verdict, false)),
        }
    }

    fn verify(&self, anchors: &[X509], rigour: Rigour) -> Result<Verdict, ErrorStack> {
        let others = self.sent.iter().filter(|other| other.der != self.leaf.der).map(|other| &other.x509);
        verify(anchors, &self.leaf.x509, others, self.request.at, rigour)
    }

    /// The certificates of a path: those of the file where they stand in it, else trust anchors.
    fn certificates(&self, path: &[X509]) -> Vec<Certificate> {
        let find = |x509: &X509| {
            let der = x509.to_der().ok()?;
            let sent = self.sent.iter().find(|certificate| certificate.der == der).cloned();
            sent.or_else(|| Certificate::read(&der, false, 0, Place::named(self.request.anchors.name())).ok())
        };
        path.iter().filter_map(find).collect()
    }
}

fn staging(leaf: &Certificate) -> Diagnostic {
    Diagnostic::warning(
        codes::STAGING,
        format!("{} comes from a staging authority, which no client trusts", leaf.title()),
    )
    .at(leaf.place.clone(), "accepted, for the policy says staging")
    .help("set `edge_acme_staging: false` once issuing works; the certificates are then requested anew")
}
