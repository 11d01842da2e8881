//! The routes of a live site, asked and judged.

use std::time::Duration;

use pharos_core::certificate::Input;
use pharos_core::diagnostic as core;
use pharos_core::probe::{Standpoint, Verdict, junit, questions, report, standpoint, table};
use pharos_live::probe::{Way, ask};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::diagnostics::{Report, rejected};
use crate::site::{Text, edge};
use crate::value::plain;

/// What the routes of a live site answered.
#[pyclass(frozen, module = "pharos")]
pub(crate) struct Probed(Vec<Verdict>);

#[pymethods]
impl Probed {
    /// Each question with its answer and the code of what is wrong with it, in the order of the route table.
    #[getter]
    fn verdicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.0)
    }

    /// Everything that is wrong.
    #[getter]
    fn report(&self) -> Report {
        Report(report(&self.0))
    }

    /// One line a route, for a terminal.
    fn table(&self) -> String {
        table(&self.0)
    }

    /// A case a route, as `JUnit` XML.
    fn junit(&self) -> String {
        junit(&self.0)
    }
}

/// Asks every route of an environment (a policy or an edge environment) and of its laboratories once, and judges what comes back.
///
/// `trust` is the file of the authorities that the edge's certificates must chain to; `address` the one edge that is asked, whatever the
/// names lead to; `source` the network that the edge sees the questions come from: without it a management route may answer or refuse.
/// `timeout` is in seconds, for each connection and each answer. Nothing is asked of a site whose documents are refused.
#[pyfunction]
#[pyo3(signature = (catalogue, environment, *, trust, extensions=Vec::new(), address=None, source=None, timeout=10, at_once=8))]
#[expect(clippy::too_many_arguments, reason = "all but the documents are named")]
pub(crate) fn probe_routes(
    py: Python<'_>,
    catalogue: Text,
    environment: Text,
    trust: (String, PyBackedBytes),
    extensions: Vec<Text>,
    address: Option<&str>,
    source: Option<&str>,
    timeout: u32,
    at_once: usize,
) -> PyResult<Probed> {
    let (address, from) = standpoint(address, source).map_err(|report| rejected(py, report))?;
    let asked = py.detach(|| -> Result<Vec<Verdict>, core::Report> {
        let edge = edge(&catalogue, &environment, &extensions)?;
        let standpoint = Standpoint { from: from.as_ref(), management: &edge.environment.management_networks };
        let questions = questions(&edge.table, &standpoint);
        let trust = Input { name: &trust.0, bytes: &trust.1 };
        let way = Way { trust, address, timeout: Duration::from_secs(timeout.into()), at_once };
        let answers = ask(&questions, &way)?;
        Ok(questions.into_iter().zip(answers).map(|(question, answer)| Verdict::of(question, answer)).collect())
    });
    asked.map(Probed).map_err(|report| rejected(py, report))
}
