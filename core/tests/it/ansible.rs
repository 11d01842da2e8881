//! What Ansible could not resolve, in words.

use std::collections::BTreeMap;

use pharos_core::ansible::{Failure, report};
use pharos_core::diagnostic::Report;
use pharos_core::inventory::Source;
use serde::Deserialize;

use crate::rejected::Fixture;

#[derive(Deserialize)]
struct Case {
    failures: Vec<Failure>,
    files: BTreeMap<String, String>,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let case: Case = serde_json::from_str(fixture.source().text()).unwrap();
    let files: Vec<Source> =
        case.files.into_iter().map(|(name, text)| Source { name, bytes: text.into_bytes() }).collect();
    let report = report(&case.failures, &files);
    assert!(!report.to_string().contains("hunter2"), "a line of a private file is shown:\n{report}");
    report
}

#[test]
fn a_place_beyond_the_file_is_no_fault() {
    let failure: Failure =
        serde_json::from_str(r#"{"kind": "file", "file": "vars.yml", "line": 90, "column": 7}"#).unwrap();
    let file = Source { name: "vars.yml".to_owned(), bytes: b"a: 1\n\xff".to_vec() };
    assert_eq!(report(&[failure], &[file]).diagnostics().len(), 1);
}
