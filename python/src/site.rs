//! Documents of a site: judged together, resolved to routes, rendered.

use pharos_core::catalogue::{self, extension};
use pharos_core::diagnostic as core;
use pharos_core::site::{self, Edge};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use crate::diagnostics::{Report, rejected};
use crate::value::plain;

/// A document with the name that messages give it.
pub(crate) type Text = (String, Content);

/// A text, or the bytes of a file that should be one: the core judges whether it is.
#[derive(FromPyObject)]
pub(crate) enum Content {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

pub(crate) fn file((name, content): &Text) -> (&str, &[u8]) {
    let bytes = match content {
        Content::Text(text) => text.as_bytes(),
        Content::Bytes(bytes) => bytes,
    };
    (name, bytes)
}

/// Judges documents of a site: each by itself and all of them together.
///
/// >>> report = pharos.check([("policy.yaml", "version: 1\nenvironment: Shop\n")])
/// >>> report.refuses
/// True
/// >>> report.diagnostics[0].code
/// 'document/missing-key'
///
/// What is given as the extension of a laboratory is judged as one, whatever it is.
#[pyfunction]
#[pyo3(signature = (documents, *, extensions = Vec::new()))]
pub(crate) fn check(py: Python<'_>, documents: Vec<Text>, extensions: Vec<Text>) -> Report {
    py.detach(|| Report(site::check_files_with(documents.iter().map(file), extensions.iter().map(file))))
}

/// What the edge of an environment serves, from its policy or its edge environment, with the laboratories given.
pub(crate) fn edge(catalogue: &Text, environment: &Text, extensions: &[Text]) -> Result<Edge, core::Report> {
    let extensions: Vec<_> = extensions.iter().map(file).collect();
    Edge::of_files(file(catalogue), file(environment), &extensions)
}

/// The extensions of a YAML stream, each with a name that tells its number.
#[pyfunction]
pub(crate) fn extension_documents(name: &str, stream: &[u8]) -> Vec<(String, Vec<u8>)> {
    extension::documents(name, stream)
}

/// The edge environment of a policy: the document that the edge playbook is given.
///
/// >>> from pathlib import Path
/// >>> catalogue, policy = (
/// ...     (name, Path(name).read_bytes())
/// ...     for name in ("catalogue/services.yaml", "environments/example/policy.yaml")
/// ... )
/// >>> pharos.edge_environment(catalogue, policy)["gateway"]
/// {'protocol': 'http', 'upstreams': ['127.0.0.1:30088']}
#[pyfunction]
pub(crate) fn edge_environment(py: Python<'_>, catalogue: Text, policy: Text) -> PyResult<Bound<'_, PyAny>> {
    let edge =
        py.detach(|| Edge::of_policy_file(file(&catalogue), file(&policy))).map_err(|report| rejected(py, report))?;
    plain(py, &edge.environment)
}

/// The hosts of an environment (a policy or an edge environment) with their routes, the most specific route first.
///
/// >>> from pathlib import Path
/// >>> catalogue, policy = (
/// ...     (name, Path(name).read_bytes())
/// ...     for name in ("catalogue/services.yaml", "environments/example/policy.yaml")
/// ... )
/// >>> hosts = pharos.routes(catalogue, policy)
/// >>> hosts[0]["origin"], [route["id"] for route in hosts[0]["routes"]]
/// ('https://argo.example.org', ['argo-web'])
#[pyfunction]
#[pyo3(signature = (catalogue, environment, *, extensions = Vec::new()))]
pub(crate) fn routes(
    py: Python<'_>,
    catalogue: Text,
    environment: Text,
    extensions: Vec<Text>,
) -> PyResult<Bound<'_, PyAny>> {
    let view = py.detach(|| edge(&catalogue, &environment, &extensions).map(|edge| catalogue::view(&edge.table)));
    plain(py, &view.map_err(|report| rejected(py, report))?)
}
