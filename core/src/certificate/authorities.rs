//! The public certificates of authorities.

use super::bundle::{CHAIN, Keys, read};
use super::codes;
use super::input::Input;
use crate::diagnostic::{Diagnostic, Findings, Report};

/// The certificates of a bundle of authorities, each written anew as one PEM block: nothing else of the file is in them.
///
/// # Errors
/// The codes of unreadable PEM; `certificate/key-as-chain` or `certificate/key-in-chain` for a file with a private key in it; and
/// `certificate/not-an-authority` for a certificate that may not sign others.
pub fn authorities(input: &Input<'_>) -> Result<(String, Report), Report> {
    let mut findings = Findings::new();
    let certificates = read(input, CHAIN, Keys::Refused, &mut findings);
    let mut text = String::new();
    for certificate in &certificates {
        if !certificate.summary.authority {
            findings.push(
                Diagnostic::error(
                    codes::NOT_AN_AUTHORITY,
                    format!("`{}` is no authority: it may not sign other certificates", certificate.summary.subject),
                )
                .at(certificate.place.clone(), "")
                .help("give the certificates of the authorities alone, not that of a server"),
            );
        }
        // What was read from DER is written from it.
        let pem = certificate.x509.to_pem().unwrap_or_default();
        text.push_str(&String::from_utf8_lossy(&pem));
    }
    findings.conclude(text)
}
