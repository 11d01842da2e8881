//! Modules that compute from their arguments alone, run in this process.

use pyo3::prelude::*;

/// Runs a module of the collection: its request as JSON text in, its one answer as JSON text out. A refusal is an answer.
#[pyfunction]
pub(crate) fn run_module(py: Python<'_>, request: &str) -> String {
    py.detach(|| pharos_modules::run(request))
}
