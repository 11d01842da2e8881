//! Each proof over the objects of a gateway finds the fault that it is there for, and nothing in sound ones.

mod access;
mod backends;
mod listeners;
mod networks;
mod routes;

use pharos_core::catalogue::{self, Owner, RouteTable};
use pharos_core::diagnostic::{Findings, Place, Report};
use pharos_core::gateway::kind::{AuthorizationPolicySpec, HttpRoute, Object};
use pharos_core::gateway::{self, GatewaySettings, Objects};

use crate::committed;
use crate::gateway::Site;

fn proven(table: &RouteTable, objects: &Objects<'_>, settings: &GatewaySettings) -> Report {
    let mut findings = Findings::new();
    gateway::prove(table, objects, settings, &|route| Place::named(route.id.as_str()), &mut findings);
    findings.into_report()
}

#[test]
fn every_committed_site_is_proven() {
    let committed = committed::environments().into_iter().filter_map(|environment| {
        let resolved = Site::committed(&environment).resolved().ok()?;
        Some((environment, resolved))
    });
    let explained = Site {
        catalogue: committed::file("core/tests/explain/catalogue.yaml"),
        policy: committed::file("core/tests/explain/policy.yaml"),
    };
    let explained = explained.resolved().unwrap_or_else(|report| panic!("{report}"));
    for (environment, (table, settings)) in committed.chain([("explain".to_owned(), explained)]) {
        let (objects, _) = gateway::render(&table, &settings).unwrap();
        let report = proven(&table, &objects, &settings);
        assert!(report.is_empty(), "{environment}: {report}");
    }
}

/// A site that is odd and sound: what is replaced in which of the workshop's documents, the catalogue (`true`) or the policy.
type Variant = (&'static str, &'static [(bool, &'static str, &'static str)]);

const SOUND: &[Variant] = &[
    ("pods of two Services", &[(true, "pods: {app: admin}", "pods: {app: web}")]),
    (
        "pods of two Services, one of which keeps its own policy",
        &[(true, "pods: {app: admin}\n", "pods: {app: web}\n        ingress: application\n")],
    ),
    ("pods among pods", &[(true, "pods: {app: admin}", "pods: {app: web, tier: admin}")]),
    (
        "a network within a network",
        &[(
            true,
            "  egress:\n",
            "  egress:\n    - {to: {network: 10.96.0.0/24}, ports: [53], protocols: [udp, tcp]}\n    \
             - {to: {network: 10.96.0.10/32}, ports: [53], protocols: [udp]}\n",
        )],
    ),
    (
        "an edge within a network",
        &[(false, "[198.51.100.7/32]", "[198.51.100.0/24, 198.51.100.7/32, 2001:db8::7/128]")],
    ),
    ("the port that nobody writes", &[(false, "https://shop.example.org:8443", "https://shop.example.org")]),
    (
        "callers without an edge",
        &[(true, "access: management", "access: public"), (false, "  edges: [198.51.100.7/32]\n", "")],
    ),
    (
        "paths next to each other",
        &[
            (true, "match: {exact: /admin/help/audit}", "match: {exact: /admin/}"),
            (true, "match: {prefix: /admin/help/}", "match: {prefix: /adm}"),
            (true, "match: {prefix: /live}", "match: {prefix: /admin/~any}"),
        ],
    ),
];

#[test]
fn an_odd_site_is_proven() {
    for (what, changes) in SOUND {
        let site = Site::workshop();
        let mut texts = [site.catalogue.source().text().to_owned(), site.policy.source().text().to_owned()];
        for (in_catalogue, from, to) in *changes {
            let text = &mut texts[usize::from(!in_catalogue)];
            assert!(text.contains(from), "{what}: {from}");
            *text = text.replace(from, to);
        }
        let site = Site {
            catalogue: committed::parsed("services.yaml", &texts[0]),
            policy: committed::parsed("policy.yaml", &texts[1]),
        };
        let (table, settings) = site.resolved().unwrap_or_else(|report| panic!("{what}: {report}"));
        let (objects, _) = gateway::render(&table, &settings).unwrap();
        let report = proven(&table, &objects, &settings);
        assert!(report.is_empty(), "{what}: {report}");
    }
}

/// A fault of the rendering, the code that finds it, and words of the counterexample.
type Fault = (&'static str, fn(&mut Objects<'_>), &'static str, &'static str);

fn policy<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut Object<'a, AuthorizationPolicySpec<'a>> {
    objects.authorization_policies.iter_mut().find(|policy| policy.metadata.name == name).unwrap()
}

fn http_route<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut HttpRoute<'a> {
    let mut routes = objects.virtual_services.iter_mut().flat_map(|service| &mut service.spec.http);
    routes.find(|route| route.name == name).unwrap()
}

const CONFLICTS: &[Fault] = &[
    (
        "a host that is served twice",
        |objects| {
            let mut second = objects.virtual_services[0].clone();
            second.metadata.name = "another".into();
            objects.virtual_services.push(second);
        },
        "gateway/laboratory-conflict",
        "`GET https://calls.example.org/` is asked of service `calls` and of service `calls`",
    ),
    (
        "an object that is there twice",
        |objects| objects.gateways.push(objects.gateways[0].clone()),
        "gateway/laboratory-conflict",
        "both have Gateway `calls-all` of namespace `mesh`",
    ),
    (
        "an object without its mark",
        |objects| objects.gateways[0].metadata.labels = gateway::kind::Map::default(),
        "gateway/laboratory-conflict",
        "Gateway `calls-all` of service `calls` lacks the label `shop.example/route`",
    ),
];

#[test]
fn each_fault_is_found() {
    let all = [access::FAULTS, backends::FAULTS, listeners::FAULTS, networks::FAULTS, routes::FAULTS, CONFLICTS];
    are_found(&Site::workshop(), &all.concat());
}

#[test]
fn each_fault_of_a_gateway_over_tls_is_found() {
    let Site { catalogue, policy } = Site::workshop();
    let changed = |document: &str, from: &str, to: &str| {
        assert!(document.contains(from), "{from}");
        document.replace(from, to)
    };
    let catalogue = changed(
        catalogue.source().text(),
        "  cluster_domain:",
        "  https: {service: 443, pod: 10443}\n  cluster_domain:",
    );
    let policy = changed(policy.source().text(), "\ngateway:\n", "\ngateway:\n  certificate: front-tls\n");
    let policy = changed(
        &policy,
        "    upstreams:",
        "    protocol: https\n    sni: front.example.org\n    trust: /etc/ssl/front.pem\n    upstreams:",
    );
    let site = Site {
        catalogue: committed::parsed("services.yaml", &catalogue),
        policy: committed::parsed("policy.yaml", &policy),
    };
    are_found(&site, listeners::TLS_FAULTS);
}

#[test]
fn each_fault_of_a_laboratory_is_found() {
    let site = Site::workshop();
    let laboratory = "version: 1\nname: icarus\nnamespace: bench\nroutes:\n  - name: web\n    host: icarus.lab.example\n    \
                      match: {prefix: /}\n    access: public\n    transport: http\n    \
                      backend: {service: bench, port: 8080}\n";
    let laboratory = committed::parsed("icarus.yaml", laboratory);
    let resolved = catalogue::resolve_with(&site.catalogue, &site.policy, &[laboratory]);
    let (table, _) = resolved.unwrap_or_else(|report| panic!("{report}"));
    let (_, settings) = site.resolved().unwrap_or_else(|report| panic!("{report}"));
    are_found_in(&table, &settings, networks::LABORATORY_FAULTS);
}

fn are_found(site: &Site, faults: &[Fault]) {
    let (table, settings) = site.resolved().unwrap_or_else(|report| panic!("{report}"));
    are_found_in(&table, &settings, faults);
}

fn are_found_in(table: &RouteTable, settings: &GatewaySettings, faults: &[Fault]) {
    let (sound, _) = gateway::render(table, settings).unwrap_or_else(|report| panic!("{report}"));
    let report = proven(table, &sound, settings);
    assert!(report.is_empty(), "{report}");
    for (what, spoil, code, words) in faults {
        let mut objects = sound.clone();
        spoil(&mut objects);
        let report = proven(table, &objects, settings);
        let found =
            report.diagnostics().iter().any(|finding| finding.code.name() == *code && finding.message.contains(words));
        assert!(found, "{what} is not found as {code}, but:\n{report}");
    }
}

#[test]
fn an_object_of_all_has_no_owner() {
    let (table, settings) = Site::workshop().resolved().unwrap_or_else(|report| panic!("{report}"));
    let (objects, _) = gateway::render(&table, &settings).unwrap();
    let shared: Vec<String> = objects
        .manifests()
        .filter(|manifest| manifest.owner.is_none())
        .map(|manifest| format!("{} {}", manifest.kind, manifest.name))
        .collect();
    assert_eq!(shared, ["Service front", "NetworkPolicy front-ingress", "NetworkPolicy front-egress"]);
    assert!(objects.manifests().all(|manifest| !matches!(manifest.owner, Some(Owner::Laboratory(_)))));
}
