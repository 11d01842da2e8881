//! Whether what lies on the host is an authority that can go on issuing.

use x509_parser::prelude::{FromDer, X509Certificate};

use crate::certificate::bundle::{self, CHAIN, Keys};
use crate::certificate::facts::Certificate;
use crate::certificate::instant::{DAY, span};
use crate::certificate::{Input, UnixTime, codes, key, strength};
use crate::diagnostic::{Diagnostic, Findings, Place};

/// The common name of an authority that is made.
pub const AUTHORITY_NAME: &str = "Pharos development authority";

/// How long an authority is valid for that is made, in days: ten years.
pub const AUTHORITY_DAYS: i64 = 3650;

/// How long a certificate is valid for that it issues, in days: one less than browsers accept.
pub const LEAF_DAYS: i64 = 397;

/// How far the start of validity lies in the past, for clients whose clock is behind.
const BACKDATED: i64 = 3600;

/// What is written as the remedy for an authority that cannot be used.
const REMEDY: &str = "restore the file from a backup; only if there is none, move the whole folder away: a new authority is then \
                      made, which every browser and client of this machine must be told to trust";

/// The ends of a validity.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Validity {
    /// Its start.
    pub from: UnixTime,
    /// Its end.
    pub to: UnixTime,
}

/// The validity of an authority that is made at this instant.
pub const fn authority_validity(at: UnixTime) -> Validity {
    Validity { from: at.plus(-BACKDATED), to: at.plus(AUTHORITY_DAYS * DAY) }
}

/// The validity of a certificate that is issued at this instant: never beyond the end of its authority.
pub fn leaf_validity(at: UnixTime, authority_ends: UnixTime) -> Validity {
    Validity { from: at.plus(-BACKDATED), to: at.plus(LEAF_DAYS * DAY).min(authority_ends) }
}

/// Reads and judges both files of an authority. Whatever is wrong with it is a finding that refuses; one that will end soon is
/// warned about.
pub(super) fn read(
    certificate: &Input<'_>,
    key_file: &Input<'_>,
    at: UnixTime,
    findings: &mut Findings,
) -> Option<Certificate> {
    let mut found = Findings::new();
    let mut certificates = bundle::read(certificate, CHAIN, Keys::Refused, &mut found);
    let key = key::read(key_file, &mut found);
    let readable = !found.refused();
    findings.extend(found.into_report());
    if certificates.len() > 1 {
        let message = format!("the file of the authority holds {} certificates", certificates.len());
        findings.push(unreadable(certificate, message, "keep the authority's own certificate alone in it"));
        return None;
    }
    let (Some(authority), Some(key), true) = (certificates.pop(), key, readable) else {
        let message = "the development authority cannot be read, and is not replaced";
        findings.push(unreadable(certificate, message.to_owned(), REMEDY));
        return None;
    };
    if !key::belongs(&key, &authority) {
        findings.push(
            Diagnostic::error(
                codes::DEVELOPMENT_AUTHORITY_KEY,
                "the private key is not that of the development authority, which is not replaced",
            )
            .at(Place::named(key_file.name), "another key")
            .at(authority.place.clone(), "this certificate")
            .help(REMEDY),
        );
    }
    fitness(&authority, at, findings);
    Some(authority)
}

fn unreadable(certificate: &Input<'_>, message: String, help: &str) -> Diagnostic {
    Diagnostic::error(codes::DEVELOPMENT_AUTHORITY_UNREADABLE, message)
        .at(Place::named(certificate.name), "")
        .help(help)
}

/// One part of the authority without the other, or what it issued without it.
pub(super) fn incomplete(missing: &str, evidence: &str) -> Diagnostic {
    Diagnostic::error(
        codes::DEVELOPMENT_AUTHORITY_INCOMPLETE,
        format!("the development authority is incomplete: {missing} is missing"),
    )
    .at(Place::named(evidence), "this is there")
    .help(REMEDY)
}

/// A published copy that is not the authority's certificate: one of the two is the one that clients trust.
pub(super) fn another_copy(certificate: &Input<'_>, published: &Input<'_>) -> Diagnostic {
    Diagnostic::error(
        codes::DEVELOPMENT_AUTHORITY_COPY,
        "the published copy is not the certificate of the development authority",
    )
    .at(Place::named(published.name), "the copy, which clients are told to trust")
    .at(Place::named(certificate.name), "the authority that issues")
    .help("if the authority is the one that clients trust, remove the copy: it is published anew; else restore the authority")
}

/// Whether it may issue at this instant.
fn fitness(authority: &Certificate, at: UnixTime, findings: &mut Findings) {
    let summary = &authority.summary;
    let mut refuse = |why: String| {
        findings.push(
            Diagnostic::error(
                codes::DEVELOPMENT_AUTHORITY_UNFIT,
                format!("the development authority cannot issue: {why}"),
            )
            .at(authority.place.clone(), "")
            .help(REMEDY),
        );
    };
    if !summary.authority || !signs_certificates(authority) {
        refuse("its certificate is not that of an authority".to_owned());
    }
    if !authority.self_issued() || !signed_by_itself(authority) {
        refuse(
            "its certificate is not signed with its own key, so that no client can be told to trust it alone"
                .to_owned(),
        );
    }
    if at < summary.not_before {
        refuse(format!("it is valid only from {}", summary.not_before));
    }
    let left = summary.not_after.since(at);
    if left <= 0 {
        refuse(format!("it ended {} ago, on {}", span(left), summary.not_after));
    }
    strength::check(&[authority], true, findings);
    if !findings.refused() && left < LEAF_DAYS * DAY {
        let message = format!("the development authority ends in {}, on {}", span(left), summary.not_after);
        findings.push(
            Diagnostic::warning(codes::DEVELOPMENT_AUTHORITY_ENDS, message)
                .at(authority.place.clone(), "the certificates that it issues end with it")
                .help("plan its successor: a new authority is one that every browser and client is told to trust anew"),
        );
    }
}

/// Whether its key usage lets it sign certificates; without that extension it may (RFC 5280 section 4.2.1.3).
fn signs_certificates(authority: &Certificate) -> bool {
    let Ok((_, parsed)) = X509Certificate::from_der(&authority.der) else { return false };
    parsed.key_usage().is_ok_and(|usage| usage.is_none_or(|usage| usage.value.key_cert_sign()))
}

fn signed_by_itself(authority: &Certificate) -> bool {
    let verified = authority.x509.public_key().and_then(|key| authority.x509.verify(&key));
    verified.unwrap_or(false)
}
