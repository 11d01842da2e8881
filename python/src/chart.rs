//! The values of the chart of the routes.

use pharos_core::diagnostic as core;
use pharos_core::gateway::chart::{ChartValues, chart_fingerprint, judge_schema, values_schema};
use pharos_core::{document, schemas};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::diagnostics::{Report, rejected};
use crate::gateway::mesh;
use crate::site::{Text, file};
use crate::value::plain;

/// What the chart of the routes is given for a policy: its objects, and the fingerprint of the chart's own files, which are `chart`: the
/// path of each within the chart, and its text.
#[pyfunction]
pub(crate) fn gateway_values(
    py: Python<'_>,
    catalogue: Text,
    policy: Text,
    chart: Vec<(String, String)>,
) -> PyResult<Bound<'_, PyAny>> {
    let chart = chart_fingerprint(chart.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let values = py.detach(|| {
        let mesh = mesh(&catalogue, &policy, &[])?;
        let objects = mesh.objects()?;
        // What is borrowed from the mesh leaves as a value of its own.
        Ok(json!(ChartValues::of(&objects, chart)))
    });
    plain(py, &values.map_err(|report: core::Report| rejected(py, report))?)
}

/// Whether the schema of a chart, its name and text, is that of the catalogue.
#[pyfunction]
pub(crate) fn gateway_chart_schema(py: Python<'_>, catalogue: Text, schema: Text) -> Report {
    let judged = py.detach(|| {
        let (name, bytes) = file(&catalogue);
        let catalogue = document::read(&document::source_from_bytes(name, bytes)?)?;
        let (name, bytes) = file(&schema);
        judge_schema(&catalogue, name, &String::from_utf8_lossy(bytes))
    });
    Report(judged.err().unwrap_or_default())
}

/// The schema that the chart's values are held against, for the sites of a catalogue, as a text: `values.schema.json`. A catalogue without
/// `mesh` has none, which is a `ValueError`.
#[pyfunction]
pub(crate) fn gateway_schema(py: Python<'_>, catalogue: Text) -> PyResult<String> {
    let schema = py.detach(|| {
        let (name, bytes) = file(&catalogue);
        let source = document::source_from_bytes(name, bytes)?;
        Ok(values_schema(&document::read(&source)?))
    });
    let schema = schema.map_err(|report: core::Report| rejected(py, report))?;
    let none = || PyValueError::new_err("the catalogue has no `mesh`: there is no gateway of Istio's to render for");
    Ok(schemas::text(&schema.ok_or_else(none)?))
}
