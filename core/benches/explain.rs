//! A question asked of a large site: `cargo bench -p pharos-core --bench explain`. The site is prepared beforehand, which is measured beside
//! it.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use divan::Bencher;
use pharos_core::explain::{Question, QuestionDocument, Site, Verdict};

mod synthetic;

/// Routes in all, divided among a hundred services.
const ROUTES: [usize; 3] = [1_000, 3_000, 10_000];

const SERVICES: usize = 100;

fn main() {
    divan::main();
}

fn texts(routes: usize) -> (String, String) {
    (synthetic::catalogue(SERVICES, routes / SERVICES), synthetic::policy(SERVICES))
}

fn site(routes: usize) -> Site {
    let (catalogue, policy) = texts(routes);
    let policy = ("environments/large/policy.yaml", policy.as_bytes());
    Site::of_files(("services.yaml", catalogue.as_bytes()), policy, &[]).unwrap()
}

fn question(url: &str) -> Question {
    Question::parse(&QuestionDocument { url: url.to_owned(), ..QuestionDocument::default() }).unwrap()
}

/// All hops of a request that reaches its backend, over TLS.
#[divan::bench(args = ROUTES)]
fn allowed(bencher: Bencher<'_, '_>, routes: usize) {
    let site = site(routes);
    let question = question("https://service-77.example.org/v1/part-6/a/../b?c=%2f");
    assert_eq!(site.explain(&question).unwrap().verdict(), Verdict::Allow);
    bencher.bench(|| site.explain(&question).unwrap());
}

/// The same with what is printed: every place is looked up and its line is read.
#[divan::bench(args = ROUTES)]
fn allowed_and_printed(bencher: Bencher<'_, '_>, routes: usize) {
    let site = site(routes);
    let question = question("https://service-77.example.org/v1/part-6/a/../b?c=%2f");
    bencher.bench(|| {
        let answer = site.explain(&question).unwrap();
        (pharos_core::explain::render(&answer), answer.view())
    });
}

/// A path that no route takes.
#[divan::bench(args = ROUTES)]
fn denied(bencher: Bencher<'_, '_>, routes: usize) {
    let site = site(routes);
    let question = question("https://service-77.example.org/v1/part-none");
    assert_eq!(site.explain(&question).unwrap().verdict(), Verdict::Deny);
    bencher.bench(|| site.explain(&question).unwrap());
}

/// Once a site: reading, judging, rendering edge and gateway, and the index.
#[divan::bench(args = ROUTES, sample_count = 5)]
fn prepare(bencher: Bencher<'_, '_>, routes: usize) {
    bencher.bench(|| site(routes));
}
