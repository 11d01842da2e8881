//! OpenSSL's refusals of a path, said in our words at the certificate they are about.

use super::codes;
use super::facts::{Certificate, quoted};
use super::trust::{Failure, TrustAnchors};
use crate::diagnostic::{Code, Diagnostic};

/// What helps where no list of public authorities has the issuer.
const OWN_AUTHORITY: &str =
    "an authority of your own is given as trust anchor (`pharos certificate check --trust FILE`)";

/// What Let's Encrypt writes into the names of its staging authorities.
const STAGING: &str = "(STAGING)";
const STAGING_HELP: &str =
    "this is a staging certificate, which no client trusts: have it issued by the production server";

/// What a refusal is explained from.
pub(super) struct Context<'a> {
    /// The path as far as it was built, the server's certificate first.
    pub(super) path: &'a [&'a Certificate],
    /// The certificates of the file.
    pub(super) sent: &'a [Certificate],
    /// What the path may end in.
    pub(super) anchors: &'a TrustAnchors,
}

/// The finding for a refusal; `None` where the rules on dates, keys and signatures have said it already, or where anchors that could not
/// be read may settle it.
pub(super) fn explain(failure: Failure, context: &Context<'_>) -> Option<Diagnostic> {
    let certificate = context.path.get(failure.depth).or(context.path.last())?;
    let title = certificate.title();
    let say = |code: Code, message: String, help: &str| {
        Some(Diagnostic::error(code, message).at(certificate.place.clone(), "").help(help))
    };
    if failure.date_or_strength() {
        return None;
    }
    match failure.error {
        2 | 20 | 21 => no_issuer(certificate, failure.depth, context),
        18 | 19 if !context.anchors.are_known() => None,
        18 => say(
            codes::SELF_SIGNED,
            format!("{title} is self-signed, and no trust anchor"),
            "have it issued by an authority that clients trust",
        ),
        19 => Some(unknown_root(certificate, context)),
        4 | 7 => say(
            codes::BAD_SIGNATURE,
            format!("the signature of {title} was not made by its issuer's key"),
            "one of the two is damaged or of another issue: install the chain that came with the certificate",
        ),
        24 | 32 | 79 => say(
            codes::NOT_AN_AUTHORITY,
            format!("{title} issued another one, yet is not that of an authority"),
            "only a certificate with CA:TRUE and the key usage keyCertSign may issue: have it issued by such a one",
        ),
        25 => say(
            codes::PATH_LENGTH,
            format!("below {title} stand more authorities than its path length allows"),
            "have the server's certificate issued by an authority further up",
        ),
        26 if failure.depth > 0 => say(
            codes::PURPOSE,
            format!("{title} may not issue certificates for servers"),
            "have the server's certificate issued by an authority for servers",
        ),
        26 => None,
        34 => say(
            codes::UNKNOWN_CRITICAL_EXTENSION,
            format!(
                "{title} has a critical extension that is not understood{}",
                listed(&certificate.usage.unknown_critical)
            ),
            "have it issued without it: clients that do not know the extension must refuse the certificate",
        ),
        46..=49 | 51..=53 => say(
            codes::NAME_CONSTRAINT,
            format!("{title} has a name outside what its authority may issue for: {}", failure.words),
            "have it issued by an authority that may, or without that name",
        ),
        76..=78 | 80..=94 => say(
            codes::PROFILE,
            format!("{title} breaks a rule of RFC 5280: {}", failure.words),
            "have it issued again as the rule says: strict clients refuse it",
        ),
        _ => Some(unverifiable(certificate, failure.words)),
    }
}

/// A refusal in OpenSSL's own words.
pub(super) fn unverifiable(certificate: &Certificate, words: &str) -> Diagnostic {
    Diagnostic::error(codes::UNVERIFIABLE, format!("{} cannot be verified: {words}", certificate.title()))
        .at(certificate.place.clone(), "")
        .help("verify it by hand: `openssl verify -x509_strict -purpose sslserver -CAfile ANCHORS -untrusted CHAIN CHAIN`")
}

fn listed(oids: &[String]) -> String {
    if oids.is_empty() { String::new() } else { format!(" ({})", oids.join(", ")) }
}

/// The path ends at a certificate whose issuer was found nowhere, or only under its name. Anchors that could not be read may have it.
fn no_issuer(certificate: &Certificate, depth: usize, context: &Context<'_>) -> Option<Diagnostic> {
    let namesake = namesake(certificate, context);
    namesake.or_else(|| context.anchors.are_known().then(|| absent_issuer(certificate, depth, context)))
}

/// A certificate of the file has the issuer's name and is not the issuer.
fn namesake(certificate: &Certificate, context: &Context<'_>) -> Option<Diagnostic> {
    let other =
        context.sent.iter().find(|other| other.subject == certificate.issuer && other.der != certificate.der)?;
    let why = other.x509.issued(&certificate.x509);
    if !matches!(why.as_raw(), 30 | 31) {
        return Some(unverifiable(certificate, why.error_string()));
    }
    let message = format!("{} was issued with another key than that of {}", certificate.title(), other.title());
    let issuer = quoted(&certificate.summary.issuer);
    let found = Diagnostic::error(codes::ISSUER_MISMATCH, message)
        .at(certificate.place.clone(), format!("issued by {issuer}"))
        .at(other.place.clone(), "the same name, another key");
    Some(found.help("install the chain that came with the certificate"))
}

/// Nobody has the issuer, or an anchor has its name alone.
fn absent_issuer(certificate: &Certificate, depth: usize, context: &Context<'_>) -> Diagnostic {
    let title = certificate.title();
    let issuer = quoted(&certificate.summary.issuer);
    let place = certificate.place.clone();
    if context.anchors.has_subject(&certificate.issuer) {
        return Diagnostic::error(
            codes::ISSUER_MISMATCH,
            format!("{title} was issued with another key than that of the trust anchor {issuer}"),
        )
        .at(place, "the same name, another key")
        .help("find out which authority issued it: this one is not trusted");
    }
    let help = if certificate.summary.issuer.contains(STAGING) {
        STAGING_HELP.to_owned()
    } else if depth == 0 {
        format!("append the intermediate to the file (`fullchain.pem`, not `cert.pem`); {OWN_AUTHORITY}")
    } else {
        format!(
            "append the missing certificate, or add the root {issuer} to {}; {OWN_AUTHORITY}",
            context.anchors.name()
        )
    };
    Diagnostic::error(
        codes::MISSING_INTERMEDIATE,
        format!("the issuer of {title} is neither in the file nor a trust anchor"),
    )
    .at(place, format!("issued by {issuer}"))
    .help(help)
}

fn unknown_root(root: &Certificate, context: &Context<'_>) -> Diagnostic {
    let label = if context.anchors.has_subject(&root.subject) {
        "a trust anchor of this name has another key"
    } else {
        "not a trust anchor"
    };
    let help = if root.summary.subject.contains(STAGING) {
        STAGING_HELP.to_owned()
    } else {
        format!("have the certificate issued by a trusted authority, or add this root to {}", context.anchors.name())
    };
    Diagnostic::error(codes::UNTRUSTED_ROOT, format!("the path ends in {}, which is not trusted", root.title()))
        .at(root.place.clone(), label)
        .help(help)
}
