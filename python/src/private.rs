//! Private inputs, read.

use std::path::{Path, PathBuf};

use pharos_live::private::gather;
use pharos_live::private::survey::survey;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::diagnostics::{Report, rejected};

/// The content of a private file, `most` bytes of it and one more; `None` if it is not there. Below the private `root` every directory is
/// private too.
#[pyfunction]
pub(crate) fn private_read(
    py: Python<'_>,
    root: PathBuf,
    path: PathBuf,
    most: u64,
) -> PyResult<Option<Bound<'_, PyBytes>>> {
    let content = py.detach(|| gather::read(&root, &path, most.saturating_add(1)));
    let content = content.map_err(|report| rejected(py, report))?;
    Ok(content.map(|content| PyBytes::new(py, &content)))
}

/// What is not private of these paths, each with the directories that lead to it and everything in it.
#[pyfunction]
pub(crate) fn private_survey(py: Python<'_>, root: PathBuf, paths: Vec<PathBuf>) -> Report {
    Report(py.detach(|| survey(&root, &paths.iter().map(PathBuf::as_path).collect::<Vec<_>>())))
}

/// A file with its name.
type Named<'py> = (String, Bound<'py, PyBytes>);

/// The sources of an inventory, each with its path, and what is not private of them. No file is read if there is no inventory.
#[pyfunction]
pub(crate) fn private_inventory(
    py: Python<'_>,
    root: PathBuf,
    path: PathBuf,
    beside: Vec<String>,
) -> (Vec<Named<'_>>, Report) {
    let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
    let (files, report) = py.detach(|| gather::inventory(&root, &path, &beside));
    let named = |(path, content): (PathBuf, Vec<u8>)| (text(&path), PyBytes::new(py, &content));
    (files.into_iter().map(named).collect(), Report(report))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
