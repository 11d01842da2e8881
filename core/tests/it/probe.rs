//! What the answers of a live site show.

#![allow(clippy::unwrap_used, reason = "a helper of a test may panic as the test may")]

use pharos_core::catalogue::resolve;
use pharos_core::diagnostic::Report;
use pharos_core::name::{HostName, Network, Port};
use pharos_core::probe::{
    Expected, Manner, Outcome, Question, Standpoint, Verdict, junit, questions, report, standpoint, table,
};
use serde::Deserialize;

use crate::committed;
use crate::rejected::{Fixture, refused};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    question: Asked,
    outcome: Outcome,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    manner: String,
    expected: String,
}

fn asked(manner: Manner, expected: Expected) -> Question {
    Question {
        route: "pharos-api".parse().unwrap(),
        laboratory: false,
        host: "platform.example.org".parse::<HostName>().unwrap(),
        port: Port::HTTPS,
        path: "/api/".to_owned(),
        manner,
        expected,
    }
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    if fixture.what() == "standpoint" {
        let given: std::collections::BTreeMap<String, String> = serde_json::from_str(fixture.source().text()).unwrap();
        let given = |key: &str| given.get(key).map(String::as_str);
        return refused(standpoint(given("address"), given("from")));
    }
    let case: Case = serde_json::from_str(fixture.source().text()).unwrap();
    let manner = match case.question.manner.as_str() {
        "grpc" => Manner::Grpc,
        "websocket" => Manner::WebSocket,
        _ => Manner::Get,
    };
    let expected = match case.question.expected.as_str() {
        "refusal" => Expected::Refusal,
        "either" => Expected::Either,
        _ => Expected::Backend,
    };
    report(&[Verdict::of(asked(manner, expected), case.outcome)])
}

fn answer(status: u16, backend: bool) -> Outcome {
    Outcome::Answer { status, backend, grpc: None }
}

/// The questions about the development box, from an address that manages nothing.
fn of_the_box() -> Vec<Question> {
    let (table, _) = resolve(&committed::catalogue(), &committed::policy("devbox")).unwrap();
    let from: Network = "192.0.2.1/32".parse().unwrap();
    questions(&table, &Standpoint { from: Some(&from), management: &[] })
}

#[test]
fn each_route_is_asked_in_its_own_manner() {
    let asked = of_the_box();
    let of = |route: &str| asked.iter().find(|question| question.route.as_str() == route).unwrap();
    assert_eq!(of("pharos-realtime").manner, Manner::WebSocket);
    assert_eq!(of("gitlab-web").manner, Manner::Get, "an application answers an upgrade at its root as it likes");
    assert_eq!(of("argo-web").expected, Expected::Refusal);
    assert_eq!(of("site-commands").url(), "https://site.pharos.127.0.0.1.sslip.io:8443/v1/site/commands/");
    let (table, _) = resolve(&committed::catalogue(), &committed::policy("devbox")).unwrap();
    assert_eq!(asked.len(), table.routes().count());
}

#[test]
fn what_the_backend_says_is_its_own_affair() {
    for status in [200, 204, 302, 401, 403, 404, 500, 503] {
        let verdict = Verdict::of(asked(Manner::Get, Expected::Backend), answer(status, true));
        assert_eq!(verdict.code, None, "{status}");
    }
    let without_a_note = Verdict::of(asked(Manner::Get, Expected::Backend), answer(200, false));
    assert_eq!(without_a_note.code, None, "a gateway may be told to leave the note out");
    let upgraded = Verdict::of(asked(Manner::WebSocket, Expected::Backend), answer(101, false));
    assert_eq!(upgraded.code, None);
    let called = Outcome::Answer { status: 200, backend: true, grpc: Some(12) };
    assert_eq!(Verdict::of(asked(Manner::Grpc, Expected::Backend), called).code, None);
}

#[test]
fn who_is_expected_to_be_refused_is() {
    let code = |expected, outcome| Verdict::of(asked(Manner::Get, expected), outcome).code;
    assert_eq!(code(Expected::Refusal, answer(403, false)), None);
    assert_eq!(code(Expected::Either, answer(403, false)), None);
    assert_eq!(code(Expected::Either, answer(200, true)), None);
    assert_eq!(code(Expected::Refusal, answer(404, false)), Some("probe/no-route"));
    assert_eq!(code(Expected::Refusal, answer(403, true)), Some("probe/open"), "the backend was asked");
}

#[test]
fn all_of_it_is_shown() {
    let mut verdicts: Vec<Verdict> = of_the_box()
        .into_iter()
        .take(4)
        .zip([
            answer(403, false),
            answer(404, true),
            answer(503, false),
            Outcome::NoAnswer("no\u{1b}[31m route <here>".to_owned()),
        ])
        .map(|(question, outcome)| Verdict::of(question, outcome))
        .collect();
    verdicts.sort_by(|a, b| a.url.cmp(&b.url));
    insta::assert_snapshot!(format!("{}\n{}", table(&verdicts), junit(&verdicts)));
}
