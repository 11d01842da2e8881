//! What was answered, and how all of it is shown.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::{Question, judge};
use crate::diagnostic::{Diagnostic, Findings, Report, human, xml};

/// What came back.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    /// Nothing: why, in the words of the system or of TLS.
    NoAnswer(String),
    /// An answer.
    Answer {
        /// The HTTP status.
        status: u16,
        /// Whether the gateway says that a backend gave it.
        backend: bool,
        /// The status of a gRPC call, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grpc: Option<u32>,
    },
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoAnswer(why) => f.write_str(why),
            Self::Answer { status, grpc: Some(grpc), .. } => write!(f, "{status}, gRPC status {grpc}"),
            Self::Answer { status, .. } => write!(f, "{status}"),
        }
    }
}

/// A question with its answer, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// What was asked.
    pub question: Question,
    /// The address.
    pub url: String,
    /// What came back.
    pub outcome: Outcome,
    /// The code of what is wrong with it; none if it is as expected.
    pub code: Option<&'static str>,
    /// What is wrong, for the report.
    #[serde(skip)]
    pub finding: Option<Diagnostic>,
}

impl Verdict {
    /// Judges an answer.
    pub fn of(question: Question, outcome: Outcome) -> Self {
        let finding = judge(&question, &outcome);
        let code = finding.as_ref().map(|finding| finding.code.name());
        Self { url: question.url(), question, outcome, code, finding }
    }
}

/// Everything that is wrong, in the order of the questions.
pub fn report(verdicts: &[Verdict]) -> Report {
    let mut findings = Findings::new();
    verdicts.iter().filter_map(|verdict| verdict.finding.clone()).for_each(|finding| findings.push(finding));
    findings.into_report()
}

/// One line a route for a terminal: the route, the address, what came back and what is wrong with it.
pub fn table(verdicts: &[Verdict]) -> String {
    let row = |verdict: &Verdict| {
        let judged = verdict.code.unwrap_or("as expected").to_owned();
        [verdict.question.route.to_string(), verdict.url.clone(), tame(&verdict.outcome.to_string()), judged]
    };
    let mut rows = vec![["ROUTE", "ADDRESS", "ANSWER", "VERDICT"].map(str::to_owned)];
    rows.extend(verdicts.iter().map(row));
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..4).map(|column| widest(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}

/// The verdicts as `JUnit` XML: a case a route, in a class of its host.
pub fn junit(verdicts: &[Verdict]) -> String {
    let failures = verdicts.iter().filter(|verdict| verdict.finding.is_some()).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"routes\" tests=\"{}\" failures=\"{failures}\" \
         errors=\"0\" skipped=\"0\">\n",
        verdicts.len(),
    );
    for verdict in verdicts {
        let name = xml::escaped(verdict.question.route.as_str());
        let class = xml::escaped(verdict.question.host.as_str());
        let body = verdict.finding.as_ref().map(|finding| {
            let message = xml::escaped(&finding.message);
            let said = xml::escaped(&human::one(finding, human::Style::Plain));
            format!("<failure type=\"{}\" message=\"{message}\">{said}</failure>", finding.code.name())
        });
        // Writing to a String cannot fail.
        let _ = match body {
            Some(body) => writeln!(text, "  <testcase classname=\"{class}\" name=\"{name}\">{body}</testcase>"),
            None => writeln!(text, "  <testcase classname=\"{class}\" name=\"{name}\"/>"),
        };
    }
    text + "</testsuite>\n</testsuites>\n"
}

/// A text of the network's for a terminal: no control characters.
fn tame(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
