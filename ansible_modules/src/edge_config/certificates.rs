//! The certificates that a listener names, judged as files.

use pharos_core::certificate::{CertificatePolicy, Input, Request, ServerName, TrustAnchors, UnixTime, check};
use pharos_core::diagnostic::{Diagnostic, Findings, Place, Report};
use pharos_core::edge::codes;
use pharos_core::edge::install::{Desired, Listener};
use pharos_core::edge::{CertificateFiles, CertificateMode};
use pharos_core::name::{AbsolutePath, HostName};
use schemars::JsonSchema;
use serde::Serialize;

use crate::files;

/// A certificate that is fit.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct FitCertificate {
    /// The host name.
    host: String,
    /// Its file.
    file: String,
    /// The serial number, in hexadecimal digits.
    serial: String,
    /// When the first certificate of its path ends, as RFC 3339.
    valid_until: String,
}

/// What became of the certificates.
#[derive(Default)]
pub(super) struct Judged {
    /// Those that are fit.
    pub(super) fit: Vec<FitCertificate>,
    /// Whether one is still to be issued, which check mode passes over where somebody will.
    pub(super) to_be_issued: bool,
}

/// Judges the certificate of every host of the listener, and fills in the serial numbers. `due` says that what is missing or unfit
/// is issued before the transaction.
pub(super) fn judge(
    desired: &mut Desired,
    anchors: &AbsolutePath,
    at: UnixTime,
    due: bool,
    findings: &mut Findings,
) -> Judged {
    let mut judged = Judged::default();
    if desired.listener != Listener::Https {
        return judged;
    }
    // What issues the certificates makes the authority as well.
    let certbot = matches!(desired.certificates, CertificateMode::Certbot { .. });
    let known = !due || certbot || std::path::Path::new(anchors.as_str()).exists();
    judged.to_be_issued = !known;
    if !known {
        return judged;
    }
    let anchors = trust(anchors, findings);
    let hosts: Vec<HostName> = desired.table.hosts().iter().map(|host| host.origin.host().clone()).collect();
    for host in hosts {
        // A host without files is refused when it is rendered.
        let Some(files) = desired.certificates.files(&host) else { continue };
        if due && !std::path::Path::new(files.certificate.as_str()).exists() {
            judged.to_be_issued = true;
            findings.push(
                Diagnostic::note(codes::CERTIFICATE_TO_BE_ISSUED, format!("`{host}` has no certificate yet"))
                    .at(Place::named(files.certificate.as_str()), "")
                    .help("it is issued before the HTTPS listener is installed"),
            );
            continue;
        }
        match judge_one(&host, &files, &anchors, desired.certificates.is_staging(), at) {
            Ok((fit, warnings)) => {
                // It was printed from a serial number, so it reads as one.
                if let Ok(serial) = fit.serial.parse() {
                    desired.serials.insert(host, serial);
                }
                judged.fit.push(fit);
                findings.extend(warnings);
            }
            // Whether it is replaced is decided where it is issued; what is left is judged again without check mode.
            Err(_) if due => judged.to_be_issued = true,
            Err(report) => named(&report, &host, findings),
        }
    }
    judged
}

/// The authorities. Where they cannot be read the certificates are judged by all else.
fn trust(path: &AbsolutePath, findings: &mut Findings) -> TrustAnchors {
    let read = read(path).and_then(|bytes| TrustAnchors::read(&Input { name: path.as_str(), bytes: &bytes }));
    match read {
        // One bad anchor of a system's bundle is no affair of the edge.
        Ok((anchors, _)) => anchors,
        Err(report) => {
            findings.extend(report);
            TrustAnchors::unknown(path.as_str())
        }
    }
}

fn judge_one(
    host: &HostName,
    files: &CertificateFiles,
    anchors: &TrustAnchors,
    staging: bool,
    at: UnixTime,
) -> Result<(FitCertificate, Report), Report> {
    let (chain, key) = (read(&files.certificate)?, read(&files.key)?);
    let (path, warnings) = check(&Request {
        chain: Input { name: files.certificate.as_str(), bytes: &chain },
        key: Some(Input { name: files.key.as_str(), bytes: &key }),
        anchors,
        hosts: &[ServerName::Host(host.clone())],
        policy: CertificatePolicy { staging },
        at,
    })?;
    let fit = FitCertificate {
        host: host.to_string(),
        file: files.certificate.to_string(),
        serial: path.leaf().serial.to_string(),
        valid_until: path.valid_until().to_string(),
    };
    Ok((fit, warnings))
}

fn read(path: &AbsolutePath) -> Result<Vec<u8>, Report> {
    Ok(files::read(std::path::Path::new(path.as_str()))?)
}

/// The findings of a file, each with the host that it is for.
fn named(report: &Report, host: &HostName, findings: &mut Findings) {
    for diagnostic in report.diagnostics() {
        findings.push(diagnostic.clone().at(Place::named(host.as_str()), "the host that it is to serve"));
    }
}
