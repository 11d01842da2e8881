//! Documents of a site: judged together, resolved to routes, rendered.

use std::sync::Arc;

use pharos_core::catalogue;
use pharos_core::diagnostic::{self as core, Source};
use pharos_core::site::{self, Edge};
use pyo3::prelude::*;

use crate::diagnostics::{Report, rejected};

/// A text with the name that messages give it.
pub(crate) type Text = (String, String);

pub(crate) fn source((name, text): &Text) -> Arc<Source> {
    Source::public(name, text)
}

/// Judges documents of a site: each by itself and all of them together.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, documents: Vec<Text>) -> Report {
    py.detach(|| Report(site::check(&documents.iter().map(source).collect::<Vec<_>>())))
}

/// What the edge of an environment serves, from its policy or its edge environment.
pub(crate) fn edge(catalogue: &Text, environment: &Text) -> Result<Edge, core::Report> {
    Edge::of_policy(&source(catalogue), &source(environment))
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
