//! One holder at a time, and the refused one learns who it is.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use pharos_core::file::Holder;
use pharos_live::lock::Lock;
use pharos_live::private::PrivateDir;

use super::{codes, scratch};

fn holder(operation: &str) -> Holder {
    Holder {
        user: "ada".into(),
        host: "admin1".into(),
        pid: std::process::id(),
        operation: operation.into(),
        revision: String::new(),
        started: "2026-01-02T03:04:05Z".into(),
    }
}

#[test]
fn the_second_is_refused_and_told_who_holds_it() {
    let scratch = scratch();
    let root = PrivateDir::create(&scratch.path().join("root")).unwrap();
    let first = Lock::take(&root, "lock", &holder("deploy")).unwrap();
    let refusal = Lock::take(&root, "lock", &holder("reconcile"));
    assert!(refusal.as_ref().is_err_and(|report| report.to_string().contains("`deploy` by ada on admin1")));
    assert_eq!(codes(refusal), ["file/lock-held"]);
    drop(first);
    let again = Lock::take(&root, "lock", &holder("reconcile")).unwrap();
    assert!(std::fs::read_to_string(again.path()).unwrap().contains("reconcile"));
}

#[test]
fn an_old_lock_file_without_a_holder_is_no_lock_and_age_breaks_none() {
    let scratch = scratch();
    let root = PrivateDir::create(&scratch.path().join("root")).unwrap();
    root.write("lock", br#"{"user":"ada"}"#).unwrap();
    let held = Lock::take(&root, "lock", &holder("deploy")).unwrap();
    let long_ago = std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
    std::fs::File::options().write(true).open(held.path()).unwrap().set_times(long_ago).unwrap();
    assert_eq!(codes(Lock::take(&root, "lock", &holder("reconcile"))), ["file/lock-held"]);
}

#[test]
fn a_child_does_not_inherit_the_lock() {
    let scratch = scratch();
    let root = PrivateDir::create(&scratch.path().join("root")).unwrap();
    let held = Lock::take(&root, "lock", &holder("deploy")).unwrap();
    let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    stdin.write_all(b"x").unwrap();
    stdout.read_exact(&mut [0]).unwrap(); // it runs: what exec closes is closed
    let inherited = std::fs::read_dir(format!("/proc/{}/fd", child.id()))
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
        .any(|file| file == held.path());
    drop(stdin);
    child.wait().unwrap();
    assert!(!inherited);
}
