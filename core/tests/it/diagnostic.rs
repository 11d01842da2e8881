//! One report in each of its forms.

use pharos_core::diagnostic::{Diagnostic, Findings, Report, Source, junit, sarif};
use pharos_core::{document, name};

use crate::document::Sample;

/// Two places that collide, a private file, a whole file, and a warning.
fn report() -> Report {
    let mut findings = Findings::new();
    let public = Source::public("environments/my site/policy.yaml", "version: 1\nname: \"a < b\"\nname: no\n");
    findings.extend(document::read::<Sample>(&public).err().unwrap());
    let private = Source::private("hosts.yml", "version: 1\ndigest: \"hunter2\"\nmatch: {exat: hunter2}\n");
    findings.extend(document::read::<Sample>(&private).err().unwrap());
    findings.extend(document::read::<Sample>(&Source::public("empty.yaml", "")).err().unwrap());
    findings.push(Diagnostic::warning(name::codes::NETWORK, "a warning & a half").at(private.place(0..7), "here"));
    findings.into_report()
}

#[test]
fn as_sarif() {
    let mut log = sarif::render(&report());
    log["runs"][0]["tool"]["driver"]["version"] = "(this release)".into();
    insta::assert_json_snapshot!(log);
}

#[test]
fn as_junit() {
    insta::assert_snapshot!(junit::render(&report(), &["clean.yaml", "hosts.yml"]));
}

#[test]
fn no_form_shows_what_is_private() {
    let report = report();
    for text in [
        report.to_string(),
        sarif::render(&report).to_string(),
        junit::render(&report, &[]),
        pharos_core::diagnostic::json::render(&report).to_string(),
    ] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}
