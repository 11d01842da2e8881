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

/// Ansible's plugin refuses an inventory in INI as a whole and tells no line; every line is told here.
#[test]
fn an_inventory_in_ini_is_refused_line_by_line() {
    let told = |failure: &str, text: &str| -> Vec<String> {
        let failure: Failure = serde_json::from_str(failure).unwrap();
        let other = Source { name: "inventory/20-more".to_owned(), bytes: b"[elsewhere]\nn9\n".to_vec() };
        let file = Source { name: "inventory/hosts".to_owned(), bytes: text.as_bytes().to_vec() };
        let report = report(&[failure], &[file, other]);
        assert!(!report.to_string().contains("hunter2"), "{report}");
        report.diagnostics().iter().map(|each| format!("{} {}", each.code, each.place().unwrap().to_text())).collect()
    };
    let refused = r#"{"kind": "source", "file": "inventory/hosts", "plugin": "ini"}"#;
    let text = "[kube_node:var]\nx=hunter2\n[etcd]\nn1 hunter2\n  n[1:x] p=hunter2\n[a:children]\nnowhere\nelsewhere\n";
    let all = [
        "inventory/ini inventory/hosts:1:1",
        "inventory/ini inventory/hosts:4:4",
        "inventory/range inventory/hosts:5:3",
    ];
    assert_eq!(told(refused, text), all);
    // Groups that nobody declares are told once all lines can be read: a section at fault may be what declares them.
    let undeclared = "[a:children]\nnowhere\nelsewhere\n[b:vars]\np=hunter2\n";
    let both = ["inventory/ini inventory/hosts:2:1", "inventory/ini inventory/hosts:4:2"];
    assert_eq!(told(refused, undeclared), both);
    // What is no INI at all is told as a whole, or by its first line of YAML.
    assert_eq!(told(refused, "#!/bin/sh\necho hunter2\n"), ["ansible/source inventory/hosts"]);
    assert_eq!(told(refused, "all:\n  hosts:\n    n1: hunter2 [\n"), ["inventory/ini inventory/hosts:1:1"]);
    let yaml = r#"{"kind": "source", "file": "inventory/hosts", "plugin": "yaml"}"#;
    assert_eq!(told(yaml, text), ["ansible/source inventory/hosts"]);
}
