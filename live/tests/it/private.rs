//! Directories 0700 and files 0600, reached without links.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use pharos_live::private::PrivateDir;

use super::{codes, scratch};

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_is_made_is_private() {
    let scratch = scratch();
    let root = PrivateDir::create(&scratch.path().join("a/b")).unwrap();
    let keys = root.make("keys").unwrap();
    keys.write("k", b"secret").unwrap();
    for directory in ["a", "a/b", "a/b/keys"] {
        assert_eq!(mode(&scratch.path().join(directory)), 0o700, "{directory}");
    }
    assert_eq!(mode(&scratch.path().join("a/b/keys/k")), 0o600);
    assert_eq!(root.enter("keys").unwrap().read("k").unwrap().as_deref(), Some(&b"secret"[..]));
    assert_eq!(keys.read("other").unwrap(), None);
    assert_eq!(keys.names().unwrap(), ["k"]);
    keys.remove("k").unwrap();
    keys.remove("k").unwrap();
    assert!(keys.names().unwrap().is_empty());
}

#[test]
fn others_are_kept_out() {
    let scratch = scratch();
    let path = scratch.path().join("root");
    let root = PrivateDir::create(&path).unwrap();
    root.write("f", b"x").unwrap();
    set_mode(&path.join("f"), 0o644);
    assert_eq!(codes(root.read("f")), ["file/mode"]);
    assert_eq!(codes(root.write("f", b"y")), ["file/mode"]);
    set_mode(&path, 0o750);
    assert_eq!(codes(PrivateDir::open(&path)), ["file/mode"]);
    assert_eq!(codes(PrivateDir::create(&path)), ["file/mode"]);
}

#[test]
fn links_are_not_followed() {
    let scratch = scratch();
    let path = scratch.path().join("root");
    let root = PrivateDir::create(&path).unwrap();
    PrivateDir::create(&scratch.path().join("elsewhere")).unwrap().write("f", b"x").unwrap();
    symlink(scratch.path().join("elsewhere"), path.join("sub")).unwrap();
    symlink(scratch.path().join("elsewhere/f"), path.join("f")).unwrap();
    symlink(&path, scratch.path().join("alias")).unwrap();
    assert_eq!(codes(root.enter("sub")), ["file/link"]);
    assert_eq!(codes(root.make("sub")), ["file/link"]);
    assert_eq!(codes(root.read("f")), ["file/link"]);
    assert_eq!(codes(root.write("f", b"y")), ["file/link"]);
    assert_eq!(codes(PrivateDir::open(&scratch.path().join("alias"))), ["file/link"]);
    // Above the root a link is resolved, and what it leads to is judged.
    symlink(scratch.path(), scratch.path().join("above")).unwrap();
    assert!(PrivateDir::open(&scratch.path().join("above/root")).is_ok());
    assert_eq!(std::fs::read(scratch.path().join("elsewhere/f")).unwrap(), b"x");
}

#[test]
fn ancestors_that_others_may_write_to_are_refused() {
    let scratch = scratch();
    let above = scratch.path().join("above");
    let path = above.join("root");
    PrivateDir::create(&path).unwrap();
    set_mode(&above, 0o777);
    assert_eq!(codes(PrivateDir::open(&path)), ["file/ancestor"]);
    set_mode(&above, 0o1777);
    assert_eq!(codes(PrivateDir::open(&path)), ["file/ancestor"]);
}

#[test]
fn kinds_and_names_are_checked() {
    let scratch = scratch();
    let root = PrivateDir::create(&scratch.path().join("root")).unwrap();
    root.make("d").unwrap();
    root.write("f", b"x").unwrap();
    assert_eq!(codes(root.read("d")), ["file/kind"]);
    assert_eq!(codes(root.enter("f")), ["file/kind"]);
    for name in ["../root/f", "/etc/passwd", "..", ".", "", "d/f"] {
        assert_eq!(codes(root.read(name)), ["file/io"], "{name:?}");
    }
    assert_eq!(codes(PrivateDir::open(&scratch.path().join("missing"))), ["file/io"]);
}

#[test]
fn somebody_elses_file_is_refused() {
    let scratch = scratch();
    let root = PrivateDir::create(&scratch.path().join("root")).unwrap();
    root.write("f", b"x").unwrap();
    // Only root can give a file away; the judgement itself is tested without it in the core.
    if std::os::unix::fs::chown(root.path().join("f"), Some(65534), None).is_ok() {
        assert_eq!(codes(root.read("f")), ["file/owner"]);
    }
}

#[test]
fn a_refusal_of_the_system_says_what_helps() {
    let scratch = scratch();
    let root = PrivateDir::create(&scratch.path().join("root")).unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    set_mode(&file, 0o600);
    let missing = PrivateDir::open(&scratch.path().join("missing/deeper")).unwrap_err().to_string();
    assert!(missing.contains("name another path"), "{missing}");
    let full = pharos_live::file::replace(
        Path::new("/dev/full/x"),
        b"x",
        pharos_live::file::Attributes { mode: 0o600, owner: None, force: false },
    );
    let text = full.unwrap_err().to_string();
    assert!(text.contains("a part of the path is a file"), "{text}");
}
