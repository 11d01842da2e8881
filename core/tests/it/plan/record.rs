//! Plans and the journal as they are kept: every release reads what an earlier one wrote, and damage is told.

use pharos_core::diagnostic::Source;
use pharos_core::plan::{self, Fingerprint, Operation, Recorded, journal};
use serde_json::json;

use super::{Site, value};
use crate::committed;

/// Of the time before: it had room for certificates of edge hosts, of which no plan ever saw one.
#[test]
fn version_1_is_read_as_one_of_today() {
    let golden = committed::repository().join("core/tests/plans/version-1.json");
    let golden = std::fs::read_to_string(golden).unwrap();
    let Recorded::Known(read) = plan::read("version-1.json", golden.as_bytes()).unwrap() else { panic!("known") };
    let mut today = value(&golden);
    today["version"] = json!(2);
    today["observations"].as_object_mut().unwrap().remove("certificates").unwrap();
    for host in today["edge"]["hosts"].as_array_mut().unwrap() {
        let certificate = host["certificate"].as_object_mut().unwrap();
        certificate.retain(|key, _| key == "host" || key == "chain");
    }
    assert_eq!(json!(read), today);
    // The journal knows it by what was written then.
    plan::unchanged("version-1.json", golden.as_bytes(), &Fingerprint::of(&value(&golden))).unwrap();
    assert!(plan::human(&Recorded::Known(read)).contains("certificate not seen"));
}

/// Kept as it was released: every later release reads it, and writes what it read.
#[test]
fn version_2_is_read_and_written() {
    let path = committed::repository().join("core/tests/plans/version-2.json");
    let written = plan::write(&Site::of("example").draft(false));
    if std::env::var_os("PHAROS_UPDATE_PLAN").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    let Recorded::Known(plan) = plan::read("version-2.json", golden.as_bytes()).unwrap() else { panic!("known") };
    assert_eq!(plan::write(&plan), golden);
    plan::unchanged("version-2.json", golden.as_bytes(), &plan.fingerprint()).unwrap();
    assert_eq!(plan.environment.as_str(), "example");
}

#[test]
fn a_journal_is_a_chain() {
    let news = |plan: &str| journal::News {
        at: "2026-11-30T12:00:00Z".parse().unwrap(),
        event: journal::Event::Planned,
        operation: Operation::DeployPlan,
        plan: Fingerprint::of(&plan),
    };
    let mut text = String::new();
    for plan in ["a", "b", "c"] {
        let (journal, _) = journal::read(&Source::private("journal", &text)).unwrap();
        text += &journal.next(news(plan)).line();
    }
    let read = |text: &str| journal::read(&Source::private("journal", text));
    let codes = |text: &str| -> Vec<String> {
        let report = read(text).map_or_else(|report| report, |(_, report)| report);
        report.diagnostics().iter().map(|d| format!("{} {}", d.code, d.place().unwrap().to_text())).collect()
    };
    assert_eq!(codes(&text), Vec::<String>::new());
    let (journal, _) = read(&text).unwrap();
    assert_eq!(journal.entries.len(), 3);
    journal.reaches("journal", &journal.head().unwrap()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(codes(&[lines[0], lines[2]].concat()), ["plan/journal-broken journal:2:1"]);
    assert_eq!(codes(&[lines[1], lines[2]].concat()), ["plan/journal-broken journal:1:1"]);
    assert_eq!(codes(&[lines[0], lines[2], lines[1]].concat()).len(), 2);
    let changed = lines[1].replace("12:00:00", "13:00:00");
    assert_eq!(codes(&[lines[0], &changed, lines[2]].concat()), ["plan/journal-damaged journal:2:1"]);
    // Cut at its end: nothing of the chain tells, and the recorded end does.
    let (cut, _) = read(&lines[..2].concat()).unwrap();
    assert!(cut.reaches("journal", &journal.head().unwrap()).is_err());
    // Cut anywhere in the last line: what is before stands.
    for end in 1..lines[2].len() {
        let partial = [lines[0], lines[1], &lines[2][..end]].concat();
        assert_eq!(codes(&partial), ["plan/journal-partial journal:3:1"]);
        assert_eq!(read(&partial).unwrap().0.whole, lines[0].len() + lines[1].len());
    }
    // Every single change of a byte is told, unless it leaves the same entry.
    for at in 0..lines[0].len() - 1 {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        assert!(!codes(&changed).is_empty(), "{at}: {changed}");
    }
}
