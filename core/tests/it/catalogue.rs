//! What a catalogue is refused for, and the routes that follow from a sound one.

use pharos_core::catalogue::{self, BodyLimit, CatalogueDocument, Route, RouteTable, Stream, Transport};
use pharos_core::diagnostic::Report;
use pharos_core::document::{self, Document};
use pharos_core::policy::{EdgeEnvironment, Environment, PolicyDocument, edge_environment};

use crate::committed;
use crate::rejected::Fixture;

#[path = "../../benches/synthetic/mod.rs"]
mod synthetic;

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let catalogue = document::read(&fixture.source()).unwrap_or_else(|report| panic!("{report}"));
    catalogue::check(&catalogue, &[])
}

fn resolved(catalogue: &Document<CatalogueDocument>, environment: &impl Environment) -> RouteTable {
    let (table, report) = catalogue::resolve(catalogue, environment).unwrap_or_else(|report| panic!("{report}"));
    assert!(report.is_empty(), "{report}");
    table
}

fn routes_of<'a>(table: &'a RouteTable, owner: &str) -> Vec<&'a Route> {
    table.routes().map(|(_, route)| route).filter(|route| route.owner.name() == owner).collect()
}

#[test]
fn every_committed_environment_is_clean() {
    let names = committed::environments();
    assert_eq!(names, ["devbox", "example", "icarus-cloud", "icaruscloudlab"]);
    let policies: Vec<Document<PolicyDocument>> = names.iter().map(|name| committed::policy(name)).collect();
    let report = catalogue::check(&committed::catalogue(), &policies);
    assert!(report.is_empty(), "{report}");
}

#[test]
fn the_route_table_of_the_existing_site() {
    let table = resolved(&committed::catalogue(), &committed::policy("icarus-cloud"));
    let lines: Vec<String> = table.routes().map(|(origin, route)| line(&origin.to_string(), route)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

fn line(origin: &str, route: &Route) -> String {
    let backend = &route.backend;
    format!(
        "{origin} {} -> {} {}.{}:{} ({:?})",
        route.path, route.id, backend.service, backend.namespace, backend.port, route.access
    )
}

#[test]
fn a_foundation_alone_has_no_routes() {
    assert!(resolved(&committed::catalogue(), &committed::policy("icaruscloudlab")).hosts().is_empty());
}

#[test]
fn policy_and_edge_environment_give_one_table() {
    let (catalogue, policy) = (committed::catalogue(), committed::policy("example"));
    let text = document::write(&edge_environment(&policy).unwrap()).unwrap();
    let environment: Document<EdgeEnvironment> = committed::parsed("edge-environment.yaml", &text);
    assert_eq!(resolved(&catalogue, &environment), resolved(&catalogue, &policy));
}

#[test]
fn only_what_the_environment_selects_is_routed() {
    let table = resolved(&committed::catalogue(), &committed::policy("example"));
    assert_eq!(routes_of(&table, "zammad").len(), 2);
    assert!(routes_of(&table, "mailpit").is_empty());
    let development = resolved(&committed::catalogue(), &committed::policy("devbox"));
    assert!(routes_of(&development, "zammad").is_empty());
    assert_eq!(routes_of(&development, "mailpit").len(), 1);
}

#[test]
fn the_site_api_exposes_two_prefixes_over_verified_tls() {
    let table = resolved(&committed::catalogue(), &committed::policy("icarus-cloud"));
    let routes = routes_of(&table, "site");
    let paths: Vec<String> = routes.iter().map(|route| route.path.to_string()).collect();
    assert_eq!(paths, ["/v1/site/ssh-access/", "/v1/site/commands/"]);
    for route in routes {
        let backend = format!("{:?}", route.backend.protocol);
        assert!(backend.contains("site-api.pharos.svc") && backend.contains("site-api-trust"), "{backend}");
    }
}

#[test]
fn gitlab_has_no_cap_and_an_hour() {
    let table = resolved(&committed::catalogue(), &committed::policy("icarus-cloud"));
    for route in routes_of(&table, "gitlab") {
        assert_eq!(route.body, Some(BodyLimit::Unlimited));
        assert!(route.timeout.unwrap() >= 3600);
    }
}

#[test]
fn what_cannot_be_buffered_is_streamed() {
    let table = resolved(&committed::file(FOREIGN), &committed::file::<PolicyDocument>(FOREIGN_POLICY));
    let [feed] = routes_of(&table, "prices")[..] else { panic!("one route") };
    assert_eq!((feed.transport, feed.stream), (Transport::Grpc, Stream::Both));
}

const FOREIGN: &str = "core/tests/catalogues/foreign.yaml";
const FOREIGN_POLICY: &str = "core/tests/catalogues/foreign.policy.yaml";

#[test]
fn a_foreign_catalogue_has_none_of_pharos_rules() {
    let report = catalogue::check(&committed::file(FOREIGN), &[committed::file(FOREIGN_POLICY)]);
    assert!(report.is_empty(), "{report}");
    let rules = catalogue::check(&committed::file("core/tests/catalogues/rules.yaml"), &[]);
    assert!(rules.is_empty(), "{rules}");
}

/// A copy of the existing site with faults of many kinds: all are found at once, at their places, in file order.
#[test]
fn every_fault_of_a_broken_site_is_found_at_once() {
    let text = std::fs::read_to_string(committed::repository().join("environments/icarus-cloud/policy.yaml")).unwrap();
    let broken = [
        ("profiles: []", "profiles: [development]"),
        ("pharos: https://platform.", "pharos: https://portal."),
        ("https://gitlab.staging.pharosfactory.ai", "http://gitlab.staging.pharosfactory.ai"),
        ("waldur: https://waldur.", "waldr: https://waldur."),
        ("    kubeflow: https://kubeflow.staging.pharosfactory.ai\n", ""),
        ("llm-chat: https://llm-chat.", "llm-chat: https://llm-api."),
        ("    sni: gateway.istio-system.svc\n", ""),
        ("public_api: https://llm-api.", "public_api: https://llm-apis."),
        ("  ehlo: platform.staging.pharosfactory.ai\n", ""),
        ("egress: [192.0.2.128/27", "egress: [0.0.0.0/0"),
    ]
    .iter()
    .fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let policy = committed::parsed::<PolicyDocument>("environments/icarus-cloud/policy.yaml", &broken);
    let report = catalogue::check(&committed::catalogue(), &[policy]);
    insta::assert_snapshot!(report.to_string());
}

#[test]
fn the_table_does_not_depend_on_the_order_of_its_input() {
    let policy: Document<PolicyDocument> = committed::parsed("policy.yaml", &synthetic::policy(6));
    let expected = resolved(&committed::parsed("services.yaml", &synthetic::catalogue(6, 7)), &policy);
    for seed in 1..20 {
        let mut catalogue: Document<CatalogueDocument> =
            committed::parsed("services.yaml", &synthetic::catalogue(6, 7));
        let mut random = seed;
        shuffle(&mut catalogue.value.services, &mut random);
        for service in &mut catalogue.value.services {
            shuffle(&mut service.routes, &mut random);
        }
        assert_eq!(resolved(&catalogue, &policy), expected, "seed {seed}");
    }
}

/// Fisher and Yates, with a linear congruential generator (Knuth's MMIX constants): reproducible by its seed.
fn shuffle<T>(items: &mut [T], random: &mut u64) {
    for end in (1..items.len()).rev() {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(end, usize::try_from(*random >> 33).unwrap() % (end + 1));
    }
}

#[test]
fn ten_thousand_routes_are_resolved() {
    let catalogue = committed::parsed("services.yaml", &synthetic::catalogue(100, 100));
    let table = resolved(&catalogue, &committed::parsed::<PolicyDocument>("policy.yaml", &synthetic::policy(100)));
    assert_eq!((table.hosts().len(), table.routes().count()), (100, 10_000));
}
