//! A site as large as one wants: the texts of a catalogue and of a policy that selects all of it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "writing to a text cannot fail, and the index is a remainder"
)]

use std::fmt::Write as _;

/// A catalogue of `services` services with `routes` routes each, of every kind that a real one has.
pub(crate) fn catalogue(services: usize, routes: usize) -> String {
    let mut text = String::from("version: 1\ngateways: [public]\ntrust: [internal-ca]\nbackends:\n");
    for namespace in 0..services {
        writeln!(text, "  ns-{namespace}:").unwrap();
        for kind in ["http", "grpc", "https"] {
            writeln!(text, "    {kind}-backend: [8080]").unwrap();
        }
    }
    text.push_str("services:\n");
    for service in 0..services {
        writeln!(text, "  - name: service-{service}\n    gateway: public\n    routes:").unwrap();
        for route in 0..routes {
            push_route(&mut text, service, route);
        }
    }
    push_mesh(&mut text, services);
    text
}

/// Where its gateway runs, and the pods behind each backend.
fn push_mesh(text: &mut String, services: usize) {
    text.push_str(
        "mesh:
  gateway: public
  namespace: istio-system
  pods: {istio: ingressgateway}
  http: {service: 80, pod: 8080}
  route_label: pharos.platform/route
  path_normalization: base
  egress:
    - {to: {pods: {namespace: mesh, labels: {app: control}}}, ports: [15012]}
  trust:
    internal-ca: {published: internal-ca}
  backends:
",
    );
    for namespace in 0..services {
        writeln!(text, "    ns-{namespace}:").unwrap();
        for kind in ["http", "grpc", "https"] {
            writeln!(text, "      {kind}-backend: {{pods: {{app: {kind}}}, ports: [{{service: 8080, pod: 8080}}]}}")
                .unwrap();
        }
    }
}

fn push_route(text: &mut String, service: usize, route: usize) {
    let kind = ["http", "http", "https", "grpc"][route % 4];
    let transport = if kind == "grpc" { "grpc" } else { "http" };
    let matching = if route.is_multiple_of(10) { "exact" } else { "prefix" };
    let tls = match kind {
        "https" => format!(", sni: https-backend.ns-{service}.svc, trust: internal-ca"),
        _ => String::new(),
    };
    let rest = match route % 8 {
        0 => "\n        websocket: true\n        timeout: 3600",
        1 => "\n        body: unlimited\n        timeout: 900\n        stream: both",
        2 => "\n        body: 64MiB",
        4 => "\n        stream: response",
        _ => "",
    };
    writeln!(
        text,
        "      - name: route-{route}
        match: {{{matching}: /v1/part-{route}/}}
        access: public
        transport: {transport}
        backend: {{service: {kind}-backend, namespace: ns-{service}, port: 8080, protocol: {kind}{tls}}}{rest}"
    )
    .unwrap();
}

/// A policy that binds each of `services` services to a host of its own.
pub(crate) fn policy(services: usize) -> String {
    let mut text = String::from(
        "version: 1
environment: large
mode: distributed
foundation:
  kubernetes: 1.33.5
  cni: {name: calico, version: 3.30.3}
edge:
  gateway:
    upstreams: [\"127.0.0.1:30088\"]
  origins:
",
    );
    for service in 0..services {
        writeln!(text, "    service-{service}: https://service-{service}.example.org").unwrap();
    }
    text.push_str("gateway:\n  node_port: 30088\n  edges: [192.0.2.10/32]\n");
    text
}
