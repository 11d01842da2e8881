//! Whether the issued certificate is still what is wanted.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::certificate::facts::Certificate;
use crate::certificate::{
    CertificatePolicy, CertificateSummary, Input, Remaining, Request, ServerName, TrustAnchors, UnixTime, check, codes,
};
use crate::diagnostic::{Report, Severity};
use crate::name::HostName;

/// Why a certificate is issued.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueReasonKind {
    /// There is none, or its key is gone.
    Missing,
    /// It names other hosts than are wanted.
    Names,
    /// The private key is that of another certificate.
    KeyMismatch,
    /// A third of its lifetime is left, or less.
    Expiring,
    /// It is over.
    Expired,
    /// It is not fit for an edge, for a reason of its own.
    Unfit,
}

/// A reason with its evidence.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IssueReason {
    /// The kind.
    pub kind: IssueReasonKind,
    /// What was found: words, or the code of the judgement that an edge would refuse it with.
    pub detail: String,
}

impl IssueReason {
    fn new(kind: IssueReasonKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

/// What speaks against the issued certificate; nothing if it can stay.
pub(super) fn reasons(
    chain: Option<Input<'_>>,
    key: Option<Input<'_>>,
    authority: &Certificate,
    hosts: &BTreeSet<HostName>,
    at: UnixTime,
) -> (Vec<IssueReason>, Option<CertificateSummary>) {
    let (Some(chain), Some(key)) = (chain, key) else {
        let what = if chain.is_none() { "there is no certificate" } else { "its private key is missing" };
        return (vec![IssueReason::new(IssueReasonKind::Missing, what)], None);
    };
    let stored = crate::certificate::describe(chain.bytes).into_iter().next();
    let refused = |report: &Report| (of_report(report), stored.clone());
    let pem = authority.x509.to_pem().unwrap_or_default();
    let anchors = match TrustAnchors::read(&Input { name: "authority", bytes: &pem }) {
        Ok((anchors, _)) => anchors,
        Err(report) => return refused(&report),
    };
    let names: Vec<ServerName> = hosts.iter().cloned().map(ServerName::Host).collect();
    let request =
        Request { chain, key: Some(key), anchors: &anchors, hosts: &names, policy: CertificatePolicy::default(), at };
    match check(&request) {
        Ok((path, _)) => (of_fit(path.leaf(), hosts, at), Some(path.leaf().clone())),
        Err(report) => refused(&report),
    }
}

/// The reasons in a report that refuses, a kind once.
fn of_report(report: &Report) -> Vec<IssueReason> {
    let mut reasons: Vec<IssueReason> = Vec::new();
    for diagnostic in report.diagnostics().iter().filter(|found| found.severity == Severity::Error) {
        let kind = match diagnostic.code {
            code if code == codes::KEY_MISMATCH => IssueReasonKind::KeyMismatch,
            code if code == codes::HOST_MISMATCH || code == codes::NO_ALTERNATIVE_NAME => IssueReasonKind::Names,
            code if code == codes::EXPIRED => IssueReasonKind::Expired,
            _ => IssueReasonKind::Unfit,
        };
        let reason = IssueReason::new(kind, diagnostic.code.name());
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// The reasons against a certificate that an edge would serve.
fn of_fit(leaf: &CertificateSummary, hosts: &BTreeSet<HostName>, at: UnixTime) -> Vec<IssueReason> {
    let mut reasons = Vec::new();
    let named: BTreeSet<String> = leaf.dns_names.iter().map(|name| name.to_ascii_lowercase()).collect();
    let surplus: Vec<&str> = named.iter().map(String::as_str).filter(|name| !is_wanted(name, hosts)).collect();
    if !surplus.is_empty() || !leaf.ip_addresses.is_empty() {
        let addresses = leaf.ip_addresses.iter().map(ToString::to_string);
        let listed: Vec<String> = surplus.into_iter().map(str::to_owned).chain(addresses).collect();
        reasons.push(IssueReason::new(IssueReasonKind::Names, format!("names {} as well", listed.join(", "))));
    } else if named.len() != hosts.len() {
        // Every name is wanted and every host is covered: it can only name one of them twice.
        reasons.push(IssueReason::new(IssueReasonKind::Names, "does not name each host by itself"));
    }
    match Remaining::grade(leaf.not_before, leaf.not_after, at) {
        Remaining::RenewalDue => {
            reasons.push(IssueReason::new(IssueReasonKind::Expiring, format!("ends on {}", leaf.not_after)));
        }
        // The check refuses both.
        Remaining::NotYet | Remaining::Nothing | Remaining::Enough => {}
    }
    reasons
}

fn is_wanted(name: &str, hosts: &BTreeSet<HostName>) -> bool {
    hosts.iter().any(|host| host.as_str() == name)
}
