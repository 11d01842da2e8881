//! Private inputs: an inventory with what lies beside it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use pharos_core::diagnostic::{Diagnostic, Report};
use pharos_live::private::gather;
use pharos_live::private::survey::survey;

use super::{codes, scratch};

fn put(path: &Path, text: &str, mode: u32) {
    let directory = path.parent().unwrap();
    for missing in directory.ancestors().take_while(|above| !above.exists()).collect::<Vec<_>>().into_iter().rev() {
        std::fs::create_dir(missing).unwrap();
        std::fs::set_permissions(missing, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn names(gathered: &[gather::Gathered], root: &Path) -> Vec<String> {
    gathered.iter().map(|(path, _)| path.strip_prefix(root).unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn an_inventory_is_a_file_with_what_lies_beside_it_or_a_directory() {
    let scratch = scratch();
    let root = scratch.path().join("root");
    let inventory = root.join("site/inventory");
    put(&inventory.join("hosts.yml"), "all: {}", 0o600);
    put(&inventory.join("group_vars/all/main.yml"), "a: 1", 0o600);
    put(&inventory.join("host_vars/n1.yml"), "b: 2", 0o400);
    put(&inventory.join("notes.txt"), "not read", 0o644);
    let (files, report) = gather::inventory(&root, &inventory.join("hosts.yml"), &["group_vars", "host_vars"]);
    assert!(report.is_empty(), "{report}");
    let below = |name: &str| format!("site/inventory/{name}");
    let expected = ["group_vars/all/main.yml", "host_vars/n1.yml", "hosts.yml"].map(below);
    assert_eq!(names(&files, &root), expected);
    let (files, report) = gather::inventory(&root, &inventory, &[]);
    assert_eq!(names(&files, &root), expected);
    assert_eq!(
        codes(Err::<(), _>(report)),
        ["file/mode"],
        "the notes are a source as well, and everybody may read them"
    );
    assert_eq!(gather::read(&root, &inventory.join("hosts.yml"), u64::MAX).unwrap().as_deref(), Some(&b"all: {}"[..]));
    assert_eq!(gather::read(&root, &inventory.join("other"), u64::MAX).unwrap(), None);
    assert_eq!(gather::read(&root, &root.join("nowhere/other"), u64::MAX).unwrap(), None);
    assert!(gather::inventory(&root, &root.join("nowhere/hosts.yml"), &["group_vars"]).0.is_empty());
}

#[test]
fn everything_that_is_not_private_is_said_at_once() {
    let scratch = scratch();
    let root = scratch.path().join("root");
    let inventory = root.join("site/inventory");
    put(&inventory.join("hosts.yml"), "all: {}", 0o640);
    put(&inventory.join("group_vars/kube-node.yml"), "a: 1", 0o604);
    put(&root.join("elsewhere.yml"), "b: 2", 0o600);
    symlink(root.join("elsewhere.yml"), inventory.join("group_vars/all.yml")).unwrap();
    let (_, report) = gather::inventory(&root, &inventory.join("hosts.yml"), &["group_vars", "host_vars"]);
    let mut found = codes(Err::<(), _>(report));
    found.sort_unstable();
    assert_eq!(found, ["file/link", "file/mode", "file/mode"]);
}

#[test]
fn below_the_private_root_every_directory_is_private() {
    let scratch = scratch();
    let root = scratch.path().join("root");
    let hosts = root.join("site/inventory/hosts.yml");
    put(&hosts, "all: {}", 0o600);
    std::fs::set_permissions(root.join("site"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(codes(gather::read(&root, &hosts, u64::MAX)), ["file/mode"]);
    assert!(
        gather::read(&scratch.path().join("another-root"), &hosts, u64::MAX).is_ok(),
        "elsewhere only the last one is"
    );
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The findings of a report, each as its code and the path below `scratch`.
fn found(report: &Report, scratch: &Path) -> Vec<(&'static str, String)> {
    let path = |found: &Diagnostic| {
        let file = found.place().unwrap().file();
        Path::new(file).strip_prefix(scratch).unwrap_or(Path::new(file)).to_owned()
    };
    let mut found: Vec<_> = report
        .diagnostics()
        .iter()
        .map(|found| (found.code.name(), path(found).to_string_lossy().into_owned()))
        .collect();
    found.sort();
    found
}

#[test]
fn every_level_and_every_file_is_said_at_once() {
    let scratch = scratch();
    // Ancestors are judged, and told, by their real path.
    let base = scratch.path().canonicalize().unwrap();
    let above = base.join("above");
    let root = above.join("root");
    let inventory = root.join("site/inventory");
    put(&inventory.join("hosts.yml"), "all: {}", 0o644);
    put(&inventory.join("group_vars/all.yml"), "a: 1", 0o640);
    put(&root.join("site/aai.json"), "{}", 0o604);
    for (level, mode) in [(&above, 0o775), (&root, 0o750), (&root.join("site"), 0o755), (&inventory, 0o711)] {
        set_mode(level, mode);
    }
    let levels = [("file/ancestor", "above"), ("file/mode", "above/root"), ("file/mode", "above/root/site")];
    let of_inventory = [
        ("file/mode", "above/root/site/inventory"),
        ("file/mode", "above/root/site/inventory/group_vars/all.yml"),
        ("file/mode", "above/root/site/inventory/hosts.yml"),
    ];
    let owned = |expected: &[&[(&'static str, &str)]]| -> Vec<(&'static str, String)> {
        let mut all: Vec<_> = expected.concat().into_iter().map(|(code, path)| (code, path.to_owned())).collect();
        all.sort();
        all
    };
    let (_, report) = gather::inventory(&root, &inventory.join("hosts.yml"), &["group_vars", "host_vars"]);
    assert_eq!(found(&report, &base), owned(&[&levels, &of_inventory]));
    let aai = [("file/mode", "above/root/site/aai.json")];
    let report = gather::read(&root, &root.join("site/aai.json"), u64::MAX).unwrap_err();
    assert_eq!(found(&report, &base), owned(&[&levels, &aai]));
    let report = survey(&root, &[&inventory, &root.join("site/aai.json"), &root.join("site/keys")]);
    assert_eq!(found(&report, &base), owned(&[&levels, &of_inventory, &aai]));
    // Elsewhere it is private from the directory itself, and that of a file.
    let state = base.join("elsewhere/state");
    put(&state.join("journal.jsonl"), "", 0o644);
    set_mode(&base.join("elsewhere"), 0o755);
    let journal = [("file/mode", "elsewhere/state/journal.jsonl")];
    assert_eq!(found(&survey(&root, &[&state]), &base), owned(&[&journal]));
    let file = base.join("elsewhere/kubeconfig");
    put(&file, "", 0o600);
    assert_eq!(found(&survey(&root, &[&file]), &base), owned(&[&[("file/mode", "elsewhere")]]));
}

#[test]
fn no_more_is_read_than_is_asked_for() {
    let scratch = scratch();
    let root = scratch.path().join("root");
    put(&root.join("aai.json"), "0123456789", 0o600);
    assert_eq!(gather::read(&root, &root.join("aai.json"), 4).unwrap().as_deref(), Some(&b"0123"[..]));
}

#[test]
fn what_cannot_be_seen_is_not_called_missing() {
    let scratch = scratch();
    let root = scratch.path().join("root");
    put(&root.join("site/file"), "", 0o600);
    // A part of the path is a file: the system cannot say whether there is anything behind it.
    let behind = root.join("site/file/hosts.yml");
    assert_ne!(codes(gather::read(&root, &behind, u64::MAX)), [] as [&str; 0]);
    let (files, report) = gather::inventory(&root, &behind, &[]);
    assert!(files.is_empty() && report.refuses(), "{report}");
}
