//! What a host cannot serve.

use crate::catalogue::RouteTable;
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::{CertificateFiles, CertificateMode, EdgeHost, codes};

/// The edge serves HTTPS alone.
pub(super) fn origins(table: &RouteTable, findings: &mut Findings) {
    for host in table.hosts().iter().filter(|host| !host.origin.is_https()) {
        let message = format!("`{}` is not HTTPS, and the edge serves nothing else", host.origin);
        findings.push(
            Diagnostic::error(codes::PLAIN_ORIGIN, message)
                .at(Place::named("origins"), "")
                .help(format!("write `https://{}`", host.origin.host())),
        );
    }
}

/// The certificate files of each host, in the order of the table: exactly one pair for each, and no name beside them.
pub(super) fn certificates(table: &RouteTable, host: &EdgeHost, findings: &mut Findings) -> Vec<CertificateFiles> {
    if let CertificateMode::Existing { files } = &host.certificates {
        let is_served = |name| table.hosts().binary_search_by(|host| host.origin.host().cmp(name)).is_ok();
        for name in files.keys().filter(|name| !is_served(name)) {
            let message =
                format!("certificate files are named for `{name}`, which neither the policy nor a laboratory has");
            findings.push(
                Diagnostic::error(codes::CERTIFICATE_FILES, message)
                    .at(Place::named("edge_certificate_files"), "")
                    .help(format!("take `{name}` out of `edge_certificate_files`, or correct the name")),
            );
        }
    }
    let mut found = Vec::with_capacity(table.hosts().len());
    for name in table.hosts().iter().map(|host| host.origin.host()) {
        match host.certificates.files(name) {
            Some(files) => found.push(files),
            None => findings.push(
                Diagnostic::error(codes::CERTIFICATE_FILES, format!("no certificate files are named for `{name}`"))
                    .at(Place::named("edge_certificate_files"), "")
                    .help(format!("name its certificate and key in `edge_certificate_files`, under `{name}`")),
            ),
        }
    }
    found
}
