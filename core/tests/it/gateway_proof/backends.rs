//! Faults of how a backend is spoken to.

use pharos_core::gateway::kind::{ClientTls, DestinationRuleSpec, Map, Metadata, Object, Routes, SecretData, Text};
use pharos_core::gateway::{Objects, TRUST_LABEL};

use super::Fault;

fn rule<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut Object<'a, DestinationRuleSpec<'a>> {
    objects.destination_rules.iter_mut().find(|rule| rule.metadata.name == name).unwrap()
}

fn client_tls<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut ClientTls<'a> {
    rule(objects, name).spec.traffic_policy.port_level_settings[0].tls.as_mut().unwrap()
}

fn hashes<'o, 'a>(objects: &'o mut Objects<'a>) -> &'o mut Vec<Text<'a>> {
    let context = &mut objects.envoy_filters[0].spec.config_patches[0].patch.value.transport_socket.typed_config;
    let validation = &mut context.common_tls_context.combined_validation_context;
    &mut validation.default_validation_context.verify_certificate_hash
}

pub(super) const FAULTS: &[Fault] = &[
    (
        "no rule for an HTTPS backend",
        |objects| objects.destination_rules.retain(|rule| rule.metadata.name != "vault-ui"),
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` in plain text",
    ),
    (
        "a name that is not verified",
        |objects| {
            client_tls(objects, "vault-ui").subject_alt_names.clear();
        },
        "gateway/backend-without-trust",
        "neither name nor fingerprint",
    ),
    (
        "the bundle of another route",
        |objects| client_tls(objects, "vault-ui").credential_name = "shop-drive-ca".into(),
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` verified by `shop-drive-ca`, and not by the bundle of \
         `vault-ca` in `shop-vault-ca`",
    ),
    (
        "the bundle of another route under the name of the right one",
        |objects| {
            let labels = Map::of(TRUST_LABEL, "drive-ca");
            let metadata = Metadata { name: "shop-vault-ca".into(), namespace: "mesh".into(), labels };
            objects.secrets.push(Object { metadata, spec: SecretData(Vec::new()), routes: Routes::NONE });
        },
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` verified by the bundle of `drive-ca`",
    ),
    (
        "another SNI",
        |objects| client_tls(objects, "vault-ui").sni = "drive.drive.svc".into(),
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` by the name `drive.drive.svc`, not `vault.vault.svc`",
    ),
    (
        "another name",
        |objects| client_tls(objects, "vault-ui").subject_alt_names = vec!["drive.drive.svc".into()],
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` recognised by name `drive.drive.svc`",
    ),
    (
        "a name too many",
        |objects| client_tls(objects, "vault-ui").subject_alt_names.push("drive.drive.svc".into()),
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` recognised by name `drive.drive.svc`",
    ),
    (
        "a name where there is none",
        |objects| client_tls(objects, "drive-all").subject_alt_names.push("drive.drive.svc".into()),
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive` recognised by name `drive.drive.svc`",
    ),
    (
        "a fingerprint that nobody stated",
        |objects| hashes(objects).push("aa".repeat(32).into()),
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive` recognised by fingerprint `aaaa",
    ),
    (
        "a fingerprint too few",
        |objects| hashes(objects).truncate(1),
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive` not recognised by fingerprint `ffee",
    ),
    (
        "a second filter with a fingerprint of its own",
        |objects| {
            let mut second = objects.envoy_filters[0].clone();
            second.metadata.name = "second".into();
            objects.envoy_filters.push(second);
            hashes(objects)[0] = "aa".repeat(32).into();
        },
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive` recognised by fingerprint `aaaa",
    ),
    (
        "a fingerprint for a backend that has a name",
        |objects| {
            let cluster = &mut objects.envoy_filters[0].spec.config_patches[0].matches.cluster;
            cluster.name = String::from("outbound|8200||vault.vault.svc.corp.internal");
        },
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` recognised by fingerprint `0011",
    ),
    (
        "fingerprints for other pods",
        |objects| objects.envoy_filters[0].spec.workload_selector.labels = Map::of("app", "back").into(),
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive` whoever of its authority it is",
    ),
    (
        "a filter of another namespace",
        |objects| objects.envoy_filters[0].metadata.namespace = "shop".into(),
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive` whoever of its authority it is",
    ),
    (
        "a rule of another namespace",
        |objects| rule(objects, "vault-ui").metadata.namespace = "vault".into(),
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` in plain text",
    ),
    (
        "a rule that is seen nowhere",
        |objects| rule(objects, "vault-ui").spec.export_to = ["~"],
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` in plain text",
    ),
    (
        "a second rule for a backend",
        |objects| {
            let mut second = rule(objects, "vault-ui").clone();
            second.metadata.name = "second".into();
            objects.destination_rules.push(second);
        },
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` as rule `vault-ui` says or as rule `second` does",
    ),
    (
        "a rule for more than a Service",
        |objects| {
            let mut second = rule(objects, "vault-ui").clone();
            second.metadata.name = "second".into();
            second.spec.host = "*.shop.svc.corp.internal".into();
            objects.destination_rules.push(second);
        },
        "gateway/backend-without-trust",
        "rule `second` says how `*.shop.svc.corp.internal` is spoken to, which no route reaches",
    ),
    (
        "a fingerprint for another cluster",
        |objects| {
            objects.envoy_filters[0].spec.config_patches[0].matches.cluster.name = String::from("outbound|443||drive");
        },
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive`",
    ),
];
