//! What the core's types say of themselves, as plain Python values: no text in between, and no `json` to import.

use pyo3::prelude::*;
use serde::Serialize;

/// A value as dictionaries, lists and scalars.
pub(crate) fn plain<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}
