//! Private inputs: an inventory with what lies beside it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use pharos_live::private::gather;

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
    assert_eq!(gather::read(&root, &inventory.join("hosts.yml")).unwrap().as_deref(), Some(&b"all: {}"[..]));
    assert_eq!(gather::read(&root, &inventory.join("other")).unwrap(), None);
    assert_eq!(gather::read(&root, &root.join("nowhere/other")).unwrap(), None);
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
    assert_eq!(codes(gather::read(&root, &hosts)), ["file/mode"]);
    assert!(gather::read(&scratch.path().join("another-root"), &hosts).is_ok(), "elsewhere only the last one is");
}
