//! What is seen of a cluster and its hosts.

use std::path::PathBuf;
use std::time::Duration;

use pharos_core::access::{HostAnswer, host_command as command, read_hosts as read};
use pharos_live::cluster::{Access, address, observe};
use pyo3::prelude::*;

use crate::diagnostics::{Report, rejected};
use crate::value::plain;

/// Reads a cluster with the identity of a private kubeconfig, with GET requests alone: the observations of a plan.
///
/// A file that `may_be_missing` and is gives no observation. `allowed_plugin` is the program that may be run for credentials, by the very name that the kubeconfig gives it; `forward` a port on
/// loopback that leads to the API; `timeout` is in seconds, for each answer; `page` is how many objects are in memory at once.
#[pyfunction]
#[pyo3(signature = (kubeconfig, *, may_be_missing=false, allowed_plugin=None, forward=None, timeout=30, page=500))]
pub(crate) fn observe_cluster(
    py: Python<'_>,
    kubeconfig: PathBuf,
    may_be_missing: bool,
    allowed_plugin: Option<String>,
    forward: Option<u16>,
    timeout: u32,
    page: u32,
) -> PyResult<Bound<'_, PyAny>> {
    let seen = py.detach(|| {
        let access = Access {
            may_be_missing,
            allowed_plugin: allowed_plugin.as_deref(),
            forward,
            timeout: Duration::from_secs(timeout.into()),
            page: page.max(1),
            ..Access::new(&kubeconfig)
        };
        observe(&access)
    });
    plain(py, &seen.map_err(|report| rejected(py, report))?)
}

/// Where the API is that the current context of a private kubeconfig names, as `HOST:PORT`.
#[pyfunction]
#[pyo3(signature = (kubeconfig, *, allowed_plugin=None))]
pub(crate) fn api_address(py: Python<'_>, kubeconfig: PathBuf, allowed_plugin: Option<String>) -> PyResult<String> {
    let found =
        py.detach(|| address(&Access { allowed_plugin: allowed_plugin.as_deref(), ..Access::new(&kubeconfig) }));
    found.map_err(|report| rejected(py, report))
}

/// The command that reads a host over ssh, word by word.
#[pyfunction]
pub(crate) fn host_command() -> Vec<&'static str> {
    command()
}

/// What hosts are by their answers to the command, and the findings on those that gave none. An answer is the host's name, the exit
/// status of ssh (none if it took too long), what was written and what was complained about.
#[pyfunction]
pub(crate) fn read_hosts(
    py: Python<'_>,
    answers: Vec<(String, Option<i32>, String, String)>,
) -> PyResult<(Bound<'_, PyAny>, Report)> {
    let answers = answers
        .iter()
        .map(|(name, status, output, errors)| (name.as_str(), HostAnswer { status: *status, output, errors }));
    let (hosts, report) = read(answers);
    Ok((plain(py, &hosts)?, Report(report)))
}
