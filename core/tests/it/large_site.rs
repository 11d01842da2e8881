//! A site of any size, with every kind of route: for the tests of limits and for the benchmarks.

use std::fmt::Write as _;

use pharos_core::catalogue::CatalogueDocument;
use pharos_core::diagnostic::Source;
use pharos_core::document::{self, Document};
use pharos_core::edge::{CertificateMode, EdgeHost, NginxBuild};
use pharos_core::policy::EdgeEnvironment;

/// The routes of each host.
pub(crate) const ROUTES: usize = 40;

/// The text of a catalogue and of an edge environment with this many hosts.
pub(crate) fn texts(hosts: usize) -> (String, String) {
    let mut catalogue = "version: 1\ngateways: [mesh]\nbackends:\n  apps: {backend: [8080]}\nservices:\n".to_owned();
    let mut environment = "version: 1\nenvironment: large\nmode: development\norigins:\n".to_owned();
    for host in 0..hosts {
        let _ = writeln!(catalogue, "  - name: service-{host}\n    gateway: mesh\n    routes:");
        let _ = writeln!(environment, "  service-{host}: https://service-{host}.platform.example.org");
        for route in 0..ROUTES {
            let (kind, access) = match route % 8 {
                0 => ("transport: http\n        websocket: true\n        timeout: 3600", "public"),
                1 => {
                    ("transport: http\n        body: unlimited\n        timeout: 3600\n        stream: both", "public")
                }
                2 => ("transport: grpc\n        timeout: 600", "public"),
                3 => ("transport: http", "management"),
                4 => ("transport: http\n        encoded_slashes: true", "public"),
                _ => ("transport: http\n        body: 64MiB", "public"),
            };
            let (how, protocol) =
                (["prefix", "exact"][route % 3 % 2], if kind.contains("grpc") { "grpc" } else { "http" });
            let _ = writeln!(
                catalogue,
                "      - name: route-{route}\n        match: {{{how}: /v{}/part-{route}}}\n        access: {access}\n        {kind}\n        \
                 backend: {{service: backend, namespace: apps, port: 8080, protocol: {protocol}}}",
                route % 5
            );
        }
    }
    environment.push_str("gateway:\n  upstreams: [\"127.0.0.1:30080\", \"127.0.0.1:30081\"]\n");
    (catalogue, environment)
}

/// The documents, decoded.
pub(crate) fn documents(hosts: usize) -> (Document<CatalogueDocument>, Document<EdgeEnvironment>) {
    let (catalogue, environment) = texts(hosts);
    let catalogue =
        document::read(&Source::public("services.yaml", &catalogue)).unwrap_or_else(|report| panic!("{report}"));
    let environment =
        document::read(&Source::public("edge.yaml", &environment)).unwrap_or_else(|report| panic!("{report}"));
    (catalogue, environment)
}

/// A host for it.
pub(crate) fn host() -> EdgeHost {
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
