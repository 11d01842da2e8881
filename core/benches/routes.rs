//! Resolve, check and render: `cargo bench -p pharos-core --bench routes`. The documents are decoded beforehand; reading them is
//! measured beside it.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use divan::Bencher;
use pharos_core::catalogue::{self, CatalogueDocument};
use pharos_core::diagnostic::{Findings, Place, Source};
use pharos_core::document::{self, Document};
use pharos_core::edge::{CertificateMode, EdgeHost, NginxBuild, render};
use pharos_core::gateway::{self, GatewaySettings};
use pharos_core::policy::{self, PolicyDocument};

mod synthetic;

/// Routes in all: a hundred services, and these routes divided among them.
const ROUTES: [usize; 3] = [1_000, 3_000, 10_000];

fn main() {
    divan::main();
}

fn site(routes: usize) -> (Document<CatalogueDocument>, Document<PolicyDocument>) {
    let catalogue = Source::public("services.yaml", &synthetic::catalogue(100, routes / 100));
    let policy = Source::public("policy.yaml", &synthetic::policy(100));
    (document::read(&catalogue).unwrap(), document::read(&policy).unwrap())
}

#[divan::bench(args = ROUTES)]
fn check(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    let policies = [policy];
    bencher.bench(|| catalogue::check(&catalogue, &policies));
}

#[divan::bench(args = ROUTES)]
fn resolve(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    bencher.bench(|| catalogue::resolve(&catalogue, &policy).unwrap());
}

fn host() -> EdgeHost {
    EdgeHost {
        nginx: NginxBuild::parse("1.26.3").unwrap(),
        ipv6: true,
        listen_addresses: Vec::new(),
        certificates: CertificateMode::Certbot {
            webroot: "/var/www/pharos-acme".parse().unwrap(),
            issuer: None,
            staging: false,
        },
        existing: std::collections::BTreeMap::new(),
    }
}

/// Text of the HTTPS file from routes that are already resolved.
#[divan::bench(args = ROUTES)]
fn render_edge(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    let (table, _) = catalogue::resolve(&catalogue, &policy).unwrap();
    let (environment, host) = (policy::edge_environment(&policy).unwrap(), host());
    bencher.bench(|| render::https(&table, &environment, &host).unwrap().0.text());
}

/// The objects of the gateway from routes that are already resolved.
#[divan::bench(args = ROUTES)]
fn render_gateway(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    let (table, _) = catalogue::resolve(&catalogue, &policy).unwrap();
    let (settings, _) = GatewaySettings::of(&catalogue, &policy).unwrap();
    bencher.bench(|| gateway::render(&table, &settings).unwrap());
}

/// Their documents, as JSON.
#[divan::bench(args = ROUTES, sample_count = 10)]
fn write_gateway(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    let (table, _) = catalogue::resolve(&catalogue, &policy).unwrap();
    let (settings, _) = GatewaySettings::of(&catalogue, &policy).unwrap();
    let (objects, _) = gateway::render(&table, &settings).unwrap();
    bencher.bench(|| serde_json::to_vec(&objects).unwrap());
}

/// What `pharos check` proves over them.
#[divan::bench(args = ROUTES, sample_count = 10)]
fn prove_gateway(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    let (table, _) = catalogue::resolve(&catalogue, &policy).unwrap();
    let (settings, _) = GatewaySettings::of(&catalogue, &policy).unwrap();
    let (objects, _) = gateway::render(&table, &settings).unwrap();
    bencher.bench(|| {
        let mut findings = Findings::new();
        gateway::prove(&table, &objects, &settings, &|route| Place::named(route.id.as_str()), &mut findings);
        assert!(findings.is_empty());
    });
}

/// The whole way from decoded documents to the text of the edge and the objects of the gateway, both documents judged for each: the
/// row of the budget.
#[divan::bench(args = ROUTES)]
fn resolve_check_render_all(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    let (environment, host) = (policy::edge_environment(&policy).unwrap(), host());
    bencher.bench(|| {
        let (table, _) = catalogue::resolve(&catalogue, &policy).unwrap();
        let text = render::https(&table, &environment, &host).unwrap().0.text();
        let (settings, _) = GatewaySettings::of(&catalogue, &policy).unwrap();
        let bytes = gateway::render(&table, &settings).unwrap().0.virtual_services.len();
        (text, bytes)
    });
}

/// The same for the edge alone.
#[divan::bench(args = ROUTES)]
fn resolve_check_render(bencher: Bencher<'_, '_>, routes: usize) {
    let (catalogue, policy) = site(routes);
    let (environment, host) = (policy::edge_environment(&policy).unwrap(), host());
    bencher.bench(|| {
        let (table, _) = catalogue::resolve(&catalogue, &policy).unwrap();
        render::https(&table, &environment, &host).unwrap().0.text()
    });
}

#[divan::bench(args = ROUTES, sample_count = 10)]
fn read(bencher: Bencher<'_, '_>, routes: usize) {
    let text = synthetic::catalogue(100, routes / 100);
    bencher.bench(|| document::read::<CatalogueDocument>(&Source::public("services.yaml", &text)).unwrap());
}
