//! Reading a large document: 10,000 routes.

use std::fmt::Write;

use pharos_core::diagnostic::Source;
use pharos_core::document;
use pharos_core::name::{DnsLabel, Namespace, PathMatch, Port};
use schemars::JsonSchema;
use serde::Deserialize;

fn main() {
    divan::main();
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Routes {
    version: u32,
    routes: Vec<Route>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Route {
    name: DnsLabel,
    r#match: PathMatch,
    access: Access,
    backend: Backend,
    #[serde(default)]
    websocket: bool,
    #[serde(default)]
    #[schemars(range(min = 1, max = 86_400))]
    timeout: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Access {
    /// Everybody.
    Public,
    /// A few.
    Management,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Backend {
    service: DnsLabel,
    namespace: Namespace,
    port: Port,
}

fn text(count: usize) -> String {
    let mut text = String::from("version: 1\nroutes:\n");
    for number in 0..count {
        let access = if number % 7 == 0 { "management" } else { "public" };
        let _ = write!(
            text,
            "  - name: route-{number}\n    match: {{prefix: /v1/service-{number}/}}\n    access: {access}\n    backend:\n      \
             service: api-{number}\n      namespace: pharos\n      port: 8080\n    websocket: true\n    timeout: 300\n"
        );
    }
    text
}

#[divan::bench(args = [1_000, 10_000])]
fn read(bencher: divan::Bencher<'_, '_>, count: usize) {
    let text = text(count);
    let source = Source::public("routes.yaml", &text);
    bencher.counter(divan::counter::BytesCount::new(text.len())).bench(|| document::read::<Routes>(&source));
}

#[divan::bench(args = [1_000, 10_000])]
fn outline(bencher: divan::Bencher<'_, '_>, count: usize) {
    let text = text(count);
    let source = Source::public("routes.yaml", &text);
    bencher.counter(divan::counter::BytesCount::new(text.len())).bench(|| document::outline(&source));
}

#[divan::bench(args = [10_000])]
fn events(bencher: divan::Bencher<'_, '_>, count: usize) {
    let text = text(count);
    bencher
        .counter(divan::counter::BytesCount::new(text.len()))
        .bench(|| granit_parser::Parser::new_from_str(&text).count());
}
