//! Directories 0755 and files 0644 that the caller alone may change.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use pharos_live::guarded::GuardedDir;

use super::{codes, scratch};

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_is_made_is_read_by_all_and_changed_by_the_caller() {
    let scratch = scratch();
    let path = scratch.path().join("a/b");
    assert!(GuardedDir::open(&path).unwrap().is_none(), "nothing is there yet");
    let folder = GuardedDir::create(&path).unwrap();
    folder.write("x.yaml", b"one").unwrap();
    assert_eq!((mode(&path), mode(&path.join("x.yaml"))), (0o755, 0o644));
    set_mode(&path.join("x.yaml"), 0o600);
    folder.write("x.yaml", b"two").unwrap();
    assert_eq!(mode(&path.join("x.yaml")), 0o644, "whatever it was before");
    folder.write(".hidden", b"").unwrap();
    assert_eq!(folder.names().unwrap(), ["x.yaml"]);
    assert_eq!(folder.read("x.yaml", 2).unwrap().as_deref(), Some(&b"tw"[..]));
    assert_eq!(folder.read("y.yaml", 2).unwrap(), None);
    folder.remove("x.yaml").unwrap();
    folder.remove("x.yaml").unwrap();
    assert!(folder.names().unwrap().is_empty());
}

#[test]
fn what_others_may_change_is_refused() {
    let scratch = scratch();
    let path = scratch.path().join("a/b");
    let folder = GuardedDir::create(&path).unwrap();
    folder.write("x.yaml", b"one").unwrap();
    set_mode(&path.join("x.yaml"), 0o664);
    assert_eq!(codes(folder.read("x.yaml", 9)), ["file/mode"]);
    symlink("x.yaml", path.join("y.yaml")).unwrap();
    assert_eq!(codes(folder.read("y.yaml", 9)), ["file/link"]);
    assert_eq!(codes(folder.read("../b", 9)), ["file/io"]);
    set_mode(&path, 0o775);
    assert_eq!(codes(GuardedDir::open(&path)), ["file/mode"]);
    set_mode(&path, 0o755);
    set_mode(&scratch.path().join("a"), 0o777);
    assert_eq!(codes(GuardedDir::open(&path)), ["file/ancestor"]);
    set_mode(&scratch.path().join("a"), 0o755);
    symlink(&path, scratch.path().join("link")).unwrap();
    assert_eq!(codes(GuardedDir::open(&scratch.path().join("link"))), ["file/link"]);
}
