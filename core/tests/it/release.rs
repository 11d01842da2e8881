//! Releases of Helm: every state in which one is found, and what is done with it.

use pharos_core::diagnostic::Report;
use pharos_core::release::{Action, ChartSource, Decision, Recovery, Said, Wanted, decide, judge_applied};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::rejected::{Fixture, refused};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    history: Said,
    recorded: Said,
    applied: Option<Said>,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    if fixture.what() == "chart-source" {
        return refused(fixture.source().text().trim_end().parse::<ChartSource>());
    }
    let Case { history, recorded, applied } = serde_json::from_str(fixture.source().text()).unwrap();
    if let Some(applied) = applied {
        return refused(judge_applied(&wanted(), &applied, &history));
    }
    refused(decide(&wanted(), &history, &recorded))
}

fn values() -> Value {
    json!({"meshConfig": {"pathNormalization": {"normalization": "BASE"}}, "labels": ["a", "b"]})
}

fn wanted() -> Wanted {
    Wanted {
        name: "istiod".to_owned(),
        namespace: "istio-system".to_owned(),
        chart: "istiod".to_owned(),
        version: Some("1.31.4".to_owned()),
        words: vec!["/srv/charts/istiod-1.31.4.tgz".to_owned()],
        values: values(),
        creates_namespace: false,
        timeout: "5m".to_owned(),
    }
}

/// What Helm answers of a release with revisions in these states.
fn history(states: &[&str]) -> Said {
    let revision = |(index, status)| {
        json!({"revision": index + 1, "updated": "2026-10-25T10:00:00Z", "status": status, "chart": "istiod-1.31.4",
               "app_version": "1.31.4", "description": ""})
    };
    Said {
        rc: 0,
        stdout: json!(states.iter().enumerate().map(revision).collect::<Vec<_>>()).to_string(),
        ..Said::default()
    }
}

fn recorded(values: &Value) -> Said {
    Said { rc: 0, stdout: values.to_string(), ..Said::default() }
}

fn decided(states: &[&str], values: &Value) -> Decision {
    decide(&wanted(), &history(states), &recorded(values)).unwrap()
}

#[test]
fn every_state_has_its_answer() {
    use Action::{Install, Unchanged, Upgrade};
    use Recovery::{RollBack, Uninstall};
    let rows: &[(&[&str], Option<Recovery>, Action)] = &[
        (&["deployed"], None, Unchanged),
        (&["superseded", "failed", "deployed"], None, Unchanged),
        // Helm was ended
        (&["pending-install"], Some(Uninstall), Install),
        (&["deployed", "pending-upgrade"], Some(RollBack(1)), Upgrade),
        (&["superseded", "deployed", "pending-upgrade"], Some(RollBack(2)), Upgrade),
        // between the two records of an upgrade that had succeeded
        (&["superseded", "superseded", "pending-upgrade"], Some(RollBack(2)), Upgrade),
        // while it rolled back
        (&["superseded", "deployed", "failed", "pending-rollback"], Some(RollBack(2)), Upgrade),
        // a recovery that was interrupted itself
        (&["deployed", "pending-upgrade", "pending-rollback"], Some(RollBack(1)), Upgrade),
        (&["failed", "pending-upgrade"], Some(Uninstall), Install),
        // without Helm's own way back
        (&["failed"], Some(Uninstall), Install),
        (&["deployed", "failed"], None, Upgrade),
        (&["superseded", "failed"], None, Upgrade),
        (&["superseded"], None, Upgrade),
        (&["deployed", "uninstalled"], None, Install),
    ];
    for (states, recovery, action) in rows {
        let decision = decided(states, &values());
        assert_eq!((decision.recovery, decision.action), (*recovery, *action), "{states:?}");
        assert_eq!(decision.revision as usize, states.len());
        assert_eq!(decision.reasons.is_empty(), decision.action == Unchanged, "{states:?}");
    }
}

#[test]
fn what_is_not_there_is_installed() {
    let absent = Said { rc: 1, stderr: "Error: release: not found\n".to_owned(), ..Said::default() };
    let decision = decide(&wanted(), &absent, &absent).unwrap();
    assert_eq!((decision.action, decision.revision), (Action::Install, 0));
    let words = wanted().apply(&decision);
    assert_eq!(
        words.join(" "),
        "upgrade --install istiod /srv/charts/istiod-1.31.4.tgz --namespace=istio-system --timeout=5m --atomic \
                                 --reset-values --values=-"
    );
    assert!(wanted().recover(&decision).is_empty());
    let first = Wanted { creates_namespace: true, ..wanted() };
    assert!(first.apply(&decision).contains(&"--create-namespace".to_owned()));
}

#[test]
fn a_difference_is_named_and_never_shown() {
    let present =
        json!({"meshConfig": {"pathNormalization": {"normalization": "NONE"}}, "labels": ["a"], "a/b": "secret"});
    let decision = decided(&["deployed"], &present);
    assert_eq!(decision.action, Action::Upgrade);
    assert_eq!(
        decision.reasons,
        [
            "the value /a~1b differs",
            "the value /labels differs",
            "the value /meshConfig/pathNormalization/normalization differs"
        ]
    );
    let many: Value =
        (0..20).map(|index| (format!("k{index:02}"), json!(index))).collect::<serde_json::Map<_, _>>().into();
    let reasons = decided(&["deployed"], &many).reasons;
    assert_eq!((reasons.len(), reasons.last().unwrap().as_str()), (9, "14 more values differ"));
    // Helm answers `null` for a release that was given no values
    assert_eq!(decided(&["deployed"], &Value::Null).action, Action::Upgrade);
    assert_eq!(
        decide(&Wanted { values: json!({}), ..wanted() }, &history(&["deployed"]), &recorded(&Value::Null))
            .unwrap()
            .action,
        Action::Unchanged
    );
}

#[test]
fn another_version_of_the_chart_is_an_upgrade() {
    let next = Wanted { version: Some("1.31.5".to_owned()), ..wanted() };
    let decision = decide(&next, &history(&["deployed"]), &recorded(&values())).unwrap();
    assert_eq!(
        (decision.action, decision.reasons.as_slice()),
        (Action::Upgrade, &["its chart is 1.31.4, and 1.31.5 is wanted".to_owned()][..])
    );
    // a chart that is known by its values alone
    let unpinned = Wanted { version: None, ..wanted() };
    assert_eq!(decide(&unpinned, &history(&["deployed"]), &recorded(&values())).unwrap().action, Action::Unchanged);
}

#[test]
fn what_helm_applied_is_fit() {
    assert!(judge_applied(&wanted(), &Said::default(), &history(&["deployed"])).is_ok());
}

#[test]
fn a_recovery_names_the_revision() {
    let words = |states: &[&str]| wanted().recover(&decided(states, &values())).join(" ");
    assert_eq!(
        words(&["superseded", "deployed", "pending-upgrade"]),
        "rollback istiod 2 --namespace=istio-system --timeout=5m --wait"
    );
    assert_eq!(words(&["pending-install"]), "uninstall istiod --namespace=istio-system --timeout=5m --wait");
}
