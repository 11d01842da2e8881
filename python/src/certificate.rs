//! Certificates, judged and described.

use pharos_core::certificate::{self as core, CertificatePolicy, Input, Request, ServerName, TrustAnchors, UnixTime};
use pharos_core::diagnostic as diagnostics;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::diagnostics::Report;

/// A file: its name for messages, and its bytes.
type File = (String, PyBackedBytes);

/// Judges a chain (and key) for these hosts at this instant. Gives the verified path as JSON text, the server's certificate
/// first, or `None` where it is refused, and the report.
#[pyfunction]
#[pyo3(signature = (chain, *, key, trust, hosts, at, staging = false))]
pub(crate) fn certificate_check(
    py: Python<'_>,
    chain: File,
    key: Option<File>,
    trust: File,
    hosts: Vec<String>,
    at: &str,
    staging: bool,
) -> PyResult<(Option<String>, Report)> {
    let hosts = hosts.iter().map(|host| host.parse().map_err(value_error)).collect::<PyResult<Vec<ServerName>>>()?;
    let at: UnixTime = at.parse().map_err(value_error)?;
    let policy = CertificatePolicy { staging };
    Ok(py.detach(|| match judge(&chain, key.as_ref(), &trust, &hosts, policy, at) {
        Ok((path, report)) => (Some(path), Report(report)),
        Err(report) => (None, Report(report)),
    }))
}

fn judge(
    chain: &File,
    key: Option<&File>,
    trust: &File,
    hosts: &[ServerName],
    policy: CertificatePolicy,
    at: UnixTime,
) -> Result<(String, diagnostics::Report), diagnostics::Report> {
    let (anchors, mut findings) =
        TrustAnchors::read(&input(trust)).map(|(anchors, report)| (anchors, collect(report)))?;
    let request = Request { chain: input(chain), key: key.map(input), anchors: &anchors, hosts, policy, at };
    let (path, report) = core::check(&request)?;
    findings.extend(report);
    let certificates: Vec<_> = std::iter::once(path.leaf()).chain(path.issuers()).collect();
    Ok((serde_json::json!(certificates).to_string(), findings.into_report()))
}

fn collect(report: diagnostics::Report) -> diagnostics::Findings {
    let mut findings = diagnostics::Findings::new();
    findings.extend(report);
    findings
}

fn input((name, bytes): &File) -> Input<'_> {
    Input { name, bytes }
}

/// What the certificates of a file say, as JSON text; nothing is judged.
#[pyfunction]
pub(crate) fn certificate_describe(py: Python<'_>, chain: PyBackedBytes) -> String {
    py.detach(|| serde_json::json!(core::describe(&chain)).to_string())
}

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
