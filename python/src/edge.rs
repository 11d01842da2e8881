//! The edge: rendered for an nginx, and an existing one inspected.

use pharos_core::diagnostic as core;
use pharos_core::edge::inspect::{self, Observed, Ours};
use pharos_core::edge::{CertificateFiles, CertificateMode, EdgeHost, HttpSettings, NginxBuild, NginxVersion, render};
use pharos_core::site::Edge;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::diagnostics::{Report, rejected};
use crate::site::{self, Text};

/// The files of an edge, as JSON text: an object from path to content. The host is one with this nginx, both address families and
/// certificates where certbot puts them; with a webroot it is the one that answers the ACME challenges. What is no version or no
/// path is a `ValueError`.
#[pyfunction]
#[pyo3(signature = (catalogue, environment, *, nginx, webroot = None))]
pub(crate) fn edge_render(
    py: Python<'_>,
    catalogue: Text,
    environment: Text,
    nginx: &str,
    webroot: Option<&str>,
) -> PyResult<String> {
    if NginxVersion::said(nginx).is_none() {
        return Err(PyValueError::new_err(format!("`{}` is not the version of an nginx", nginx.escape_debug())));
    }
    let webroot = webroot
        .map(str::parse)
        .transpose()
        .map_err(|error: pharos_core::name::NameError| PyValueError::new_err(error.to_string()))?;
    py.detach(|| {
        let Edge { environment, table, .. } = site::edge(&catalogue, &environment)?;
        let lineage = |host: &pharos_core::catalogue::VirtualHost| {
            let name = host.origin.host().clone();
            let files = CertificateFiles::lineage(&name);
            (name, files)
        };
        let certificates = match webroot {
            Some(webroot) => CertificateMode::Certbot { webroot, issuer: None, staging: false },
            None => CertificateMode::Existing { files: table.hosts().iter().map(lineage).collect() },
        };
        let host = EdgeHost {
            nginx: NginxBuild::parse(nginx)?,
            ipv6: true,
            listen_addresses: Vec::new(),
            certificates,
            existing: HttpSettings::new(),
        };
        let (https, _) = render::https(&table, &environment, &host)?;
        let files: serde_json::Map<_, _> = render::http(&table, &host)?
            .into_iter()
            .chain([https])
            .map(|file| (file.path().to_owned(), file.text().into()))
            .collect();
        Ok(serde_json::Value::Object(files).to_string())
    })
    .map_err(|report: core::Report| rejected(py, report))
}

/// Inspects files of an nginx configuration, or the output of `nginx -T`. Gives the overview as JSON text and the report.
#[pyfunction]
pub(crate) fn edge_inspect(py: Python<'_>, files: Vec<(String, Vec<u8>)>) -> (String, Report) {
    py.detach(|| {
        let (inspection, report) = inspect::report(&files, &Ours::default(), &Observed::default());
        (serde_json::json!(inspection).to_string(), Report(report))
    })
}
