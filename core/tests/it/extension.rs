//! What a laboratory is refused for, what a registry gives, and the routes that follow from a sound one.

use std::sync::Arc;

use pharos_core::catalogue::extension::{self, Given, RegisteredFile};
use pharos_core::catalogue::{self, BackendProtocol, ExtensionDocument, Owner, RouteTable, Stream};
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document::Document;
use pharos_core::edge::install::judge_served;
use pharos_core::policy::PolicyDocument;
use pharos_core::site::{self, Edge, EdgeSources};

use crate::committed;
use crate::rejected::{Fixture, refused};

const RULES: &str = "core/tests/catalogues/rules.yaml";
const POLICY: &str = "core/tests/catalogues/rules.policy.yaml";
const FOUNDATION: &str = "core/tests/rejected/policy/foundation-only.yaml";
const GOLDEN: &str = "core/tests/golden/extension/v1.yaml";

fn source(path: &str) -> Arc<Source> {
    Source::public(path, &std::fs::read_to_string(committed::repository().join(path)).unwrap())
}

/// A fixture is an extension, or a folder of several, held against the shop and its policy. For what an edge finds in its registry the
/// folder is the registry.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let policy = if fixture.what() == "no-gateway" { FOUNDATION } else { POLICY };
    let site = [source(RULES), source(policy)];
    match fixture.what() {
        "file-name" | "registered-file" => refused(extension::served(&folder(fixture), None)),
        "not-served" => {
            let laboratories = [fixture.source()];
            let table = table(&laboratories).unwrap_or_else(|report| panic!("{report}"));
            refused(judge_served(&"icarus".parse().unwrap(), &table, None, false))
        }
        _ if fixture.path().is_dir() => {
            let files = folder(fixture).into_iter().map(|file| {
                Source::public(&format!("extension/{}", file.name), std::str::from_utf8(&file.bytes).unwrap())
            });
            site::check(&site.into_iter().chain(files).collect::<Vec<_>>())
        }
        _ => site::check(&site.into_iter().chain([fixture.source()]).collect::<Vec<_>>()),
    }
}

fn folder(fixture: &Fixture) -> Vec<RegisteredFile> {
    let files = std::fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<RegisteredFile> = files
        .map(|file| RegisteredFile {
            name: file.file_name().into_string().unwrap(),
            bytes: std::fs::read(file.path()).unwrap(),
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

fn table(laboratories: &[Arc<Source>]) -> Result<RouteTable, Report> {
    let (catalogue, environment) = (source(RULES), source(POLICY));
    Edge::of_policy(&EdgeSources { catalogue: &catalogue, environment: &environment, laboratories })
        .map(|edge| edge.table)
}

/// An extension with one route: name, namespace, host, route, and further lines of the route.
fn laboratory(name: &str, namespace: &str, host: &str, route: &str, more: &str) -> Arc<Source> {
    let text = format!(
        "version: 1\nname: {name}\nnamespace: {namespace}\nroutes:\n  - name: {route}\n    host: {host}\n    match: \
         {{prefix: /}}\n    access: public\n    transport: http\n    backend: {{service: bench, port: 8080}}\n{more}"
    );
    Source::public(&format!("{name}.yaml"), &text)
}

fn codes(report: &Report) -> Vec<String> {
    report.diagnostics().iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}

#[test]
fn a_laboratory_joins_the_routes_of_the_site() {
    let golden = source(GOLDEN);
    let table = table(&[golden]).unwrap();
    let lines: Vec<String> = table
        .routes()
        .filter(|(_, route)| matches!(route.owner, Owner::Laboratory(_)))
        .map(|(origin, route)| {
            let backend = &route.backend;
            format!("{origin} {} {} {}.{}:{}", route.path, route.id, backend.service, backend.namespace, backend.port)
        })
        .collect();
    assert_eq!(
        lines,
        [
            "https://icarus-feed.example.org = /icarus.v1.Feed/Watch icarus-feed feed.icarus:9000",
            "https://icarus-site.example.org /bench icarus-bench bench.icarus:8443",
        ]
    );
    let (_, bench) = table.routes().find(|(_, route)| route.id.as_str() == "icarus-bench").unwrap();
    assert!(
        matches!(&bench.backend.protocol, BackendProtocol::Https { sni, .. } if sni.as_str() == "bench.icarus.svc")
    );
    assert_eq!((bench.stream, bench.timeout, bench.encoded_slashes), (Stream::Both, Some(3600), true));
}

/// What the edge is proven with once it is installed.
#[test]
fn each_route_of_a_laboratory_is_probed() {
    let table = table(&[source(GOLDEN)]).unwrap();
    let probes = pharos_core::edge::render::probes(&table);
    let own: Vec<String> = probes
        .iter()
        .filter(|probe| probe.route.as_str().starts_with("icarus-"))
        .map(|probe| format!("{}:{}{} {:?}", probe.host, probe.port, probe.path, probe.access))
        .collect();
    assert_eq!(
        own,
        ["icarus-feed.example.org:443/icarus.v1.Feed/Watch Public", "icarus-site.example.org:443/bench Management"]
    );
}

/// On a development box the site is on another port, and so is the laboratory.
#[test]
fn a_laboratory_is_reached_as_the_site_is() {
    let (catalogue, policy) = (committed::catalogue(), committed::policy("devbox"));
    let extension: Document<ExtensionDocument> = committed::file(GOLDEN);
    let (table, _) = catalogue::resolve_with(&catalogue, &policy, &[extension]).unwrap();
    let ports: std::collections::BTreeSet<u16> = table.hosts().iter().map(|host| host.origin.port().get()).collect();
    assert_eq!(ports, [8443].into());
}

/// What the catalogue serves is the same with and without laboratories, whatever they state.
#[test]
fn an_extension_never_changes_a_route_of_the_catalogue() {
    let catalogue = committed::catalogue();
    for name in committed::environments() {
        let policy = committed::policy(&name);
        if policy.value.edge.is_none() {
            continue;
        }
        let (alone, _) = catalogue::resolve(&catalogue, &policy).unwrap();
        let mut laboratories: Vec<Document<ExtensionDocument>> = vec![committed::file(GOLDEN)];
        for seed in 0..40_u32 {
            let (own, host) = (format!("lab-{seed}"), format!("lab-{}.{}", seed * 7 % 40, "bench.example.org"));
            let text = laboratory(&own, &own, &host, &format!("r{}", seed % 3), "");
            laboratories.push(committed::parsed(text.name(), text.text()));
            let (joined, _) = catalogue::resolve_with(&catalogue, &policy, &laboratories).unwrap();
            let mut hosts: Vec<_> = joined.hosts().to_vec();
            hosts.retain(|host| host.routes.iter().all(|route| matches!(route.owner, Owner::Service(_))));
            assert_eq!(hosts, alone.hosts(), "{name} with {seed}");
            let ids: std::collections::BTreeSet<_> = joined.routes().map(|(_, route)| &route.id).collect();
            assert_eq!(ids.len(), joined.routes().count(), "joined names are unique");
            assert_eq!(ids.len(), alone.routes().count() + 2 + laboratories.len() - 1);
        }
    }
}

#[test]
fn the_order_of_laboratories_does_not_matter() {
    let one = laboratory("icarus", "icarus", "icarus.example.org", "web", "");
    let other = laboratory("daedalus", "daedalus", "daedalus.example.org", "web", "");
    assert_eq!(table(&[Arc::clone(&one), Arc::clone(&other)]).unwrap(), table(&[other, one]).unwrap());
}

/// A namespace may be shared, a Service not: two laboratories render two rules for it, and the mesh takes one.
#[test]
fn two_laboratories_share_a_namespace_and_no_service() {
    let folder = "core/tests/rejected/extension/backend-shared";
    let alpha = source(&format!("{folder}/a.yaml"));
    let beta = source(&format!("{folder}/b.yaml"));
    let example = [source("catalogue/services.yaml"), source("environments/example/policy.yaml")];
    let with = |beta: &Arc<Source>| site::check(&[example[0].clone(), example[1].clone(), alpha.clone(), beta.clone()]);
    let report = with(&beta);
    assert_eq!(codes(&report), ["extension/backend-shared"], "{report}");
    assert!(
        report.to_string().contains("a.yaml:10") && report.to_string().contains("b.yaml:10"),
        "both places: {report}"
    );
    let other = Source::public("b.yaml", &beta.text().replace("service: x,", "service: z,"));
    assert!(!with(&other).refuses(), "{}", with(&other));

    // whoever renders one of them with both files is refused, too: what it renders would lack what the other states
    let laboratories = [alpha, beta];
    let sources = EdgeSources { catalogue: &example[0], environment: &example[1], laboratories: &laboratories };
    assert_eq!(codes(&site::Mesh::of(&sources).unwrap_err()), ["extension/backend-shared"]);
}

/// The rules about routes are those of the catalogue.
#[test]
fn a_laboratory_has_the_catalogues_rules_about_routes() {
    let refused = |more: &str| {
        let report = table(&[laboratory("icarus", "icarus", "icarus.example.org", "web", more)]).unwrap_err();
        let text = report.to_string();
        let names_it = text.contains("laboratory `icarus`") || text.contains("[document/");
        assert!(names_it && text.contains("icarus.yaml:"), "{text}");
        codes(&report)
    };
    let route =
        |name: &str, host: &str, rest: &str| format!("  - {{name: {name}, host: {host}, access: public, {rest}}}\n");
    let plain = "transport: http, backend: {service: b, port: 1}";
    let host = "icarus.example.org";
    for (more, code) in [
        ("    websocket: true\n".to_owned(), "catalogue/websocket-timeout"),
        ("    body: unlimited\n".to_owned(), "catalogue/unlimited-timeout"),
        (route("web", host, &format!("match: {{exact: /a}}, {plain}")), "catalogue/duplicate-route"),
        (route("api", host, &format!("match: {{prefix: /}}, {plain}")), "catalogue/duplicate-path"),
        (route(&"x".repeat(63), host, &format!("match: {{exact: /a}}, {plain}")), "catalogue/joined-name-length"),
        (
            route("g", host, "match: {exact: /a}, transport: grpc, backend: {service: b, port: 1}"),
            "catalogue/backend-protocol",
        ),
        (
            route(
                "t",
                host,
                "match: {exact: /a}, transport: http, backend: {service: b, port: 1, protocol: https, sni: a.b}",
            ),
            "catalogue/backend-tls-missing",
        ),
        (
            route("t", host, "match: {exact: /a}, transport: http, backend: {service: b, port: 1, sni: a.b}"),
            "catalogue/backend-tls-surplus",
        ),
        (
            route(
                "other",
                host,
                "match: {exact: /a}, transport: http, backend: {service: b, port: 1, namespace: shop}",
            ),
            "document/unknown-key",
        ),
    ] {
        assert_eq!(refused(&more), [code], "{more}");
    }
}

#[test]
fn joined_names_are_unique_over_all_owners() {
    let catalogue = committed::parsed(
        "services.yaml",
        &std::fs::read_to_string(committed::repository().join(RULES)).unwrap().replace("name: v1", "name: v1-web"),
    );
    let policy: Document<PolicyDocument> = committed::file(POLICY);
    let extension = |source: Arc<Source>| committed::parsed::<ExtensionDocument>(source.name(), source.text());
    // `api` + `v1-web` of the catalogue, and `api-v1` + `web` of a laboratory.
    let taken = extension(laboratory("api-v1", "icarus", "icarus.example.org", "web", ""));
    let report = catalogue::check_with(&catalogue, std::slice::from_ref(&policy), &[taken]);
    assert_eq!(codes(&report), ["catalogue/joined-name-taken"]);
    let text = report.to_string();
    assert!(text.contains("services.yaml:") && text.contains("api-v1.yaml:5"), "both places: {text}");

    let pair = [("a-b", "c", "one.example.org"), ("a", "b-c", "two.example.org")];
    let pair = pair.map(|(name, route, host)| extension(laboratory(name, name, host, route, "")));
    let report = catalogue::check_with(&catalogue, &[policy], &pair);
    assert_eq!(codes(&report), ["catalogue/joined-name-taken"]);
}

/// A host is reserved by a service whose profile is not selected and that has no origin, too.
#[test]
fn reserved_hosts_are_those_of_the_sites_domains() {
    let served = |host: &str| table(&[laboratory("icarus", "icarus", host, "web", "")]);
    let named = ["news.example.org", "support.example.org", "samples.example.net"];
    let site_api = ["site.pharos", "site.pharos.example.org"];
    let bound = ["www.example.org", "api.example.org", "archive.example.net", "www.example.net"];
    for taken in bound.iter().chain(&named).chain(&site_api) {
        assert_eq!(codes(&served(taken).unwrap_err()), ["extension/host-taken"], "{taken}");
    }
    for free in
        ["www.example.com", "support.example.com", "lab.example.org", "lab.site.pharos", "site.pharos.example.com"]
    {
        assert!(served(free).is_ok(), "{free}");
    }
}

#[test]
fn a_broken_extension_hides_no_fault_of_another() {
    let broken = Source::public("broken.yaml", "version: 1\nname: daedalus\nnamespace: daedalus\nroutes: []\n");
    let taken = laboratory("icarus", "shop", "icarus.example.org", "web", "");
    let report = site::check(&[source(RULES), source(POLICY), broken, Arc::clone(&taken)]);
    assert_eq!(codes(&report), ["document/length", "extension/namespace-taken"]);
    let alone = site::check(&[taken]);
    assert_eq!(codes(&alone), ["site/no-catalogue"]);
}

/// A laboratory needs a gateway in one of the environments, not in each.
#[test]
fn a_foundation_alone_is_no_obstacle_beside_a_site() {
    let given = || laboratory("icarus", "icarus", "icarus.example.org", "web", "");
    let report = site::check(&[source(RULES), source(FOUNDATION), source(POLICY), given()]);
    assert!(report.diagnostics().iter().all(|diagnostic| diagnostic.code.room() != "extension"), "{report}");
    assert_eq!(codes(&site::check(&[source(RULES), source(FOUNDATION), given()])), ["extension/no-gateway"]);
}

#[test]
fn what_is_registered_and_what_the_caller_gives() {
    let file = |laboratory: &Arc<Source>| RegisteredFile {
        name: laboratory.name().to_owned(),
        bytes: laboratory.text().as_bytes().to_vec(),
    };
    let names = |served: &[Arc<Source>]| served.iter().map(|source| source.name().to_owned()).collect::<Vec<_>>();
    let icarus = laboratory("icarus", "icarus", "icarus.example.org", "web", "");
    let daedalus = laboratory("daedalus", "daedalus", "daedalus.example.org", "web", "");
    let registered = [file(&daedalus), file(&icarus)];
    let path = |name: &str| format!("{}/{name}.yaml", extension::REGISTRY);

    let all = extension::served(&registered, None).unwrap();
    assert_eq!(names(&all), [path("daedalus"), path("icarus")]);
    let replaced = extension::served(&registered, Some(Given::Present(&icarus))).unwrap();
    assert_eq!(names(&replaced), [path("daedalus"), "icarus.yaml".to_owned()]);
    let removed = extension::served(&registered, Some(Given::Absent(&icarus))).unwrap();
    assert_eq!(names(&removed), [path("daedalus")]);

    // A damaged file is no obstacle for its own laboratory, and one for every other.
    let damaged = [RegisteredFile { name: "icarus.yaml".to_owned(), bytes: vec![0xff, 0xfe, 0x00] }];
    assert_eq!(names(&extension::served(&damaged, Some(Given::Present(&icarus))).unwrap()), ["icarus.yaml"]);
    assert!(extension::served(&damaged, Some(Given::Absent(&icarus))).unwrap().is_empty());
    let report = extension::served(&damaged, Some(Given::Present(&daedalus))).unwrap_err();
    assert!(codes(&report).contains(&"extension/registered-file".to_owned()), "{report}");
    assert!(report.to_string().contains(&path("icarus")), "{report}");

    // Who is to be removed must be said.
    let nameless = Source::public("nameless.yaml", "version: 1\n");
    assert!(extension::served(&registered, Some(Given::Absent(&nameless))).is_err());
}

/// Conflicts between a registered laboratory and the caller's name both files.
#[test]
fn a_conflict_with_a_registered_laboratory_names_both() {
    let icarus = laboratory("icarus", "icarus", "bench.example.org", "web", "");
    let registered = [RegisteredFile { name: "icarus.yaml".to_owned(), bytes: icarus.text().as_bytes().to_vec() }];
    let given = laboratory("daedalus", "daedalus", "bench.example.org", "web", "");
    let served = extension::served(&registered, Some(Given::Present(&given))).unwrap();
    let report = table(&served).unwrap_err();
    assert_eq!(codes(&report), ["extension/host-shared"]);
    let text = report.to_string();
    assert!(text.contains("/opt/pharos-edge/extensions/icarus.yaml:6") && text.contains("daedalus.yaml:6"), "{text}");
}

#[test]
fn a_laboratory_is_registered_only_when_it_is_served() {
    let laboratories = [laboratory("icarus", "icarus", "icarus.example.org", "web", "")];
    let table = table(&laboratories).unwrap();
    let name = "icarus".parse().unwrap();
    let live = |host: &str, route: &str| {
        let text = format!("server {{ server_name {host}; location / {{ set $pharos_route {route}; }} }}\n");
        Source::public("live.conf", &text)
    };
    let judged = |live: &Arc<Source>, pending| judge_served(&name, &table, Some(live), pending);
    let right = live("icarus.example.org", "icarus-web");
    assert!(judged(&right, false).is_ok());
    assert!(judged(&right, true).is_err(), "a reload is pending");
    assert!(judged(&live("other.example.org", "icarus-web"), false).is_err());
    assert!(judged(&live("icarus.example.org", "icarus-api"), false).is_err());
    assert!(judged(&Source::public("live.conf", "server {"), false).is_err());
}

/// What a laboratory may not be beside: the gateway and what keeps it alive.
#[test]
fn the_gateways_surroundings_are_no_laboratory() {
    let file = |path: &str| {
        let text = std::fs::read_to_string(crate::committed::repository().join(path)).unwrap();
        Source::public(path, &text)
    };
    let site = [file("catalogue/services.yaml"), file("environments/example/policy.yaml")];
    for (namespace, refused) in
        [("istio-system", true), ("kube-system", true), ("kube-public", true), ("icarus", false)]
    {
        let text = format!(
            "version: 1\nname: icarus\nnamespace: {namespace}\nroutes:\n  - {{name: web, host: icarus.example.net, match: {{prefix: /}}, \
             access: public, transport: http, backend: {{service: bench, port: 8080}}}}\n"
        );
        let report = site::check(&[site[0].clone(), site[1].clone(), Source::public("icarus.yaml", &text)]);
        let found = report.diagnostics().iter().any(|finding| finding.code.name() == "extension/namespace-taken");
        assert_eq!(found, refused, "{namespace}: {report}");
    }
}

/// A bundle is named by its reference; the name that it has beside the gateway is the gateway's affair.
#[test]
fn a_published_name_is_no_reference() {
    let workshop = |name: &str| source(&format!("core/tests/gateway/workshop/{name}"));
    let with = |trust: &str| {
        let backend = format!("{{service: bench, port: 8443, protocol: https, sni: bench.icarus.svc, trust: {trust}}}");
        let text = laboratory("icarus", "icarus", "icarus.example.org", "web", "").text().to_owned();
        let text = text.replace("{service: bench, port: 8080}", &backend);
        site::check(&[workshop("services.yaml"), workshop("policy.yaml"), Source::public("icarus.yaml", &text)])
    };
    let report = with("shop-vault-ca");
    assert_eq!(codes(&report), ["extension/unknown-trust"], "{report}");
    assert!(report.to_string().contains("write `trust: vault-ca`"), "{report}");
    for sound in ["vault-ca", "icarus-ca"] {
        assert!(with(sound).is_empty(), "{}", with(sound));
    }
    for slip in ["valt-ca", "icarus", "icarus-"] {
        assert!(with(slip).refuses(), "{slip}");
    }
}

/// What is proven of one environment does not wait for another, nor for a laboratory that is refused by itself.
#[test]
fn objects_are_proven_beside_other_faults() {
    let workshop = |name: &str| source(&format!("core/tests/gateway/workshop/{name}"));
    let folder = "core/tests/rejected/gateway/backend-disagreement.laboratories";
    let laboratory = source(&format!("{folder}/icarus.yaml"));
    let broken = Source::public("other.yaml", &workshop("policy.yaml").text().replace("31080", "31080000"));
    let report = site::check(&[workshop("services.yaml"), workshop("policy.yaml"), broken, laboratory]);
    assert!(codes(&report).contains(&"gateway/backend-disagreement".to_owned()), "{report}");
    assert!(codes(&report).contains(&"document/range".to_owned()), "{report}");
}

/// Bundles of laboratories and the gateway's own certificate are Secrets of one namespace.
#[test]
fn a_bundle_takes_no_others_place() {
    let text = |lab: &str| {
        let backend = "{service: bench, port: 8443, protocol: https, sni: bench.svc.test, trust: gw-b-ca}";
        let text = laboratory(lab, lab, &format!("{lab}.example.net"), "web", "").text().to_owned();
        Source::public(&format!("{lab}.yaml"), &text.replace("{service: bench, port: 8080}", backend))
    };
    let workshop = |name: &str| source(&format!("core/tests/gateway/workshop/{name}"));
    let (catalogue, policy) = (workshop("services.yaml"), workshop("policy.yaml"));
    let report = site::check(&[catalogue.clone(), policy.clone(), text("gw"), text("gw-b")]);
    assert_eq!(codes(&report), ["gateway/published-twice"], "{report}");

    let laboratories = [text("gw")];
    let sources = EdgeSources { catalogue: &catalogue, environment: &policy, laboratories: &laboratories };
    let mut mesh = site::Mesh::of(&sources).unwrap();
    assert!(mesh.objects().is_ok());
    mesh.settings.policy.certificate = Some("gw-b-ca".parse().unwrap());
    let report = mesh.objects().unwrap_err();
    assert_eq!(codes(&report), ["gateway/published-twice"], "{report}");
}
