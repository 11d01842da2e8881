//! What an inventory means, and what it is refused for. Beside each inventory lies `facts.json`, what Ansible made of it.

use std::path::Path;

use pharos_core::diagnostic::Report;
use pharos_core::inventory::{Facts, Purpose, Source, resolve_for};

use crate::rejected::Fixture;

/// A fixture is a folder with an inventory and its facts. Every line at fault has a password, which no report may show.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let purpose = match fixture.what() {
        "device-by-id" | "no-devices" => Purpose::Fresh,
        _ => Purpose::Existing,
    };
    let (facts, sources) = read(fixture.path());
    let report = match resolve_for(&facts, &sources, purpose) {
        Ok(resolved) => resolved.notes,
        Err(report) => report,
    };
    assert!(!report.to_string().contains("canary"), "{report}");
    assert!(!pharos_core::diagnostic::json::render(&report).to_string().contains("canary"), "{report}");
    report
}

/// The facts and the files of a folder, which are named as seen from it.
fn read(folder: &Path) -> (Facts, Vec<Source>) {
    let facts = serde_json::from_slice(&std::fs::read(folder.join("facts.json")).unwrap()).unwrap();
    let mut sources = Vec::new();
    files(folder, folder, &mut sources);
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    (facts, sources)
}

fn files(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, sources);
        } else if !path.ends_with("facts.json") && path.extension().is_none_or(|extension| extension != "snap") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            sources.push(Source { name, bytes: std::fs::read(&path).unwrap() });
        }
    }
}
