//! Keys and signatures that are too weak, or that clients do not take.

use super::algorithm::KeyGrade;
use super::codes;
use super::facts::Certificate;
use crate::diagnostic::{Diagnostic, Findings};

/// Judges the keys of a path and the signatures below its anchor: an anchor is trusted for its key, not for its signature.
pub(super) fn check(path: &[&Certificate], anchored: bool, findings: &mut Findings) {
    for (depth, certificate) in path.iter().enumerate() {
        key(certificate, depth == 0, findings);
        let anchor = anchored && depth + 1 == path.len();
        if certificate.weak_signature && !anchor {
            let message = format!("{} is signed with {}", certificate.title(), certificate.summary.signature);
            findings.push(
                Diagnostic::error(codes::WEAK_SIGNATURE, message)
                    .at(certificate.place.clone(), "this hash can be forged")
                    .help("have it issued again with SHA-256 or better"),
            );
        }
    }
}

fn key(certificate: &Certificate, leaf: bool, findings: &mut Findings) {
    let (title, key) = (certificate.title(), &certificate.key);
    let advice = "have it issued for an EC P-256 key, or RSA of 2048 bits or more";
    let diagnostic = match certificate.key.grade() {
        KeyGrade::Good => return,
        KeyGrade::Uncommon if !leaf => return,
        KeyGrade::Uncommon => Diagnostic::warning(
            codes::UNCOMMON_KEY,
            format!("the key of {title} is {key}, which some clients do not take"),
        ),
        KeyGrade::Weak => Diagnostic::error(codes::WEAK_KEY, format!("the key of {title} is {key}, which is too weak")),
        KeyGrade::Unsupported => Diagnostic::error(
            codes::UNSUPPORTED_KEY,
            format!("the key of {title} is {key}, which TLS clients do not take"),
        ),
    };
    findings.push(diagnostic.at(certificate.place.clone(), "").help(advice));
}
