//! The values of the chart of the routes.

use pharos_core::gateway::chart::{ChartValues, chart_fingerprint};
use pyo3::prelude::*;

use crate::diagnostics::rejected;
use crate::gateway::mesh;
use crate::site::Text;
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
    let mesh = py.detach(|| mesh(&catalogue, &policy, &[])).map_err(|report| rejected(py, report))?;
    let objects = mesh.objects().map_err(|report| rejected(py, report))?;
    let chart = chart_fingerprint(chart.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    plain(py, &ChartValues::of(&objects, chart))
}
