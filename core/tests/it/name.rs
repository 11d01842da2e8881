//! Names, as documents state them: every bad name of a document is reported at once.

use std::collections::BTreeMap;

use pharos_core::diagnostic::Report;
use pharos_core::document;
use pharos_core::name::{
    AbsolutePath, CertificateFingerprint, DnsLabel, EdgeVariable, FORMATS, HostName, KubernetesService, LabelKey,
    LabelValue, ListenAddress, MailAddress, Network, NodeAddress, NodeName, Origin, RepositoryUrl, RoleVariable,
    ServiceName, SocketAddress, UrlPath,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

/// A document with every kind of name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read, and refused")]
struct Names {
    #[serde(default)]
    labels: Vec<DnsLabel>,
    #[serde(default)]
    services: Vec<KubernetesService>,
    #[serde(default)]
    hosts: Vec<HostName>,
    #[serde(default)]
    origins: BTreeMap<ServiceName, Origin>,
    #[serde(default)]
    paths: Vec<UrlPath>,
    #[serde(default)]
    networks: Vec<Network>,
    #[serde(default)]
    addresses: Vec<SocketAddress>,
    #[serde(default)]
    listen: Vec<ListenAddress>,
    #[serde(default)]
    variables: Vec<EdgeVariable>,
    #[serde(default)]
    role_variables: Vec<RoleVariable>,
    #[serde(default)]
    files: Vec<AbsolutePath>,
    #[serde(default)]
    senders: Vec<MailAddress>,
    #[serde(default)]
    nodes: BTreeMap<NodeName, NodeAddress>,
    #[serde(default)]
    repositories: Vec<RepositoryUrl>,
    #[serde(default)]
    selectors: Vec<BTreeMap<LabelKey, LabelValue>>,
    #[serde(default)]
    fingerprints: Vec<CertificateFingerprint>,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    refused(document::read::<Names>(&fixture.source()))
}

/// Each pattern admits what its check admits, and is one that engines without look-around can use.
#[test]
fn patterns_admit_every_name() {
    let names: &[(&str, &[&str])] = &[
        ("dns-label", &["a", "0", "site-api", "a--b"]),
        ("service-label", &["a", "site-api", "a1"]),
        ("host-name", &["a.b", "platform.example.org", "xn--nxasmq6b.test", "icarus.127.0.0.1.sslip.io"]),
        ("origin", &["https://a.b", "http://a.b", "https://a.b:8443"]),
        ("url-path", &["/", "/a/b.c/~d", "/.well-known/acme-challenge/", "/a!b&c+d,e=f:g@h_i-j"]),
        ("network", &["192.0.2.0/24", "::/0", "2001:db8::/32", "64:ff9b::192.0.2.0/120"]),
        ("absolute-path", &["/etc/ssl/a b.pem"]),
        ("socket-address", &["192.0.2.1:1", "[2001:db8::1]:65535"]),
        ("listen-address", &["0.0.0.0", "::", "192.0.2.1", "2001:db8::1"]),
        ("node-name", &["n1", "0", "n1.rack-2.example.org"]),
        ("node-address", &["192.0.2.1", "2001:db8::1", "n1", "N_1.Example.org"]),
        ("edge-variable", &["edge_acme_email", "edge_listen_addresses"]),
        ("role-variable", &["mesh_kubeconfig", "helm_release_wanted"]),
        ("mail-address", &["a@b.c", "first.last+tag@mail.example.org"]),
        ("repository", &["https://a.b:8443/c/D_e.git", "ssh://git@a.b/c.git"]),
        ("label-key", &["a", "app.kubernetes.io/name", "A_b.c", "pharos.platform/route"]),
        ("label-value", &["", "a", "A_b.c-1"]),
        ("certificate-fingerprint", &["00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"]),
    ];
    for format in FORMATS {
        let schema = serde_json::json!({ "pattern": format.pattern });
        let options = jsonschema::options().with_pattern_options(jsonschema::PatternOptions::regex());
        let validator = options.build(&schema).unwrap();
        let (_, samples) = names.iter().find(|(word, _)| *word == format.word).expect("samples for each format");
        for sample in *samples {
            (format.check)(sample).unwrap_or_else(|error| panic!("{error}"));
            assert!(validator.is_valid(&(*sample).into()), "{} does not match {}", sample, format.pattern);
        }
    }
}
