//! Records of plans: private, whole whenever their writer is killed, and never taken for what they are not.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use pharos_core::file::Holder;
use pharos_core::name::EnvironmentName;
use pharos_core::plan::{self, Plan, Recorded};
use pharos_live::private::PrivateDir;
use pharos_live::records::{Records, Writer, fingerprint_key};

use super::{codes, scratch};

/// Where the test below, run by another one, writes until it is killed.
const KILLED: &str = "PHAROS_TEST_RECORDS";

fn holder() -> Holder {
    Holder {
        user: "ada".into(),
        host: "admin1".into(),
        pid: std::process::id(),
        operation: "deploy-plan".into(),
        revision: "3f2a9d4c8b7e".into(),
        started: "2026-11-30T12:00:00Z".into(),
    }
}

fn environment() -> EnvironmentName {
    "example".parse().unwrap()
}

fn sample(minute: u32) -> Plan {
    let text = include_bytes!("../../../core/tests/plans/version-1.json");
    let mut plan = plan::read("version-1.json", text).unwrap().known("version-1.json").unwrap();
    plan.at = plan.at.plus(i64::from(minute) * 60);
    plan
}

fn record(directory: &Path, minute: u32) -> Plan {
    let plan = sample(minute);
    Writer::begin(directory, &environment(), &holder()).unwrap().record(&plan, "<html>").unwrap();
    plan
}

fn latest(directory: &Path) -> Plan {
    let record = Records::open(directory).unwrap().latest().unwrap().unwrap();
    record.content.known("latest").unwrap()
}

#[test]
fn what_is_recorded_is_read_again() {
    let scratch = scratch();
    let path = scratch.path().join("state/example");
    record(&path, 0);
    let second = record(&path, 1);
    assert_eq!(latest(&path), second);
    let (journal, report) = Records::open(&path).unwrap().journal().unwrap();
    assert!(report.is_empty());
    let plans: Vec<_> = journal.entries.iter().map(|entry| entry.plan.clone()).collect();
    assert_eq!(plans, [sample(0).fingerprint(), second.fingerprint()]);
    let files = ["journal.jsonl", "latest.json", "lock"].map(|name| path.join(name));
    let plans = std::fs::read_dir(path.join("plans")).unwrap().map(|entry| entry.unwrap().path());
    let all: Vec<_> = files.into_iter().chain(plans).collect();
    assert_eq!(all.len(), 7);
    for file in all {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, 0o600, "{}", file.display());
    }
}

#[test]
fn two_environments_never_share_records() {
    let scratch = scratch();
    let path = scratch.path().join("state");
    record(&path, 0);
    let other: EnvironmentName = "icarus-cloud".parse().unwrap();
    assert_eq!(codes(Writer::begin(&path, &other, &holder())), ["plan/other-environment"]);
    let newest = Records::open(&path).unwrap().latest().unwrap().unwrap();
    assert_eq!(codes(newest.of(&other)), ["plan/other-environment"]);
    assert!(newest.of(&environment()).is_ok());
    Writer::begin(&path, &environment(), &holder()).unwrap();
    // Nor where a damaged journal was put aside, and the pointer to the newest plan with it.
    std::fs::remove_file(path.join("latest.json")).unwrap();
    assert_eq!(codes(Writer::begin(&path, &other, &holder())), ["plan/other-environment"]);
    Writer::begin(&path, &environment(), &holder()).unwrap();
}

#[test]
fn one_at_a_time() {
    let scratch = scratch();
    let path = scratch.path().join("state");
    let first = Writer::begin(&path, &environment(), &holder()).unwrap();
    let refused = Writer::begin(&path, &environment(), &holder());
    assert!(refused.as_ref().is_err_and(|report| report.to_string().contains("`deploy-plan` of 3f2a9d4c8b7e by ada")));
    assert_eq!(codes(refused), ["file/lock-held"]);
    // Reading needs no lock.
    assert!(Records::open(&path).unwrap().latest().unwrap().is_none());
    drop(first);
    Writer::begin(&path, &environment(), &holder()).unwrap();
}

/// Writes plans until it is killed. By itself, as one test among others, it does nothing.
#[test]
fn writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(KILLED) else { return };
    for minute in 0.. {
        record(Path::new(&path), minute);
    }
}

#[test]
fn whoever_is_killed_leaves_what_can_be_read() {
    let scratch = scratch();
    let path = scratch.path().join("state");
    let mut unfinished = 0;
    for round in 0..40 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["records::writes_until_it_is_killed", "--exact", "--quiet"])
            .env(KILLED, &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let lines = || std::fs::read(path.join("journal.jsonl")).map_or(0, |text| text.len());
        let before = lines();
        while lines() == before {
            assert_eq!(writer.try_wait().unwrap(), None, "it writes until it is killed");
            std::thread::yield_now();
        }
        // A little later in each round, so that the kill meets every step of a record.
        for _ in 0..round * 20 {
            std::thread::yield_now();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let records = Records::open(&path).unwrap();
        let (journal, _) = records.journal().unwrap();
        // A kill between entry and pointer leaves the pointer where it was, and several in turn do so one after the other.
        let pointed = records.latest().unwrap().map(|record| record.content.known("latest").unwrap().fingerprint());
        assert!(
            pointed.is_none_or(|plan| journal.entries.iter().any(|entry| entry.plan == plan)),
            "it was never entered"
        );
        let names = PrivateDir::open(&path.join("plans")).unwrap().names().unwrap();
        unfinished += names.iter().filter(|name| name.starts_with('.')).count();
    }
    record(&path, 9999);
    assert_eq!(latest(&path), sample(9999));
    for folder in [path.clone(), path.join("plans")] {
        let names = PrivateDir::open(&folder).unwrap().names().unwrap();
        assert!(names.iter().all(|name| !name.starts_with('.')), "{unfinished} were left, and now {names:?}");
    }
}

#[test]
fn a_partial_line_is_told_and_repaired() {
    let scratch = scratch();
    let path = scratch.path().join("state");
    record(&path, 0);
    let journal = path.join("journal.jsonl");
    let mut text = std::fs::read_to_string(&journal).unwrap();
    text.push_str("{\"at\":\"2026-11-30T12:");
    std::fs::write(&journal, &text).unwrap();
    let writer = Writer::begin(&path, &environment(), &holder()).unwrap();
    let (_, report) = writer.record(&sample(1), "<html>").unwrap();
    assert_eq!(report.diagnostics()[0].code.name(), "plan/journal-partial");
    let (journal, report) = writer.records().journal().unwrap();
    assert!(report.is_empty());
    assert_eq!(journal.entries.len(), 2);
}

#[test]
fn a_damaged_record_is_refused_and_nothing_is_written_over_it() {
    let scratch = scratch();
    let path = scratch.path().join("state");
    record(&path, 0);
    let file = Records::open(&path).unwrap().latest().unwrap().unwrap().path;
    let good = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, good.replace("calico", "cilium")).unwrap();
    assert_eq!(codes(Records::open(&path).unwrap().latest()), ["plan/changed"]);
    std::fs::write(&file, &good).unwrap();

    let journal = path.join("journal.jsonl");
    let whole = std::fs::read_to_string(&journal).unwrap();
    for (text, code) in [("", "plan/journal-short"), (&*whole.replace("planned", "planted"), "plan/journal-damaged")] {
        std::fs::write(&journal, text).unwrap();
        assert_eq!(codes(Records::open(&path).unwrap().journal()), [code]);
        let writer = Writer::begin(&path, &environment(), &holder()).unwrap();
        assert_eq!(codes(writer.record(&sample(1), "<html>")), [code]);
        assert_eq!(std::fs::read_to_string(&journal).unwrap(), text);
    }
    std::fs::write(&journal, &whole).unwrap();
    for (text, code) in [("{}", "plan/unreadable"), (r#"{"version": 2}"#, "plan/newer")] {
        std::fs::write(path.join("latest.json"), text).unwrap();
        assert_eq!(codes(Records::open(&path).unwrap().latest()), [code]);
        assert_eq!(codes(Writer::begin(&path, &environment(), &holder()).unwrap().record(&sample(1), "")), [code]);
    }
}

#[test]
fn a_newer_plan_is_shown_and_not_understood() {
    let scratch = scratch();
    let path = scratch.path().join("state");
    let plan = record(&path, 0);
    let file = Records::open(&path).unwrap().latest().unwrap().unwrap().path;
    let newer = plan::write(&plan).replacen("\"version\": 2", "\"version\": 3", 1);
    std::fs::write(&file, &newer).unwrap();
    let fingerprint = pharos_core::plan::Fingerprint::of(&serde_json::from_str::<serde_json::Value>(&newer).unwrap());
    let pointer = std::fs::read_to_string(path.join("latest.json")).unwrap();
    std::fs::write(
        path.join("latest.json"),
        pointer.replace(&plan.fingerprint().to_string(), &fingerprint.to_string()),
    )
    .unwrap();
    let record = Records::open(&path).unwrap().latest().unwrap().unwrap();
    assert!(matches!(record.content, Recorded::Newer { version: 3, .. }));
    assert_eq!(codes(record.content.known("p")), ["plan/newer"]);
}

#[test]
fn the_key_is_made_once_and_kept() {
    let scratch = scratch();
    let private = PrivateDir::create(&scratch.path().join("private")).unwrap();
    let of = || plan::KeyedFingerprint::of(&fingerprint_key(&private).unwrap(), &"secret");
    let first = of();
    assert_eq!(first, of());
    let file = scratch.path().join("private/keys/fingerprint.key");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, 0o600);
    std::fs::remove_file(&file).unwrap();
    assert_ne!(first, of());
    std::fs::write(&file, "short").unwrap();
    assert_eq!(codes(fingerprint_key(&private)), ["plan/key-damaged"]);
}
