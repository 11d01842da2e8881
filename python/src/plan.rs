//! Recorded plans: read, shown, compared. Composing and recording them is the operation's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pharos_core::diagnostic as core;
use pharos_core::environment::{self, Given};
use pharos_core::plan::{self, Plan, Recorded};
use pharos_live::records::Records;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::diagnostics::{Report, rejected};
use crate::value::plain;

/// A record: the name that messages give it, and its bytes.
type Record = (String, PyBackedBytes);

fn read((name, bytes): &Record) -> Result<Recorded, core::Report> {
    plan::read(name, bytes)
}

fn known(record: &Record) -> Result<Plan, core::Report> {
    read(record)?.known(&record.0)
}

/// A recorded plan as a value; one of a newer release as it is written.
#[pyfunction]
pub(crate) fn plan_read(py: Python<'_>, record: Record) -> PyResult<Bound<'_, PyAny>> {
    match py.detach(|| read(&record)).map_err(|report| rejected(py, report))? {
        Recorded::Known(plan) => plain(py, &plan),
        Recorded::Newer { document, .. } => plain(py, &document),
    }
}

/// A recorded plan for people; one of a newer release is shown as what it is.
#[pyfunction]
pub(crate) fn plan_text(py: Python<'_>, record: Record) -> PyResult<String> {
    py.detach(|| read(&record).map(|recorded| plan::human(&recorded))).map_err(|report| rejected(py, report))
}

/// A recorded plan as an HTML document that stands alone; one of a newer release is shown as what it is.
#[pyfunction]
pub(crate) fn plan_html(py: Python<'_>, record: Record) -> PyResult<String> {
    py.detach(|| read(&record).map(|recorded| plan::html_record(&recorded))).map_err(|report| rejected(py, report))
}

/// What moved from one recorded plan to another. A plan of a newer release is refused.
#[pyfunction]
pub(crate) fn plan_moved(py: Python<'_>, old: Record, new: Record) -> PyResult<Bound<'_, PyAny>> {
    let moved = py.detach(|| {
        let (old, new) = (known(&old)?, known(&new)?);
        Ok(plan::moved(&old, &new))
    });
    plain(py, &moved.map_err(|report: core::Report| rejected(py, report))?)
}

/// Whether a recorded plan may authorise the operation that it is for: refused with everything that stands in the way.
#[pyfunction]
pub(crate) fn plan_authorise(py: Python<'_>, record: Record) -> PyResult<()> {
    py.detach(|| plan::authorise(&known(&record)?, &record.0)).map_err(|report| rejected(py, report))
}

/// Where the records of an environment are: `variables` holds `STATE_DIR` if it is set. What is no name of an environment is a
/// `ValueError`.
#[pyfunction]
pub(crate) fn state_directory(
    py: Python<'_>,
    environment: &str,
    variables: BTreeMap<String, String>,
    home: String,
    directory: String,
) -> PyResult<PathBuf> {
    let environment = environment.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
    let given = Given { variables, home, directory, ..Given::default() };
    environment::state_directory(&given, &environment).map(PathBuf::from).map_err(|report| rejected(py, report))
}

/// The newest record of an environment in this state directory, with its path; `None` before the first. A record of another environment
/// is refused.
#[pyfunction]
pub(crate) fn plan_latest(py: Python<'_>, state: PathBuf, environment: &str) -> PyResult<Option<(PathBuf, Vec<u8>)>> {
    let environment = environment.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
    let latest = py.detach(|| {
        let Some(records) = Records::find(&state)? else { return Ok(None) };
        let latest = records.latest()?;
        if let Some(latest) = &latest {
            latest.of(&environment)?;
        }
        Ok(latest)
    });
    let latest = latest.map_err(|report: core::Report| rejected(py, report))?;
    Ok(latest.map(|record| (record.path, record.bytes)))
}

/// The entries of the journal in an environment's state directory, the oldest first, and what is graded about it.
#[pyfunction]
pub(crate) fn plan_journal(py: Python<'_>, state: PathBuf) -> PyResult<(Bound<'_, PyAny>, Report)> {
    let read = py.detach(|| Records::open(&state)?.journal());
    let (journal, report) = read.map_err(|report| rejected(py, report))?;
    Ok((plain(py, &journal.entries)?, Report(report)))
}
