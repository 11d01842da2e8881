//! Certificates, judged and described.

use pharos_core::certificate::{self as core, CertificatePolicy, Input, Request, ServerName, TrustAnchors, UnixTime};
use pharos_core::diagnostic as diagnostics;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde_json::{Value, json};

use crate::diagnostics::Report;
use crate::value::plain;

/// A file: its name for messages, and its bytes.
type File = (String, PyBackedBytes);

/// Judge a chain for hosts at an instant (RFC 3339): the verified path, the server's certificate first, or `None` where it is
/// refused; and the report. A host or an instant that cannot be read is a `ValueError`.
#[pyfunction]
#[pyo3(signature = (chain, *, key = None, trust, hosts, at, staging = false))]
pub(crate) fn certificate_check<'py>(
    py: Python<'py>,
    chain: File,
    key: Option<File>,
    trust: File,
    hosts: Vec<String>,
    at: &str,
    staging: bool,
) -> PyResult<(Option<Bound<'py, PyAny>>, Report)> {
    let hosts = hosts.iter().map(|host| host.parse().map_err(value_error)).collect::<PyResult<Vec<ServerName>>>()?;
    let at: UnixTime = at.parse().map_err(value_error)?;
    let policy = CertificatePolicy { staging };
    match py.detach(|| judge(&chain, key.as_ref(), &trust, &hosts, policy, at)) {
        Ok((path, report)) => Ok((Some(plain(py, &path)?), Report(report))),
        Err(report) => Ok((None, Report(report))),
    }
}

fn judge(
    chain: &File,
    key: Option<&File>,
    trust: &File,
    hosts: &[ServerName],
    policy: CertificatePolicy,
    at: UnixTime,
) -> Result<(Vec<Value>, diagnostics::Report), diagnostics::Report> {
    let (anchors, report) =
        TrustAnchors::read(&input(trust)).unwrap_or_else(|report| (TrustAnchors::unknown(&trust.0), report));
    let mut findings = diagnostics::Findings::new();
    findings.extend(report);
    let request = Request { chain: input(chain), key: key.map(input), anchors: &anchors, hosts, policy, at };
    match core::check(&request) {
        Ok((path, report)) => {
            findings.extend(report);
            let certificates = std::iter::once(path.leaf()).chain(path.issuers()).map(|one| json!(one)).collect();
            Ok((certificates, findings.into_report()))
        }
        Err(report) => {
            findings.extend(report);
            Err(findings.into_report())
        }
    }
}

fn input((name, bytes): &File) -> Input<'_> {
    Input { name, bytes }
}

/// What the certificates of a file say, in file order; nothing is judged.
///
/// >>> pharos.certificate_describe(b"no certificate")
/// []
#[pyfunction]
pub(crate) fn certificate_describe(py: Python<'_>, chain: PyBackedBytes) -> PyResult<Bound<'_, PyAny>> {
    plain(py, &py.detach(|| core::describe(&chain)))
}

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
