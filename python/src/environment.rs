//! The selection of an environment, and what it needs.

use pharos_core::ansible::{self, Failure};
use pharos_core::environment::{self, Given, Operation};
use pharos_core::inventory::{self, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::diagnostics::{Report, rejected};
use crate::value;

/// The names of the variables that a selection looks at.
#[pyfunction]
pub(crate) fn environment_variables() -> Vec<&'static str> {
    environment::VARIABLES.to_vec()
}

/// Selects an environment from what was given.
#[pyfunction]
pub(crate) fn environment_select<'py>(
    py: Python<'py>,
    operation: &str,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let given: Given = value::read(given)?;
    let site = environment::select(operation_of(operation)?, &given).map_err(|report| rejected(py, report))?;
    value::plain(py, &site)
}

/// The programs that an operation runs.
#[pyfunction]
pub(crate) fn operation_tools(operation: &str) -> PyResult<Vec<&'static str>> {
    Ok(operation_of(operation)?.tools().iter().map(|tool| tool.name).collect())
}

/// What is said when these programs are not there.
#[pyfunction]
pub(crate) fn missing_tools(operation: &str, absent: Vec<String>) -> PyResult<Report> {
    Ok(Report(environment::missing_tools(operation_of(operation)?, &absent)))
}

/// The report of an inventory that is not there.
#[pyfunction]
pub(crate) fn missing_inventory(environment: &str, path: &str) -> Report {
    Report(environment::missing_inventory(environment, path))
}

/// The names of the groups that make a cluster, in every spelling.
#[pyfunction]
pub(crate) fn cluster_groups() -> Vec<&'static str> {
    inventory::cluster_groups().collect()
}

/// The names of the variables of ours that an inventory may have.
#[pyfunction]
pub(crate) fn inventory_variables() -> Vec<&'static str> {
    inventory::variables().collect()
}

/// What Ansible could not resolve, in words.
#[pyfunction]
pub(crate) fn ansible_report(failures: &Bound<'_, PyAny>, files: Vec<(String, PyBackedBytes)>) -> PyResult<Report> {
    let failures: Vec<Failure> = value::read(failures)?;
    let files: Vec<Source> = files.into_iter().map(|(name, bytes)| Source { name, bytes: bytes.to_vec() }).collect();
    Ok(Report(ansible::report(&failures, &files)))
}

fn operation_of(word: &str) -> PyResult<Operation> {
    Operation::of(word).ok_or_else(|| PyValueError::new_err(format!("`{}` is no operation", word.escape_debug())))
}
