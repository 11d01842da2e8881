//! What the core's types say of themselves, as plain Python values: no text in between, and no `json` to import.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as dictionaries, lists and scalars.
pub(crate) fn plain<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}

/// A value of the core from plain Python values. One that does not fit is a fault of the caller, a `ValueError` that quotes nothing.
pub(crate) fn read<T: DeserializeOwned>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    pythonize::depythonize(value).map_err(|_| PyValueError::new_err("not the structure that is expected here"))
}
