//! What a policy is refused for, and what is rendered from it.

use std::collections::BTreeSet;

use pharos_core::catalogue;
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document::{self, Document};
use pharos_core::policy::{EdgeEnvironment, PolicyDocument, edge_environment};

use crate::committed;
use crate::rejected::{Fixture, refused};

/// The catalogue that the fixtures are held against.
const RULES: &str = "core/tests/catalogues/rules.yaml";

/// A fixture is a policy, or a folder with one where its place matters.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let source = if fixture.path().is_dir() {
        let inside = "environments/here/policy.yaml";
        Source::public(inside, &std::fs::read_to_string(fixture.path().join(inside)).unwrap())
    } else {
        fixture.source()
    };
    let policy: Document<PolicyDocument> = document::read(&source).unwrap_or_else(|report| panic!("{report}"));
    match fixture.what() {
        "foundation-only" => refused(edge_environment(&policy)),
        _ => catalogue::check(&committed::file(RULES), &[policy]),
    }
}

#[test]
fn the_edge_environment_has_exactly_the_schemas_keys() {
    let schema = document::schema::<EdgeEnvironment>();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    let text = |list: &serde_json::Value| {
        list.as_array().unwrap().iter().map(|key| key.as_str().unwrap().to_owned()).collect::<BTreeSet<String>>()
    };
    let everything = committed::parsed::<PolicyDocument>(
        "full.yaml",
        &std::fs::read_to_string(committed::repository().join("environments/icarus-cloud/policy.yaml"))
            .unwrap()
            .replace("\ngateway:\n", "\n  hsts: {max_age: 300}\n\ngateway:\n"),
    );
    let rendered = serde_json::to_value(edge_environment(&everything).unwrap()).unwrap();
    assert_eq!(keys(&rendered), keys(&schema["properties"]));
    assert_eq!(schema["additionalProperties"], false);

    let least = serde_json::to_value(edge_environment(&committed::policy("example")).unwrap()).unwrap();
    assert!(keys(&least).is_superset(&text(&schema["required"])) && keys(&least).is_subset(&keys(&rendered)));
}

#[test]
fn the_edge_environment_is_read_as_it_is_written() {
    for name in committed::environments() {
        let Ok(environment) = edge_environment(&committed::policy(&name)) else { continue };
        let text = document::write(&environment).unwrap();
        assert_eq!(committed::parsed::<EdgeEnvironment>("edge-environment.yaml", &text).value, environment);
    }
}

#[test]
fn origins_and_bindings_are_one_list_to_the_edge() {
    let environment = edge_environment(&committed::policy("icarus-cloud")).unwrap();
    let origin = |service: &str| environment.origins[&service.parse().unwrap()].to_string();
    assert_eq!(origin("pharos"), "https://platform.staging.pharosfactory.ai");
    assert_eq!(origin("argo"), "https://nc-argo.example.net");
}
