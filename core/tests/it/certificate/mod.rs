//! Certificates: every case is judged as its row says, and as OpenSSL's own program sees it.

mod agreement;
mod cases;
mod development;
pub(crate) mod draft;
mod lineage;
mod matrix;
#[cfg(feature = "real-nginx")]
mod nginx;
mod private_keys;

use std::net::IpAddr;

use pharos_core::certificate::{
    CertificatePolicy, Input, Request, ServerName, TrustAnchors, UnixTime, VerifiedPath, check,
};
use pharos_core::diagnostic::{Findings, Report};

use crate::rejected::Fixture;
use cases::Case;
pub(crate) use cases::pem;
pub(crate) use draft::{AT, Draft, Issuer, p256};

/// What `check` says of a case; the findings on its trust anchors come with it.
fn judged(case: &Case) -> Result<(VerifiedPath, Report), Report> {
    let (anchors, damaged) = TrustAnchors::read(&Input { name: "roots.pem", bytes: &case.anchors })?;
    judged_by(case, &anchors, &damaged)
}

fn judged_by(case: &Case, anchors: &TrustAnchors, damaged: &Report) -> Result<(VerifiedPath, Report), Report> {
    let host =
        case.host.parse::<IpAddr>().map_or_else(|_| ServerName::Host(case.host.parse().unwrap()), ServerName::Address);
    let request = Request {
        chain: Input { name: "fullchain.pem", bytes: &case.chain },
        key: Some(Input { name: "privkey.pem", bytes: &case.key }),
        anchors,
        hosts: &[host],
        policy: CertificatePolicy { staging: case.staging },
        at: UnixTime::new(draft::AT),
    };
    let all = |report: Report| {
        let mut findings = Findings::new();
        findings.extend(damaged.clone());
        findings.extend(report);
        findings.into_report()
    };
    match check(&request) {
        Ok((path, report)) => Ok((path, all(report))),
        Err(report) => Err(all(report)),
    }
}

/// The report on a fixture: a text that names a case, a development authority, or a file about lineages.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let text = std::fs::read_to_string(fixture.path()).unwrap();
    let kind = fixture.path().extension().and_then(|extension| extension.to_str()).unwrap();
    match kind {
        "case" => judged(cases::find(text.trim())).map_or_else(|report| report, |(_, report)| report),
        "authority" => development::judge(&text),
        kind => lineage::judge(kind, &text),
    }
}
