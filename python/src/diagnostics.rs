//! Reports and the pages behind their codes.

use pharos_core::diagnostic::{self as core, code as registry};
use pharos_core::file::{Refused, system_refusals};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::value::read;

/// Every finding of one input, in file order.
#[pyclass(frozen, module = "pharos")]
#[derive(Clone)]
pub(crate) struct Report(pub(crate) core::Report);

#[pymethods]
impl Report {
    /// The findings.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.0.diagnostics().iter().cloned().map(Diagnostic).collect()
    }

    /// Whether the input is refused: whether any finding is an error.
    #[getter]
    fn refuses(&self) -> bool {
        self.0.refuses()
    }

    /// The exit status of a command that ends with this: 0 fit, 1 refused, 2 wrong usage, 3 the world failed.
    #[getter]
    fn exit_status(&self) -> u8 {
        self.0.exit_status()
    }

    /// One line, for example `2 errors, 1 warning`.
    #[getter]
    fn summary(&self) -> String {
        self.0.summary()
    }

    /// The report for people.
    #[pyo3(signature = (*, colour = false))]
    fn human(&self, colour: bool) -> String {
        let style = if colour { core::human::Style::Colour } else { core::human::Style::Plain };
        core::human::render(&self.0, style)
    }

    /// The findings as JSON text: an array of objects.
    fn json(&self) -> String {
        core::json::render(&self.0).to_string()
    }

    /// The findings as SARIF 2.1.0, for code scanning.
    fn sarif(&self) -> String {
        core::sarif::render(&self.0).to_string()
    }

    /// The findings as JUnit XML, for test reports: a suite for each of the files that were checked.
    fn junit(&self, checked: Vec<String>) -> String {
        core::junit::render(&self.0, &checked.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The findings of both, sorted anew.
    fn __add__(&self, other: &Self) -> Self {
        let mut findings = core::Findings::new();
        findings.extend(self.0.clone());
        findings.extend(other.0.clone());
        Self(findings.into_report())
    }

    fn __len__(&self) -> usize {
        self.0.diagnostics().len()
    }

    fn __str__(&self) -> String {
        self.human(false)
    }

    fn __repr__(&self) -> String {
        format!("<Report: {}>", self.0.summary())
    }
}

/// One finding.
#[pyclass(frozen, module = "pharos")]
#[derive(Clone)]
pub(crate) struct Diagnostic(core::Diagnostic);

#[pymethods]
impl Diagnostic {
    /// The stable code, for example `catalogue/duplicate-path`.
    #[getter]
    fn code(&self) -> &'static str {
        self.0.code.name()
    }

    /// `error`, `warning` or `note`.
    #[getter]
    fn severity(&self) -> &'static str {
        self.0.severity.word()
    }

    /// What is wrong.
    #[getter]
    fn message(&self) -> &str {
        &self.0.message
    }

    /// Where: the first label is the place of the fault.
    #[getter]
    fn labels(&self) -> Vec<Label> {
        self.0.labels.iter().cloned().map(Label).collect()
    }

    /// What to write instead.
    #[getter]
    fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("<{} {}: {}>", self.severity(), self.code(), self.message())
    }
}

/// A place with the words that stand beside it.
#[pyclass(frozen, module = "pharos")]
#[derive(Clone)]
pub(crate) struct Label(core::Label);

#[pymethods]
impl Label {
    /// The file, as the caller named it.
    #[getter]
    fn file(&self) -> &str {
        self.0.place.file()
    }

    /// The line, from 1; none for a place that is a whole file.
    #[getter]
    fn line(&self) -> Option<usize> {
        self.0.place.span().map(|(start, _)| start.line)
    }

    /// The column in characters, from 1.
    #[getter]
    fn column(&self) -> Option<usize> {
        self.0.place.span().map(|(start, _)| start.column)
    }

    /// The key as a JSON pointer, where known.
    #[getter]
    fn key(&self) -> Option<&str> {
        self.0.place.key()
    }

    /// What is there; may be empty.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    fn __repr__(&self) -> String {
        format!("<Label {}>", self.0.place.to_text())
    }
}

/// The name of a kind of finding and the page that explains it.
#[pyclass(frozen, module = "pharos")]
pub(crate) struct Code(registry::Code);

#[pymethods]
impl Code {
    /// The name, `room/what-is-wrong`.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The page, in Markdown.
    #[getter]
    fn page(&self) -> &'static str {
        self.0.page()
    }

    fn __repr__(&self) -> String {
        format!("<Code {}>", self.0.name())
    }
}

/// Every code, room by room.
#[pyfunction]
pub(crate) fn codes() -> Vec<Code> {
    registry::all().map(Code).collect()
}

/// The code of this name; a `KeyError` that lists similar names if there is none.
///
/// >>> pharos.code("edge/second-default-server").name
/// 'edge/second-default-server'
#[pyfunction]
pub(crate) fn code(name: &str) -> PyResult<Code> {
    registry::find(name).map(Code).ok_or_else(|| {
        let similar: Vec<String> = registry::similar(name).into_iter().map(str::to_owned).collect();
        PyKeyError::new_err((name.to_owned(), similar))
    })
}

/// What the system refuses to do with files, as a report.
#[pyfunction]
pub(crate) fn file_refusals(refused: Vec<Bound<'_, PyAny>>) -> PyResult<Report> {
    let refused: Vec<Refused> = refused.iter().map(read).collect::<PyResult<_>>()?;
    Ok(Report(system_refusals(&refused, pharos_live::reason_of)))
}

/// A refusal, as it is raised: `pharos.RejectedError`.
pub(crate) fn rejected(py: Python<'_>, report: core::Report) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match CLASS.import(py, "pharos._errors", "RejectedError") {
        Ok(class) => PyErr::from_type(class.clone(), (Report(report),)),
        Err(error) => error,
    }
}
