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
    /// From a catalogue, a policy and the extensions of laboratories.
    #[new]
    #[pyo3(signature = (catalogue, policy, *, extensions = Vec::new()))]
    fn new(py: Python<'_>, catalogue: Text, policy: Text, extensions: Vec<Text>) -> PyResult<Self> {
        let site = py.detach(|| {
            let extensions: Vec<_> = extensions.iter().map(file).collect();
            Site::of_files(file(&catalogue), file(&policy), &extensions)
        });
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
#[pyo3(signature = (catalogue, policy, questions, *, extensions = Vec::new()))]
pub(crate) fn route_explain<'py>(
    py: Python<'py>,
    catalogue: Text,
    policy: Text,
    questions: Vec<Bound<'py, PyAny>>,
    extensions: Vec<Text>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let explainer = RouteExplainer::new(py, catalogue, policy, extensions)?;
    questions.into_iter().map(|question| explainer.explain(py, question)).collect()
}
