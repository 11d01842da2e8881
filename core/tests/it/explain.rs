//! Requests on their way through the example site: the table of cases beside its answers, and what is refused as a question.

use pharos_core::diagnostic::{Report, Source};
use pharos_core::document;
use pharos_core::explain::{self, Answer, Normalization, Question, QuestionDocument, Site};

use crate::rejected::{Fixture, refused};

/// The site that the cases are asked of.
fn site() -> Site {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/explain");
    let read = |name: &str| std::fs::read(format!("{repository}/{name}")).unwrap();
    let (catalogue, policy, laboratory) = (read("catalogue.yaml"), read("policy.yaml"), read("lab.yaml"));
    Site::of_files(
        ("catalogue.yaml", &catalogue),
        ("environments/example/policy.yaml", &policy),
        &[("lab.yaml", &laboratory)],
    )
    .unwrap_or_else(|report| panic!("{report}"))
}

fn ask(site: &Site, question: &QuestionDocument) -> Result<Answer, Report> {
    site.explain(&Question::parse(question)?)
}

/// A fixture is a question.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    refused(document::read::<QuestionDocument>(&fixture.source()).and_then(|question| ask(&site(), &question.value)))
}

#[test]
fn explain_answers_the_table() {
    let site = site();
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/explain/cases"));
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let question = document::read::<QuestionDocument>(&Source::public(&name, &text)).unwrap();
        let answer = ask(&site, &question.value).unwrap_or_else(|report| panic!("{name}: {report}"));
        insta::with_settings!({
            snapshot_path => folder,
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(name, explain::render(&answer));
        });
    }
}

/// What Envoy 1.40.0 made of made-up targets, under each of Istio's path normalisations but the one that changes nothing: `null` is a 400.
/// Measured with `path_with_escaped_slashes_action`, `normalize_path` and `merge_slashes` as Istio sets them, and a response header that
/// repeats `%REQ(:PATH)%`.
#[test]
fn explain_makes_of_paths_what_envoy_does() {
    let rows = include_str!("../explain/envoy-paths.jsonl");
    let mut refused = 0;
    for row in rows.lines() {
        let [target, paths @ ..]: [Option<String>; 4] = serde_json::from_str(row).unwrap();
        let target = target.unwrap();
        for (word, path) in ["BASE", "MERGE_SLASHES", "DECODE_AND_MERGE_SLASHES"].into_iter().zip(paths) {
            let applied = Normalization::of(word).unwrap().apply(target.as_bytes());
            assert_eq!(applied.map(|bytes| String::from_utf8(bytes).unwrap()), path, "{word}: {target}");
            refused += u32::from(path.is_none());
        }
    }
    assert!(rows.lines().count() >= 450 && refused > 100, "{refused}");
}
