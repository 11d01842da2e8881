//! `certificate_info`: whether the certificates of a host are fit.

use std::path::Path;

use pharos_core::certificate::{
    CertificatePolicy, CertificateSummary, Input, Request, TrustAnchors, UnixTime, VerifiedPath, check, describe,
};
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::name::{AbsolutePath, HostName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edge_host::HostCertificate;
use crate::files::read;
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome};

/// The module.
pub(crate) struct CertificateInfo;

/// Whether the certificates of a host are fit.
///
/// Judges each chain with its key for its host name, at the controller's time: trust path, names, dates, key, strength and
/// order. A finding says which certificate it is about and what to do.
///
/// Private keys are read where they lie. Nothing of them is returned.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The certificates to judge.
    #[schemars(length(min = 1))]
    files: Vec<HostCertificate>,
    /// The authorities that chains must end in: a PEM bundle on the host.
    #[serde(default = "system_trust")]
    trust: AbsolutePath,
    /// Whether chains of an ACME staging authority are accepted.
    #[serde(default)]
    staging: bool,
    /// Whether the task fails if one of them is unfit. Otherwise `fit` says so.
    #[serde(default)]
    refuse_unfit: bool,
}

#[expect(clippy::expect_used, reason = "the path is written here, in normal form")]
fn system_trust() -> AbsolutePath {
    "/etc/ssl/certs/ca-certificates.crt".parse().expect("a path")
}

/// What is returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Data {
    /// Whether all of them are fit.
    fit: bool,
    /// Each certificate of the task, in its order.
    certificates: Vec<Judged>,
}

/// A certificate of the task.
#[derive(Serialize, JsonSchema)]
struct Judged {
    /// The host name that it serves.
    host: HostName,
    /// The file of the chain.
    certificate: AbsolutePath,
    /// Whether it is fit for this host name.
    fit: bool,
    /// The earliest end of a certificate in the verified path, in UTC; null if it is unfit.
    valid_until: Option<UnixTime>,
    /// Whether the path ends in one of the authorities; false only under `staging`, null if it is unfit.
    anchored: Option<bool>,
    /// What each certificate of the file says, in its order.
    chain: Vec<CertificateSummary>,
}

impl Module for CertificateInfo {
    const NAME: &'static str = "certificate_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("examples/certificate_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        let mut findings = Findings::new();
        let (anchors, report) = match anchors(&arguments.trust) {
            Ok(read) => read,
            Err(report) => (TrustAnchors::unknown(arguments.trust.as_str()), report),
        };
        findings.extend(report);
        let untrusted = findings.refused();
        let policy = CertificatePolicy { staging: arguments.staging };
        let at = UnixTime::new(context.instant);
        let mut certificates = Vec::new();
        for file in &arguments.files {
            let (path, chain) = judge(file, &anchors, policy, at, &mut findings);
            certificates.push(Judged {
                host: file.host.clone(),
                certificate: file.certificate.clone(),
                fit: path.is_some(),
                valid_until: path.as_ref().map(VerifiedPath::valid_until),
                anchored: path.as_ref().map(VerifiedPath::anchored),
                chain,
            });
        }
        let data = Data { fit: certificates.iter().all(|one| one.fit), certificates };
        if untrusted || arguments.refuse_unfit && !data.fit {
            return Err(Failure::from(findings.into_report()).with_data(&data));
        }
        Ok(Outcome::of(data).with_report(findings.into_report()))
    }
}

fn anchors(trust: &AbsolutePath) -> Result<(TrustAnchors, Report), Report> {
    let bytes = read(Path::new(trust.as_str()))?;
    TrustAnchors::read(&Input { name: trust.as_str(), bytes: &bytes })
}

/// The proof, if it is fit, and what the chain says. A file that cannot be read makes it unfit.
fn judge(
    file: &HostCertificate,
    anchors: &TrustAnchors,
    policy: CertificatePolicy,
    at: UnixTime,
    findings: &mut Findings,
) -> (Option<VerifiedPath>, Vec<CertificateSummary>) {
    let chain = read(Path::new(file.certificate.as_str())).map_err(|diagnostic| findings.push(diagnostic)).ok();
    let key = read(Path::new(file.key.as_str())).map_err(|diagnostic| findings.push(diagnostic)).ok();
    let summaries = chain.as_deref().map(describe).unwrap_or_default();
    let (Some(chain), Some(key)) = (chain, key) else { return (None, summaries) };
    let request = Request {
        chain: Input { name: file.certificate.as_str(), bytes: &chain },
        key: Some(Input { name: file.key.as_str(), bytes: &key }),
        anchors,
        hosts: &[file.host.clone().into()],
        policy,
        at,
    };
    match check(&request) {
        Ok((path, report)) => {
            findings.extend(report);
            (Some(path), summaries)
        }
        Err(report) => {
            findings.extend(report);
            (None, summaries)
        }
    }
}
