//! What a server's certificate may be used for.

use super::codes;
use super::facts::Certificate;
use crate::diagnostic::{Diagnostic, Findings};

/// Judges the extensions of the server's own certificate.
pub(super) fn check(leaf: &Certificate, findings: &mut Findings) {
    let title = leaf.title();
    let at = |diagnostic: Diagnostic, label: &str, help: &str| diagnostic.at(leaf.place.clone(), label).help(help);
    if leaf.summary.authority {
        findings.push(at(
            Diagnostic::error(codes::LEAF_IS_AUTHORITY, format!("{title} is that of an authority (CA:TRUE)")),
            "",
            "have a certificate issued for the server: what can sign others must not lie on an edge",
        ));
    } else if leaf.usage.digital_signature == Some(false) {
        findings.push(at(
            Diagnostic::error(codes::KEY_USAGE, format!("the key usage of {title} leaves out digitalSignature")),
            "every handshake with forward secrecy needs a signature",
            "have it issued with the key usage digitalSignature",
        ));
    }
    match leaf.usage.server_auth {
        Some(true) => {}
        Some(false) => findings.push(at(
            Diagnostic::error(codes::PURPOSE, format!("the extended key usage of {title} leaves out serverAuth")),
            "",
            "have it issued as a server's certificate",
        )),
        None if leaf.summary.authority => {}
        None => findings.push(at(
            Diagnostic::warning(codes::NO_EXTENDED_KEY_USAGE, format!("{title} has no extended key usage")),
            "some clients ask for it",
            "have it issued with the extended key usage serverAuth",
        )),
    }
    if leaf.usage.must_staple {
        findings.push(at(
            Diagnostic::warning(codes::MUST_STAPLE, format!("{title} asks for a stapled OCSP answer (must-staple)")),
            "the edge staples none",
            "have it issued without: some browsers refuse it, and public authorities have given up OCSP",
        ));
    }
}
