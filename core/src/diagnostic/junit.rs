//! A report as `JUnit` XML, which build servers show as tests.

use super::xml::escaped;
use super::{Diagnostic, Place, Report, Severity, human};

/// One test suite: for each file a passing case, or one case for each of its findings. An error fails its case; what is only
/// a warning or a note is the output of a case that passes. `checked` names the files that were looked at, so that those
/// without a finding are there too.
pub fn render(report: &Report, checked: &[&str]) -> String {
    let found = report.diagnostics();
    let clean =
        checked.iter().filter(|file| !found.iter().any(|finding| finding.place().map(Place::file) == Some(**file)));
    let mut cases: Vec<String> =
        clean.map(|file| format!("  <testcase classname=\"{0}\" name=\"{0}\"/>\n", escaped(file))).collect();
    let failures = report.count(Severity::Error);
    cases.extend(found.iter().map(case));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"pharos\" tests=\"{}\" failures=\"{failures}\" \
         errors=\"0\" skipped=\"0\">\n{}</testsuite>\n</testsuites>\n",
        cases.len(),
        cases.concat(),
    )
}

fn case(finding: &Diagnostic) -> String {
    let file = finding.place().map_or("", Place::file);
    let place = finding.place().map(Place::to_text).unwrap_or_default();
    let name = format!("{} at {place}", finding.code);
    let text = escaped(&human::one(finding, human::Style::Plain));
    let body = match finding.severity {
        Severity::Error => format!(
            "<failure type=\"{}\" message=\"{}\">{text}</failure>",
            escaped(finding.code.name()),
            escaped(&finding.message)
        ),
        Severity::Warning | Severity::Note => format!("<system-out>{text}</system-out>"),
    };
    format!("  <testcase classname=\"{}\" name=\"{}\">{body}</testcase>\n", escaped(file), escaped(&name))
}
