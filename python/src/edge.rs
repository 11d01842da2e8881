//! The edge: rendered for an nginx, and an existing one inspected.

use std::collections::BTreeMap;

use pharos_core::diagnostic as core;
use pharos_core::edge::inspect::{self, Observed, Ours};
use pharos_core::edge::{
    CertificateFiles, CertificateMode, EdgeHost, HttpSettings, NGINX_VERSION_FORM, NginxBuild, NginxVersion, render,
};
use pharos_core::site::Edge;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::diagnostics::{Report, rejected};
use crate::site::{self, Text};
use crate::value::plain;

/// The files of the edge for this nginx version, by path. The host is one with both address families and certificates where certbot
/// puts them; with a webroot it is the one that answers the ACME challenges. What is no version or no path is a `ValueError`.
///
/// >>> from pathlib import Path
/// >>> catalogue, policy = (
/// ...     (name, Path(name).read_bytes())
/// ...     for name in ("catalogue/services.yaml", "environments/example/policy.yaml")
/// ... )
/// >>> sorted(pharos.edge_render(catalogue, policy, nginx="1.26.3", webroot="/var/www/acme"))
/// ['/etc/nginx/conf.d/pharos-platform-http.conf', '/etc/nginx/conf.d/pharos-platform-https.conf']
#[pyfunction]
#[pyo3(signature = (catalogue, environment, *, nginx, webroot = None, extensions = Vec::new()))]
pub(crate) fn edge_render<'py>(
    py: Python<'py>,
    catalogue: Text,
    environment: Text,
    nginx: &str,
    webroot: Option<&str>,
    extensions: Vec<Text>,
) -> PyResult<Bound<'py, PyAny>> {
    if NginxVersion::said(nginx).is_none() {
        return Err(PyValueError::new_err(format!(
            "`{}` is not the version of an nginx: {NGINX_VERSION_FORM}",
            nginx.escape_debug()
        )));
    }
    let webroot = webroot
        .map(str::parse)
        .transpose()
        .map_err(|error: pharos_core::name::NameError| PyValueError::new_err(error.to_string()))?;
    let files = py.detach(|| {
        let Edge { environment, table, .. } = site::edge(&catalogue, &environment, &extensions)?;
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
        Ok(render::http(&table, &host)?
            .into_iter()
            .chain([https])
            .map(|file| (file.path().to_owned(), file.text().clone()))
            .collect::<BTreeMap<_, _>>())
    });
    plain(py, &files.map_err(|report: core::Report| rejected(py, report))?)
}

/// Who listens in an nginx configuration (files, or the output of `nginx -T`), and what stands in the way.
///
/// >>> inspection, report = pharos.edge_inspect([("nginx.conf", b"http { server { listen 443 ssl; } }")])
/// >>> report.summary
/// 'no findings'
#[pyfunction]
pub(crate) fn edge_inspect(py: Python<'_>, files: Vec<(String, Vec<u8>)>) -> PyResult<(Bound<'_, PyAny>, Report)> {
    let (inspection, report) = py.detach(|| inspect::report(&files, &Ours::default(), &Observed::default()));
    Ok((plain(py, &inspection)?, Report(report)))
}
