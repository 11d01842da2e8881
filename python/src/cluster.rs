//! What is seen of a cluster.

use std::path::PathBuf;
use std::time::Duration;

use pharos_live::cluster::{Access, observe};
use pyo3::prelude::*;

use crate::diagnostics::rejected;
use crate::value::plain;

/// Reads a cluster with the identity of a private kubeconfig, with GET requests alone: the observations of a plan.
///
/// `allowed_plugin` is the program that may be run for credentials, by the very name that the kubeconfig gives it; `timeout` is in
/// seconds, for each answer; `page` is how many objects are in memory at once.
#[pyfunction]
#[pyo3(signature = (kubeconfig, *, allowed_plugin=None, timeout=30, page=500))]
pub(crate) fn observe_cluster(
    py: Python<'_>,
    kubeconfig: PathBuf,
    allowed_plugin: Option<String>,
    timeout: u32,
    page: u32,
) -> PyResult<Bound<'_, PyAny>> {
    let seen = py.detach(|| {
        let access = Access {
            allowed_plugin: allowed_plugin.as_deref(),
            timeout: Duration::from_secs(timeout.into()),
            page: page.max(1),
            ..Access::new(&kubeconfig)
        };
        observe(&access)
    });
    plain(py, &seen.map_err(|report| rejected(py, report))?)
}
