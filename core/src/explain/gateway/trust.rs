//! How the gateway verifies a backend: Istio's `DestinationRule` and the `EnvoyFilter` of a certificate without names.

use std::collections::{BTreeMap, HashMap};

use crate::explain::question::Presented;
use crate::gateway::Objects;

/// How a port of a Service is verified.
pub(in crate::explain) struct Verified {
    /// `namespace/name` of the destination rule.
    pub(in crate::explain) object: Box<str>,
    /// The Secret of the CA bundle.
    pub(in crate::explain) bundle: Box<str>,
    /// The name that is sent as SNI.
    pub(in crate::explain) sni: Box<str>,
    /// The names of which the certificate must have one.
    pub(in crate::explain) names: Vec<Box<str>>,
    /// The fingerprints of which it must have one.
    pub(in crate::explain) fingerprints: Vec<Box<str>>,
}

/// Why a backend's certificate is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::explain) enum Unverified {
    /// Another CA signed it.
    Authority,
    /// It has none of the names.
    Name,
    /// It has none of the fingerprints.
    Fingerprint,
}

impl Verified {
    /// Holds it against what a backend presents; `bundle` gives the Secret that holds a trust reference's CA.
    pub(in crate::explain) fn refuses(
        &self,
        presented: &Presented,
        bundle: impl Fn(&str) -> String,
    ) -> Option<Unverified> {
        if bundle(presented.signed_by.as_str()) != *self.bundle {
            return Some(Unverified::Authority);
        }
        if !self.names.is_empty() && !self.names.iter().any(|name| presented.names.iter().any(|own| covers(own, name)))
        {
            return Some(Unverified::Name);
        }
        let known = self.fingerprints.iter().any(|print| presented.sha256.as_deref() == Some(&**print));
        (!self.fingerprints.is_empty() && !known).then_some(Unverified::Fingerprint)
    }
}

/// Whether a name of a certificate covers a host name: it is the same, or has a `*` for its first label.
pub(in crate::explain) fn covers(own: &str, name: &str) -> bool {
    let rest = |text: &str| text.split_once('.').map(|(_, rest)| rest.to_ascii_lowercase());
    own.eq_ignore_ascii_case(name) || (own.starts_with("*.") && rest(own) == rest(name))
}

/// How each Service is verified, by its full name and port; one without an entry is spoken to in plain text.
pub(super) struct Trust(HashMap<Box<str>, BTreeMap<u16, Verified>>);

impl Trust {
    pub(super) fn of(objects: &Objects<'_>) -> Self {
        let patches: HashMap<&str, &[crate::gateway::kind::Text<'_>]> = objects
            .envoy_filters
            .iter()
            .flat_map(|filter| &filter.spec.config_patches)
            .map(|patch| {
                let tls = &patch.patch.value.transport_socket.typed_config.common_tls_context;
                let validation = &tls.combined_validation_context.default_validation_context;
                (patch.matches.cluster.name.as_str(), validation.verify_certificate_hash.as_slice())
            })
            .collect();
        let texts = |texts: &[crate::gateway::kind::Text<'_>]| texts.iter().map(|text| text.as_ref().into()).collect();
        let mut hosts: HashMap<Box<str>, BTreeMap<u16, Verified>> = HashMap::new();
        for rule in &objects.destination_rules {
            for policy in &rule.spec.traffic_policy.port_level_settings {
                let Some(tls) = &policy.tls else { continue };
                let port = policy.port.number;
                let cluster = format!("outbound|{port}||{}", rule.spec.host);
                let verified = Verified {
                    object: super::named(&rule.metadata),
                    bundle: tls.credential_name.as_ref().into(),
                    sni: tls.sni.as_ref().into(),
                    names: texts(&tls.subject_alt_names),
                    fingerprints: texts(patches.get(cluster.as_str()).copied().unwrap_or_default()),
                };
                hosts.entry(rule.spec.host.as_ref().into()).or_default().insert(port, verified);
            }
        }
        Self(hosts)
    }

    pub(super) fn of_service(&self, service: &str, port: u16) -> Option<&Verified> {
        self.0.get(service)?.get(&port)
    }
}
