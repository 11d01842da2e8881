//! The selection of an environment, and what it needs.

use pharos_core::ansible::{self, Failure};
use pharos_core::environment::{self, Given, Operation};
use pharos_core::inventory::{self, Purpose, Source};
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

/// The programs that an operation runs, also those that only looking at a site takes.
#[pyfunction]
pub(crate) fn operation_tools(operation: &str) -> PyResult<Vec<&'static str>> {
    Ok(operation_of(operation)?.tools(false).map(|tool| tool.name).collect())
}

/// A report on files, with the variable of the selected environment that each path comes from.
#[pyfunction]
pub(crate) fn environment_origins(site: &Bound<'_, PyAny>, report: &Report) -> PyResult<Report> {
    Ok(Report(environment::origins(&value::read(site)?, &report.0)))
}

/// The report of an inventory that is not there, or is a folder without a file.
#[pyfunction]
#[pyo3(signature = (environment, path, *, is_folder = false))]
pub(crate) fn missing_inventory(environment: &str, path: &str, is_folder: bool) -> Report {
    Report(environment::missing_inventory(environment, path, is_folder))
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

/// What is refused of the static files of an inventory before Ansible is given them.
#[pyfunction]
pub(crate) fn inventory_sources(py: Python<'_>, files: Vec<(String, PyBackedBytes)>) -> Report {
    py.detach(|| Report(ansible::sources(&sources(&files))))
}

/// What can be said of an inventory that Ansible resolved in part, whatever the rest holds. `fresh` asks for what a fresh installation
/// needs of the devices.
#[pyfunction]
#[pyo3(signature = (facts, files, failures, *, fresh = false))]
pub(crate) fn inventory_in_part(
    py: Python<'_>,
    facts: &Bound<'_, PyAny>,
    files: Vec<(String, PyBackedBytes)>,
    failures: &Bound<'_, PyAny>,
    fresh: bool,
) -> PyResult<Report> {
    let failures: Vec<Failure> = value::read(failures)?;
    let facts = value::read(facts)?;
    let purpose = if fresh { Purpose::Fresh } else { Purpose::Existing };
    Ok(py.detach(|| Report(ansible::in_part(&facts, &sources(&files), &failures, purpose))))
}

fn sources(files: &[(String, PyBackedBytes)]) -> Vec<Source> {
    files.iter().map(|(name, bytes)| Source { name: name.clone(), bytes: bytes.to_vec() }).collect()
}

/// What Ansible could not resolve, in words.
#[pyfunction]
pub(crate) fn ansible_report(
    py: Python<'_>,
    failures: &Bound<'_, PyAny>,
    files: Vec<(String, PyBackedBytes)>,
) -> PyResult<Report> {
    let failures: Vec<Failure> = value::read(failures)?;
    Ok(py.detach(|| Report(ansible::report(&failures, &sources(&files)))))
}

fn operation_of(word: &str) -> PyResult<Operation> {
    Operation::of(word).ok_or_else(|| PyValueError::new_err(format!("`{}` is no operation", word.escape_debug())))
}
