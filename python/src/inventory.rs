//! What an inventory means, from what Ansible made of it.

use pharos_core::inventory::{Facts, Purpose, Source, Topology, resolve_for, show};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::diagnostics::{Report, rejected};
use crate::value::plain;

/// Static files of an inventory, by name.
type Files = Vec<(String, PyBackedBytes)>;

fn sources(files: &Files) -> Vec<Source> {
    files.iter().map(|(name, bytes)| Source { name: name.clone(), bytes: bytes.to_vec() }).collect()
}

/// Judges an inventory: its topology, and what was only warned about. `facts` is what Ansible resolved; `sources` are the static
/// files (inventories, `group_vars`, `host_vars`), read again for places. `fresh` asks for what a fresh installation needs of
/// the devices.
#[pyfunction]
#[pyo3(signature = (facts, sources, *, fresh = false))]
pub(crate) fn inventory<'py>(
    py: Python<'py>,
    facts: &Bound<'py, PyAny>,
    sources: Files,
    fresh: bool,
) -> PyResult<(Bound<'py, PyAny>, Report)> {
    let facts: Facts = pythonize::depythonize(facts)?;
    let purpose = if fresh { Purpose::Fresh } else { Purpose::Existing };
    let resolved =
        py.detach(|| resolve_for(&facts, &self::sources(&sources), purpose)).map_err(|report| rejected(py, report))?;
    Ok((plain(py, &resolved.topology)?, Report(resolved.notes)))
}

/// What the primary host's variables bind the site to. It is private: no record and no output may have it.
#[pyfunction]
pub(crate) fn inventory_bindings<'py>(
    py: Python<'py>,
    facts: &Bound<'py, PyAny>,
    sources: Files,
) -> PyResult<Bound<'py, PyAny>> {
    let facts: Facts = pythonize::depythonize(facts)?;
    let resolved = py
        .detach(|| resolve_for(&facts, &self::sources(&sources), Purpose::Existing))
        .map_err(|report| rejected(py, report))?;
    plain(py, &resolved.bindings)
}

/// A topology for people.
#[pyfunction]
pub(crate) fn inventory_text(topology: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(show::human(&pythonize::depythonize::<Topology>(topology)?))
}

/// A topology as a picture: `svg` or `dot`.
#[pyfunction]
pub(crate) fn inventory_graph(topology: &Bound<'_, PyAny>, form: &str) -> PyResult<String> {
    let topology: Topology = pythonize::depythonize(topology)?;
    match form {
        "svg" => Ok(show::svg(&topology)),
        "dot" => Ok(show::dot(&topology)),
        _ => Err(PyValueError::new_err("the form of a picture is `svg` or `dot`")),
    }
}
