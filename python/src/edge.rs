//! The edge: rendered for an nginx, and an existing one inspected.

use pharos_core::edge::inspect::{self, Observed, Ours};
use pyo3::prelude::*;

use crate::diagnostics::Report;

/// Inspects files of an nginx configuration, or the output of `nginx -T`. Gives the overview as JSON text and the report.
#[pyfunction]
pub(crate) fn edge_inspect(py: Python<'_>, files: Vec<(String, Vec<u8>)>) -> (String, Report) {
    py.detach(|| {
        let (inspection, report) = inspect::report(&files, &Ours::default(), &Observed::default());
        (serde_json::json!(inspection).to_string(), Report(report))
    })
}
