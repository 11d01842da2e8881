//! Documents of a site: judged together, resolved to routes, rendered.

use std::sync::Arc;

use pharos_core::catalogue::{self, CatalogueDocument, RouteTable};
use pharos_core::diagnostic::{self as core, Source};
use pharos_core::document::{self, Document};
use pharos_core::policy::{EdgeEnvironment, PolicyDocument, edge_environment};
use pharos_core::site;
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

/// The environment that a policy or an edge environment states, with the routes that it selects.
pub(crate) fn resolve(catalogue: &Text, environment: &Text) -> Result<(EdgeEnvironment, RouteTable), core::Report> {
    let catalogue: Document<CatalogueDocument> = document::read(&source(catalogue))?;
    let source = source(environment);
    if site::Kind::of_source(&source)? == site::Kind::EdgeEnvironment {
        let environment: Document<EdgeEnvironment> = document::read(&source)?;
        let (table, _) = catalogue::resolve(&catalogue, &environment)?;
        return Ok((environment.value, table));
    }
    let policy: Document<PolicyDocument> = document::read(&source)?;
    let (table, _) = catalogue::resolve(&catalogue, &policy)?;
    Ok((edge_environment(&policy)?, table))
}

/// The edge environment of a policy, as JSON text: what the edge playbook is given.
#[pyfunction]
pub(crate) fn edge_environment_of(py: Python<'_>, catalogue: Text, policy: Text) -> PyResult<String> {
    py.detach(|| resolve(&catalogue, &policy).map(|(environment, _)| serde_json::json!(environment).to_string()))
        .map_err(|report| rejected(py, report))
}

/// The route table of an environment, as JSON text: the hosts with their routes.
#[pyfunction]
pub(crate) fn routes(py: Python<'_>, catalogue: Text, environment: Text) -> PyResult<String> {
    py.detach(|| resolve(&catalogue, &environment).map(|(_, table)| catalogue::view(&table).to_string()))
        .map_err(|report| rejected(py, report))
}
