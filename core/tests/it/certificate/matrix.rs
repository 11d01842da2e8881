//! The verdict on every case is the one that its row states.

use std::collections::BTreeSet;

use pharos_core::certificate::{TrustAnchors, describe};
use pharos_core::diagnostic::{Report, Severity};

use super::cases::{Accept, Case, FURTHER, MEASURED, Reject, Verdict, Warn, find};
use super::{judged, judged_by};

pub(super) fn verdict(case: &Case) -> Verdict {
    match judged(case) {
        Err(_) => Reject,
        Ok((_, report)) if report.count(Severity::Warning) > 0 => Warn,
        Ok(_) => Accept,
    }
}

#[test]
fn the_verdicts_are_those_of_the_table() {
    assert_eq!(MEASURED.len(), 92);
    let differing: Vec<String> = MEASURED
        .iter()
        .chain(FURTHER.iter())
        .filter(|case| verdict(case) != case.policy)
        .map(|case| {
            format!("{} ({}): expected {:?}\n{:?}", case.name, case.what, case.policy, judged(case).map(|(_, r)| r))
        })
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn a_proof_says_what_was_proven() {
    let (path, report) = judged(find("good_ec256")).unwrap();
    assert!(report.is_empty(), "{report}");
    let subjects: Vec<&str> = path.issuers().iter().map(|issuer| issuer.subject.as_str()).collect();
    assert_eq!(path.leaf().subject, "CN=a.edge.test");
    assert_eq!(subjects, ["CN=Case Intermediate", "CN=Case Root"]);
    assert_eq!(path.issuers().iter().map(|issuer| issuer.position).collect::<Vec<_>>(), [2, 0]);
    assert_eq!(path.valid_until(), path.leaf().not_after);
    assert!(path.key_checked() && path.anchored());
    assert!(!judged(find("staging")).unwrap().0.anchored());
}

/// Anchors that cannot be read hide no fault of a chain, and nothing is said that they could settle.
#[test]
fn without_anchors_all_else_is_judged_and_nothing_is_proven() {
    let of_anchors =
        ["untrusted-root", "self-signed", "missing-intermediate", "unknown-issuer", "no-anchor", "anchor-unreadable"];
    let codes = |report: &Report| -> BTreeSet<&'static str> {
        let all = report.diagnostics().iter().filter(|found| found.severity == Severity::Error);
        all.map(|found| found.code.name()).filter(|code| !of_anchors.iter().any(|one| code.ends_with(one))).collect()
    };
    let mut differing = Vec::new();
    // Whether an expired issuer is on the path at all, the anchors alone say where they have one of its name.
    let cases = MEASURED.iter().chain(FURTHER.iter()).filter(|case| case.name != "cross_sign_expired_appended");
    for case in cases {
        let known = judged(case).map_or_else(|report| report, |(_, report)| report);
        let unknown = judged_by(case, &TrustAnchors::unknown("roots.pem"), &Report::default());
        let unknown = unknown.expect_err("nothing is proven");
        if codes(&known) != codes(&unknown) {
            differing.push(format!("{}: {:?} / {:?}", case.name, codes(&known), codes(&unknown)));
        }
        assert!(
            !unknown.diagnostics().iter().any(|one| of_anchors.iter().any(|code| one.code.name().ends_with(code))),
            "{}: {unknown}",
            case.name
        );
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn describing_passes_over_faults() {
    let good = describe(&find("good_ec256").chain);
    assert_eq!(good.len(), 2);
    assert_eq!(
        (good[0].dns_names.as_slice(), good[0].key.as_str()),
        (["a.edge.test".to_owned()].as_slice(), "EC P-256")
    );
    let text = String::from_utf8(find("good_ec256").chain.clone()).unwrap();
    let second = text.lines().enumerate().filter(|(_, line)| line.contains("BEGIN")).nth(1).unwrap();
    assert_eq!((good[0].line, good[1].line, good[1].authority), (1, second.0 + 1, true));
    assert_eq!(describe(&find("pem_truncated").chain), good[..1]);
    assert!(describe(&find("der").chain).is_empty());
}

/// A key is never quoted, whatever is wrong with it or with the file around it.
#[test]
fn no_report_quotes_a_key() {
    for case in MEASURED.iter().chain(FURTHER.iter()) {
        let report = match judged(case) {
            Ok((_, report)) | Err(report) => report,
        };
        let printed = format!("{report}{}{report:?}", pharos_core::diagnostic::json::render(&report));
        let keys = [&case.key, &case.chain].map(|file| String::from_utf8_lossy(file).into_owned());
        let mut private = false;
        for line in keys.iter().flat_map(|text| text.lines()) {
            private = (private || line.contains("PRIVATE KEY")) && !line.contains("END");
            let secret = private && !line.contains("BEGIN") && line.len() > 8;
            assert!(!secret || !printed.contains(line.trim()), "{}: {printed}", case.name);
        }
    }
}
