//! Resolve and check: `cargo bench -p pharos-core --bench routes`. The documents are decoded beforehand; reading them is
//! measured beside it.

use divan::Bencher;
use pharos_core::catalogue::{self, CatalogueDocument};
use pharos_core::diagnostic::Source;
use pharos_core::document::{self, Document};
use pharos_core::policy::PolicyDocument;

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

#[divan::bench(args = ROUTES, sample_count = 10)]
fn read(bencher: Bencher<'_, '_>, routes: usize) {
    let text = synthetic::catalogue(100, routes / 100);
    bencher.bench(|| document::read::<CatalogueDocument>(&Source::public("services.yaml", &text)).unwrap());
}
