//! Whether to make an authority, and whether to issue.

use std::collections::BTreeSet;

use super::leaf::{self, IssueReason, IssueReasonKind};
use super::{authority, authority_validity};
use crate::certificate::{CertificateSummary, Input, UnixTime, codes};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::name::HostName;

/// What lies on the host; `None` for a file that is not there.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnHost<'a> {
    /// The authority's certificate.
    pub authority: Option<Input<'a>>,
    /// The authority's private key.
    pub authority_key: Option<Input<'a>>,
    /// The copy of the authority's certificate that is published to the users of the machine.
    pub published: Option<Input<'a>>,
    /// The issued certificate.
    pub leaf: Option<Input<'a>>,
    /// The private key of the issued certificate.
    pub leaf_key: Option<Input<'a>>,
}

/// What becomes of the authority.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AuthorityAction {
    /// Nothing at all is there: make one.
    Create,
    /// It stays, byte for byte.
    Keep(Box<CertificateSummary>),
}

/// What becomes of the certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LeafAction {
    /// It stays.
    Leave(Box<CertificateSummary>),
    /// A new one is issued.
    Issue(Vec<IssueReason>),
}

/// What is to be done.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DevelopmentDecision {
    /// About the authority.
    pub authority: AuthorityAction,
    /// About the certificate.
    pub leaf: LeafAction,
    /// Whether the authority's certificate is to be published.
    pub publishes: bool,
    /// The end of the authority, which no certificate outlives.
    pub authority_ends: UnixTime,
}

impl DevelopmentDecision {
    /// Whether nothing is to be done.
    pub fn is_settled(&self) -> bool {
        matches!((&self.authority, &self.leaf), (AuthorityAction::Keep(_), LeafAction::Leave(_))) && !self.publishes
    }

    /// Why a certificate is issued; nothing if none is.
    pub fn reasons(&self) -> &[IssueReason] {
        match &self.leaf {
            LeafAction::Leave(_) => &[],
            LeafAction::Issue(reasons) => reasons,
        }
    }
}

/// Decides on the authority of a machine and on the certificate for these hosts.
///
/// # Errors
/// `certificate/development-authority-incomplete`, `-unreadable`, `-key`, `-unfit` and `-copy`: an authority is never replaced. A warning:
/// `certificate/development-authority-ends`.
pub fn decide(
    there: &OnHost<'_>,
    hosts: &BTreeSet<HostName>,
    at: UnixTime,
) -> Result<(DevelopmentDecision, Report), Report> {
    let mut findings = Findings::new();
    let read = match (&there.authority, &there.authority_key) {
        (Some(certificate), Some(key)) => authority::read(certificate, key, at, &mut findings),
        (Some(certificate), None) => {
            findings.push(authority::incomplete("its private key", certificate.name));
            None
        }
        (None, Some(key)) => {
            findings.push(authority::incomplete("its certificate", key.name));
            None
        }
        (None, None) => match there.leaf.or(there.leaf_key).or(there.published) {
            None => return Ok((fresh(at), Report::default())),
            Some(left) => {
                findings.push(authority::incomplete("everything but what was made from it", left.name));
                None
            }
        },
    };
    if let (Some(certificate), Some(published)) = (&there.authority, &there.published)
        && certificate.bytes != published.bytes
    {
        findings.push(authority::another_copy(certificate, published));
    }
    let Some(authority) = read.filter(|_| !findings.refused()) else {
        return Err(findings.into_report());
    };
    let (reasons, stored) = leaf::reasons(there.leaf, there.leaf_key, &authority, hosts, at);
    let leaf = match stored {
        Some(stored) if reasons.is_empty() => LeafAction::Leave(Box::new(stored)),
        _ => LeafAction::Issue(reasons),
    };
    let authority_ends = authority.summary.not_after;
    let authority = AuthorityAction::Keep(Box::new(authority.summary));
    findings.conclude(DevelopmentDecision { authority, leaf, publishes: there.published.is_none(), authority_ends })
}

/// The decision on a host where nothing is.
fn fresh(at: UnixTime) -> DevelopmentDecision {
    let reason = IssueReason { kind: IssueReasonKind::Missing, detail: "this machine has no authority yet".to_owned() };
    DevelopmentDecision {
        authority: AuthorityAction::Create,
        leaf: LeafAction::Issue(vec![reason]),
        publishes: true,
        authority_ends: authority_validity(at).to,
    }
}

/// Judges what was issued: the same question once more, to which the answer must be that it stays.
///
/// # Errors
/// `certificate/development-leaf-unfit`, and whatever [`decide`] refuses.
pub fn judge_issued(issued: &OnHost<'_>, hosts: &BTreeSet<HostName>, at: UnixTime) -> Result<(), Report> {
    let (decision, _) = decide(issued, hosts, at)?;
    let mut findings = Findings::new();
    for reason in decision.reasons() {
        findings.push(
            Diagnostic::error(
                codes::DEVELOPMENT_LEAF_UNFIT,
                format!("the certificate that was issued is not fit: {}", reason.detail),
            )
            .at(Place::named(issued.leaf.map_or("certificate", |leaf| leaf.name)), "not put in place")
            .help(
                "the authority on this host cannot issue what an edge may serve: look at what its certificate allows",
            ),
        );
    }
    findings.conclude(()).map(drop)
}
