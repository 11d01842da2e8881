//! What an inventory means, and what it is refused for. Beside each inventory lies `facts.json`, what Ansible made of it.

use std::path::{Path, PathBuf};

use pharos_core::diagnostic::Report;
use pharos_core::inventory::{
    ApiAccess, FactSource, Facts, Origin, Purpose, Resolved, Source, Topology, resolve, resolve_for, show,
};

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

/// Every inventory under `tests/inventories`, resolved.
fn accepted() -> Vec<(PathBuf, Resolved)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inventories");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    assert!(!folders.is_empty());
    let resolve = |folder: PathBuf| {
        let (facts, sources) = read(&folder);
        let resolved = resolve(&facts, &sources).unwrap_or_else(|report| panic!("{}:\n{report}", folder.display()));
        (folder, resolved)
    };
    folders.into_iter().map(resolve).collect()
}

#[test]
fn inventories_that_stand_are_shown() {
    for (folder, resolved) in accepted() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let Resolved { topology, notes, .. } = &resolved;
        let json = serde_json::to_string_pretty(topology).unwrap();
        let text = format!("{}\n{notes}", show::human(topology));
        let (dot, svg) = (show::dot(topology), show::svg(topology));
        for output in [&json, &text, &dot, &svg] {
            assert!(!output.contains("canary"), "{output}");
        }
        assert_eq!(&serde_json::from_str::<Topology>(&json).unwrap(), topology);
        insta::with_settings!({
            snapshot_path => folder.parent().unwrap(),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(format!("{name}.text"), text);
            insta::assert_snapshot!(format!("{name}.json"), json);
            if name == "lab" {
                insta::assert_snapshot!("lab.dot", dot);
                insta::assert_snapshot!("lab.svg", svg);
            }
        });
    }
}

#[test]
fn every_membership_of_a_static_inventory_has_its_line() {
    for (folder, resolved) in accepted() {
        for (name, node) in &resolved.topology.nodes {
            assert!(!node.memberships.is_empty(), "{name}");
            for membership in &node.memberships {
                let Origin::Line { file, line } = &membership.at else { panic!("{name}: {membership:?}") };
                let text = std::fs::read_to_string(folder.join(&**file)).unwrap();
                let line = text.lines().nth(line - 1).unwrap();
                assert!(line.contains(name.as_str()) || line.contains('['), "{name} is not written in {line:?}");
            }
        }
    }
}

/// A fresh installation asks for more than the same inventory needs later.
#[test]
fn devices_of_an_existing_foundation_are_kept() {
    let (folder, resolved) = accepted().into_iter().find(|(folder, _)| folder.ends_with("nine")).unwrap();
    assert_eq!(resolved.topology.nodes["w1"].devices, ["sdb", "sdc"]);
    let (facts, sources) = read(&folder);
    let report = resolve_for(&facts, &sources, Purpose::Fresh).unwrap_err();
    let refused: Vec<(&str, String)> = report
        .diagnostics()
        .iter()
        .map(|diagnostic| (diagnostic.code.name(), diagnostic.place().unwrap().to_text()))
        .collect();
    assert_eq!(
        refused,
        [
            ("inventory/device-by-id", "host_vars/w1.yml:6:19".to_owned()),
            ("inventory/device-by-id", "host_vars/w1.yml:6:24".to_owned()),
            ("inventory/no-devices", "hosts.yml:23:5".to_owned()),
            ("inventory/no-devices", "hosts.yml:24:5".to_owned()),
        ]
    );
}

#[test]
fn what_the_primary_binds_is_private() {
    let (_, resolved) = accepted().into_iter().find(|(folder, _)| folder.ends_with("nine")).unwrap();
    let uid = "0b2f4c1e-7b0c-4a57-9f66-1f3a5f0b8a11";
    assert_eq!(resolved.bindings.expected_cluster_uid.as_deref(), Some(uid));
    assert_eq!(resolved.bindings.api_access, ApiAccess::Ssh);
    assert!(!serde_json::to_string(&resolved.topology).unwrap().contains(uid));
}

/// What a plugin brought has no line; it is said which plugin it was.
#[test]
fn a_plugin_is_named_where_there_is_no_line() {
    let (mut facts, mut sources) = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inventories/lab"));
    facts.sources = vec![FactSource { path: "cloud.py".to_owned(), plugin: "script".to_owned() }];
    sources.clear();
    let resolved = resolve(&facts, &sources).unwrap();
    let at = &resolved.topology.nodes["lab1"].memberships[0].at;
    assert_eq!(at.to_string(), "cloud.py (plugin script)");

    facts.groups.get_mut("kube-node").unwrap().hosts.clear();
    let report = resolve(&facts, &sources).unwrap_err();
    assert!(report.to_string().contains("cloud.py"), "{report}");
}

/// A file that moved its lines is another file with the same cluster.
#[test]
fn places_are_no_part_of_a_cluster() {
    let (facts, mut sources) = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inventories/lab"));
    let before = resolve(&facts, &sources).unwrap().topology;
    sources[0].bytes.splice(0..0, *b"# moved\n");
    let after = resolve(&facts, &sources).unwrap().topology;
    assert_ne!(before, after);
    assert_eq!(before.without_places(), after.without_places());
}

/// What Ansible accepts and our own reader of documents has doubts about is no fault of an inventory.
#[test]
fn a_static_file_is_read_for_its_places_alone() {
    let (facts, mut sources) = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inventories/lab"));
    for text in ["not: [closed", "\u{feff}- a list\n", "!secret\n", "", "\0"] {
        sources[0].bytes = text.as_bytes().to_vec();
        let topology = resolve(&facts, &sources).unwrap().topology;
        let Origin::Unknown = topology.nodes["lab1"].memberships[0].at else { panic!("{text:?}") };
    }
}

/// Groups that name each other in a circle come from no Ansible; they end all the same.
#[test]
fn a_circle_of_groups_ends() {
    let (mut facts, sources) = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inventories/lab"));
    facts.groups.get_mut("kube-node").unwrap().children.push("k8s_cluster".to_owned());
    facts.hosts.get_mut("lab2").unwrap().pharos.insert("pharos_x".to_owned(), serde_json::Value::Null);
    assert!(resolve(&facts, &sources).unwrap_err().to_string().contains("unknown-variable"));
}
