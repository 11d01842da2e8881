//! The public certificates of the issuer's authority.

use super::{ExternalIdentity, codes};
use crate::certificate::{self, Input, Remaining, Term, TrustAnchors, UnixTime};
use crate::diagnostic::{Diagnostic, Findings, Report};
use crate::document::Document;

/// Judges the certificates. They are given as text inside the file, so that every finding is at that key.
pub(super) fn judge(file: &Document<ExternalIdentity>, at: UnixTime, findings: &mut Findings) {
    let text = file.value.ca_certificate.as_str();
    let place = || file.place("/ca_certificate");
    let help =
        "write the public certificate of the authority, from `-----BEGIN CERTIFICATE-----` on, with `\\n` at line ends";
    if text.contains("PRIVATE KEY") {
        findings.push(
            Diagnostic::error(codes::PRIVATE_KEY, "a private key stands where a public certificate belongs")
                .at(place(), "")
                .help("write the certificate alone, and replace the key: it has left its place"),
        );
        return;
    }
    let input = Input { name: file.source().name(), bytes: text.as_bytes() };
    let report = match TrustAnchors::read(&input) {
        Ok((_, report)) | Err(report) => report,
    };
    for finding in report.diagnostics() {
        // Lines of the inner text are none of the file.
        findings.push(Diagnostic { labels: Vec::new(), ..finding.clone() }.at(place(), "").help(help));
    }
    for certificate in certificate::describe(text.as_bytes()) {
        let title = format!("certificate {}", certificate.position);
        if !certificate.authority {
            findings.push(
                Diagnostic::error(codes::NOT_AUTHORITY, format!("{title} is no authority's"))
                    .at(place(), "")
                    .help("write the certificate of the authority that issued the server's, not the server's own"),
            );
        }
        let term = Term { authority: true, ..Term::of(&certificate) };
        let dates = match term.remaining(at) {
            Remaining::NotYet => format!("is not valid before {}", certificate.not_before),
            Remaining::Nothing => format!("has expired on {}", certificate.not_after),
            Remaining::Enough | Remaining::RenewalDue => {
                let help = "ask who runs the AAI for its authority's next certificate, and write it beside this one";
                findings.extend(term.judge(&title, place(), help, at).map(Report::from).unwrap_or_default());
                continue;
            }
        };
        findings.push(
            Diagnostic::error(codes::AUTHORITY_DATES, format!("{title} {dates}"))
                .at(place(), "")
                .help("write the authority's current certificate"),
        );
    }
}
