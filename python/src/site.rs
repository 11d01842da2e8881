//! Documents of a site: judged together, resolved to routes, rendered.

use pharos_core::catalogue;
use pharos_core::diagnostic as core;
use pharos_core::site::{self, Edge};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use crate::diagnostics::{Report, rejected};

/// A document with the name that messages give it.
pub(crate) type Text = (String, Content);

/// A text, or the bytes of a file that should be one: the core judges whether it is.
#[derive(FromPyObject)]
pub(crate) enum Content {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

fn file((name, content): &Text) -> (&str, &[u8]) {
    let bytes = match content {
        Content::Text(text) => text.as_bytes(),
        Content::Bytes(bytes) => bytes,
    };
    (name, bytes)
}

/// Judges documents of a site: each by itself and all of them together.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, documents: Vec<Text>) -> Report {
    py.detach(|| Report(site::check_files(documents.iter().map(file))))
}

/// What the edge of an environment serves, from its policy or its edge environment.
pub(crate) fn edge(catalogue: &Text, environment: &Text) -> Result<Edge, core::Report> {
    Edge::of_files(file(catalogue), file(environment))
}

/// The edge environment of a policy, as JSON text: what the edge playbook is given.
#[pyfunction]
pub(crate) fn edge_environment_of(py: Python<'_>, catalogue: Text, policy: Text) -> PyResult<String> {
    py.detach(|| edge(&catalogue, &policy).map(|edge| serde_json::json!(edge.environment).to_string()))
        .map_err(|report| rejected(py, report))
}

/// The route table of an environment, as JSON text: the hosts with their routes.
#[pyfunction]
pub(crate) fn routes(py: Python<'_>, catalogue: Text, environment: Text) -> PyResult<String> {
    py.detach(|| edge(&catalogue, &environment).map(|edge| catalogue::view(&edge.table).to_string()))
        .map_err(|report| rejected(py, report))
}
