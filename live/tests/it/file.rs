//! Replacement keeps what it should and leaves nothing behind.

use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use pharos_live::file::{Attributes, link, remove, replace, replace_link, sweep};

use super::{codes, scratch};

const NEW: Attributes = Attributes { mode: 0o644, owner: None, force: false };

#[test]
fn a_new_file_is_given_its_mode_and_an_old_one_keeps_it() {
    let scratch = scratch();
    let path = scratch.path().join("a.conf");
    replace(&path, b"one", NEW).unwrap();
    let first = path.metadata().unwrap();
    assert_eq!(first.permissions().mode() & 0o7777, 0o644);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    replace(&path, b"two", NEW).unwrap();
    let second = path.metadata().unwrap();
    assert_eq!(second.permissions().mode() & 0o7777, 0o640);
    assert_ne!(first.ino(), second.ino(), "renamed over, not written into");
    replace(&path, b"three", Attributes { mode: 0o600, force: true, ..NEW }).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o600);
    assert_eq!(std::fs::read(&path).unwrap(), b"three");
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[test]
fn a_link_is_replaced_and_its_target_left_alone() {
    let scratch = scratch();
    let target = scratch.path().join("target");
    std::fs::write(&target, b"theirs").unwrap();
    let path = scratch.path().join("link");
    link(&path, OsStr::new("target")).unwrap();
    link(&path, OsStr::new("target")).unwrap();
    assert_eq!(codes(link(&path, OsStr::new("other"))), ["file/io"]);
    replace(&path, b"ours", NEW).unwrap();
    assert!(path.symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
}

#[test]
fn a_failed_replacement_leaves_the_old_file_and_no_copy() {
    let scratch = scratch();
    let path = scratch.path().join("occupied");
    std::fs::create_dir(&path).unwrap();
    assert_eq!(codes(replace(&path, b"x", NEW)), ["file/io"]);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
    assert_eq!(codes(replace(&scratch.path().join("no/such"), b"x", NEW)), ["file/io"]);
}

#[test]
fn unfinished_copies_are_swept() {
    let scratch = scratch();
    let path = scratch.path().join("a.conf");
    replace(&path, b"x", NEW).unwrap();
    std::fs::write(scratch.path().join(".a.conf.pharos-4711"), b"half").unwrap();
    std::fs::write(scratch.path().join(".b.conf.pharos-4711"), b"another's").unwrap();
    sweep(&path).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".b.conf.pharos-4711", "a.conf"]);
    remove(&path).unwrap();
    remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_link_is_turned_and_nothing_else_is_replaced_by_one() {
    let folder = scratch();
    let path = folder.path().join("live");
    for target in ["/one", "/two", "/two"] {
        replace_link(&path, target.as_ref()).unwrap();
        assert_eq!(std::fs::read_link(&path).unwrap(), std::path::Path::new(target));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "kept").unwrap();
    assert_eq!(codes(replace_link(&plain, "/one".as_ref())), ["file/io"]);
    assert_eq!(std::fs::read_to_string(&plain).unwrap(), "kept");
}
