//! Where a request ends, and by which rule.

use pharos_core::diagnostic as core;
use pharos_core::explain::{self, Answer, Question, QuestionDocument, Site};
use pyo3::prelude::*;

use crate::diagnostics::rejected;
use crate::site::{Text, file};
use crate::value::{plain, read};

/// A site, rendered and indexed once, that answers any number of questions.
#[pyclass(frozen, module = "pharos")]
pub(crate) struct RouteExplainer(Site);

#[pymethods]
impl RouteExplainer {
    /// From a catalogue and a policy.
    #[new]
    fn new(py: Python<'_>, catalogue: Text, policy: Text) -> PyResult<Self> {
        let site = py.detach(|| Site::of_files(file(&catalogue), file(&policy)));
        site.map(Self).map_err(|report| rejected(py, report))
    }

    /// What becomes of a request, as plain values.
    fn explain<'py>(&self, py: Python<'py>, question: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.answer(py, &question)?.view())
    }

    /// The same for people.
    fn text(&self, py: Python<'_>, question: Bound<'_, PyAny>) -> PyResult<String> {
        Ok(explain::render(&self.answer(py, &question)?))
    }
}

impl RouteExplainer {
    fn answer(&self, py: Python<'_>, question: &Bound<'_, PyAny>) -> PyResult<Answer> {
        let document: QuestionDocument = read(question)?;
        let answer: Result<Answer, core::Report> = py.detach(|| self.0.explain(&Question::parse(&document)?));
        answer.map_err(|report| rejected(py, report))
    }
}

/// What becomes of each of these requests, in their order.
#[pyfunction]
pub(crate) fn route_explain<'py>(
    py: Python<'py>,
    catalogue: Text,
    policy: Text,
    questions: Vec<Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let explainer = RouteExplainer::new(py, catalogue, policy)?;
    questions.into_iter().map(|question| explainer.explain(py, question)).collect()
}
