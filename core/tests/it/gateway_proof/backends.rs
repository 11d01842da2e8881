//! Faults of how a backend is spoken to.

use super::Fault;

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
            let rule = objects.destination_rules.iter_mut().find(|rule| rule.metadata.name == "vault-ui").unwrap();
            rule.spec.traffic_policy.port_level_settings[0].tls.as_mut().unwrap().subject_alt_names.clear();
        },
        "gateway/backend-without-trust",
        "neither name nor fingerprint",
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
