//! From a request to an answer: the one place where a module is called.

use pharos_core::diagnostic::{Diagnostic, Place, Report, Severity, human, json};
use pharos_core::module::codes;
use serde_json::{Map, Value};

use crate::fault::contain;
use crate::module::Entry;
use crate::options::{self, Documents, Giver, Reading, nearest};
use crate::outcome::{Failure, Left, Outcome, fields};
use crate::plugin::PLUGINS;
use crate::{registry, request};

/// The answer to a request, as the one line of JSON that the action plugin reads. Never panics; used by the bindings.
pub fn run(request: &str) -> String {
    answer(registry::MODULES, request.as_bytes()).to_line()
}

/// The answer of the module that the request names, out of `modules`.
pub fn answer(modules: &[Entry], request: &[u8]) -> Answer {
    match contain(|| dispatch(modules, request)) {
        Ok(Ok(outcome)) => Answer::done(outcome),
        Ok(Err(failure)) => Answer::failed(failure, request::host(request).as_deref()),
        Err(fault) => Answer::failed(fault.into(), request::host(request).as_deref()),
    }
}

fn dispatch(modules: &[Entry], bytes: &[u8]) -> Result<Outcome<Value>, Failure> {
    let request = request::read(bytes)?;
    if let Some(kind) = request.plugin {
        let plugins = || PLUGINS.iter().filter(|entry| entry.kind == kind);
        return match plugins().find(|entry| entry.name == request.module) {
            Some(entry) if request.judge => {
                entry.judge(request.arguments)?;
                Ok(Outcome::of(Value::Null))
            }
            Some(entry) => entry.run(request.arguments),
            None => Err(unknown(kind.word(), &request.module, &plugins().map(|entry| entry.name).collect::<Vec<_>>())),
        };
    }
    let Some(entry) = modules.iter().find(|entry| entry.name == request.module) else {
        return Err(unknown("module", &request.module, &modules.iter().map(|entry| entry.name).collect::<Vec<_>>()));
    };
    if request.judge {
        let reading = Reading { giver: Giver::Task, documents: Documents::Named };
        options::judge(request.arguments, &entry.argument_schema(), reading)?;
        return Ok(Outcome::of(Value::Null));
    }
    (entry.run)(request.arguments, &request.context)
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Failure {
    Diagnostic::error(codes::UNKNOWN_MODULE, format!("there is no {what} `{name}`"))
        .at(Place::named("request").with_key("/module"), "")
        .help(nearest(name, known, &format!("{what}s")))
        .into()
}

/// An answer in Ansible's terms.
#[derive(Clone, Debug)]
pub struct Answer(Map<String, Value>);

impl Answer {
    fn done(outcome: Outcome<Value>) -> Self {
        let mut map = fields(outcome.data);
        let change = outcome.change.unwrap_or_default();
        map.insert("changed".to_owned(), change.is_change().into());
        if change.is_change() {
            map.insert("diff".to_owned(), change.diff().into());
        }
        let warnings: Vec<Value> = sentences(&outcome.report, Severity::Warning).map(Value::from).collect();
        if !warnings.is_empty() {
            map.insert("warnings".to_owned(), warnings.into());
        }
        map.insert("diagnostics".to_owned(), json::render(&outcome.report));
        Self(map)
    }

    /// A failed task: the report as `msg` for people and as `diagnostics` for programs, errors first. Where the host is known, the
    /// message begins with it: a play has many.
    pub fn failed(failure: Failure, host: Option<&str>) -> Self {
        let Left { change, data } = failure.left.map(|left| *left).unwrap_or_default();
        let mut map = fields(data);
        map.insert("failed".to_owned(), true.into());
        map.insert("changed".to_owned(), change.is_change().into());
        if change.is_change() {
            map.insert("diff".to_owned(), change.diff().into());
        }
        let report = failure.report.gravest_first();
        let heading = host.map(|host| format!("{host}: {}\n\n", report.summary())).unwrap_or_default();
        map.insert(
            "msg".to_owned(),
            format!("{heading}{}", human::render(&report, human::Style::Plain).trim_end()).into(),
        );
        map.insert("diagnostics".to_owned(), json::render(&report));
        Self(map)
    }

    /// Whether the task failed.
    pub fn is_failed(&self) -> bool {
        self.0.contains_key("failed")
    }

    /// The fields.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    /// One line of JSON without its newline.
    pub fn to_line(&self) -> String {
        Value::from(self.0.clone()).to_string()
    }
}

/// One sentence for each finding of this severity.
fn sentences(report: &Report, severity: Severity) -> impl Iterator<Item = String> {
    report.diagnostics().iter().filter(move |finding| finding.severity == severity).map(|finding| {
        let place = finding.place().map(|place| format!("{}: ", place.to_text())).unwrap_or_default();
        format!("{place}{} ({})", finding.message, finding.code)
    })
}
