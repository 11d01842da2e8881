//! Documents that are judged together: a fixture is a folder, and all its files are given at once.

use pharos_core::diagnostic::{Report, Source};
use pharos_core::site::{self, Edge, EdgeSources};

use crate::rejected::{Fixture, refused};

/// The report on every file of the fixture's folder; of two documents that are asked for by what they are to be, on those.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let source = |name: &str| Source::public(name, &std::fs::read_to_string(fixture.path().join(name)).unwrap());
    match (fixture.what(), fixture.path().extension().and_then(|word| word.to_str())) {
        ("wrong-document", Some("policy-path")) => {
            return site::check(&[source("catalogue.yaml"), source("environments/here/policy.yaml")]);
        }
        ("wrong-document", _) => {
            let (catalogue, environment) = (source("catalogue.yaml"), source("edge.yaml"));
            let sources = EdgeSources { catalogue: &catalogue, environment: &environment, laboratories: &[] };
            return refused(Edge::of_environment(&sources));
        }
        _ => {}
    }
    let mut files: Vec<_> = std::fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let sources: Vec<_> = files
        .iter()
        .map(|file| {
            Source::public(&file.file_name().unwrap().to_string_lossy(), &std::fs::read_to_string(file).unwrap())
        })
        .collect();
    site::check(&sources)
}

#[test]
fn an_edge_environment_is_not_rendered_from_another_one() {
    let folder = crate::rejected::root().join("site");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let catalogue = read("wrong-document/catalogue.yaml");
    let (environment, policy) = (read("no-catalogue/edge.yaml"), read("wrong-document/edge.yaml"));
    let of = |bytes: &[u8]| Edge::of_policy_file(("catalogue.yaml", &catalogue), ("given.yaml", bytes));
    assert!(of(&policy).is_ok());
    let report = of(&environment).unwrap_err().to_string();
    assert!(report.contains("site/wrong-document") && report.contains("`environments/shop/policy.yaml`"), "{report}");
    assert!(Edge::of_files(("catalogue.yaml", &catalogue), ("given.yaml", &environment), &[]).is_ok());
}
