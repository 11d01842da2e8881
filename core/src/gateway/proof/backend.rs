//! Every HTTPS backend is verified as its route says.

use std::collections::{HashMap, HashSet};

use super::selectors::{Takes, takes_gateway};
use super::sites::is_exported;
use super::{Proof, first_request};
use crate::catalogue::{Backend, BackendProtocol, PublishedTrust, RecognisedBy, RouteTable};
use crate::diagnostic::Place;
use crate::gateway::kind::{ClientTls, ConfigPatch, DestinationRuleSpec, Object, Text};
use crate::gateway::{GatewaySettings, Objects, TRUST_LABEL, codes, service_host};
use crate::name::{CertificateFingerprint, DnsLabel, HostName};

pub(super) fn prove(table: &RouteTable, objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let spoken = Spoken::of(objects, proof.settings);
    let (mut seen, mut hosts) = (HashSet::new(), HashSet::new());
    for (origin, route) in table.routes() {
        let backend = &route.backend;
        if !seen.insert((&backend.namespace, &backend.service, backend.port, &backend.protocol)) {
            continue;
        }
        let host = service_host(&backend.service, &backend.namespace, &proof.settings.mesh.cluster_domain);
        let asked = first_request(origin.host().as_str(), route);
        if let Some(why) = spoken.unlike(backend, &host, proof.settings) {
            let words = format!("`{asked}` reaches `{}.{}` {why}", backend.service, backend.namespace);
            proof.fails(codes::BACKEND_WITHOUT_TRUST, route, words);
        }
        hosts.insert(host);
    }
    for rule in objects.destination_rules.iter().filter(|rule| !hosts.contains(rule.spec.host.as_ref())) {
        let Object { metadata, spec, .. } = rule;
        let words = format!("rule `{}` says how `{}` is spoken to, which no route reaches", metadata.name, spec.host);
        proof.fails_at(codes::BACKEND_WITHOUT_TRUST, Place::named(&metadata.name), words);
    }
}

/// How the gateway speaks to backends.
struct Spoken<'o> {
    /// The rules for a Service. Istio makes one of several, as it finds them.
    rules: HashMap<&'o str, Vec<&'o Object<'o, DestinationRuleSpec<'o>>>>,
    /// The fingerprints that the certificates of a cluster are held against: those of several patches add up.
    hashes: HashMap<&'o str, Vec<&'o Text<'o>>>,
    /// Of a Secret, the reference whose bundle is in it.
    bundles: HashMap<&'o str, &'o str>,
}

impl<'o> Spoken<'o> {
    /// What the gateway's pods are told.
    fn of(objects: &'o Objects<'o>, settings: &GatewaySettings) -> Self {
        let own = settings.mesh.namespace.as_str();
        let mut spoken = Self { rules: HashMap::new(), hashes: HashMap::new(), bundles: HashMap::new() };
        let rules = objects.destination_rules.iter().filter(|rule| rule.metadata.namespace == own);
        for rule in rules.filter(|rule| is_exported(rule.spec.export_to)) {
            spoken.rules.entry(rule.spec.host.as_ref()).or_default().push(rule);
        }
        for filter in &objects.envoy_filters {
            if takes_gateway(&filter.metadata, &filter.spec.workload_selector.labels, settings) == Takes::Surely {
                for patch in filter.spec.config_patches.iter().filter(|patch| is_merged(patch)) {
                    let context = &patch.patch.value.transport_socket.typed_config.common_tls_context;
                    let hashes =
                        &context.combined_validation_context.default_validation_context.verify_certificate_hash;
                    spoken.hashes.entry(patch.matches.cluster.name.as_str()).or_default().extend(hashes);
                }
            }
        }
        for secret in objects.secrets.iter().filter(|secret| secret.metadata.namespace == own) {
            let reference = secret.metadata.labels.get(TRUST_LABEL).unwrap_or("nobody");
            spoken.bundles.insert(secret.metadata.name.as_ref(), reference);
        }
        spoken
    }

    /// How a backend is reached in a way that its route does not say.
    fn unlike(&self, backend: &Backend, host: &str, settings: &GatewaySettings) -> Option<String> {
        let rules = self.rules.get(host).map_or(&[][..], Vec::as_slice);
        if let [one, other, ..] = rules {
            return Some(format!("as rule `{}` says or as rule `{}` does", one.metadata.name, other.metadata.name));
        }
        let ports = rules.iter().flat_map(|rule| &rule.spec.traffic_policy.port_level_settings);
        let tls: Vec<&ClientTls<'_>> = ports
            .filter(|policy| policy.port.number == backend.port.get())
            .filter_map(|policy| policy.tls.as_ref())
            .collect();
        let hashes = self.hashes.get(format!("outbound|{}||{host}", backend.port).as_str());
        let hashes = hashes.map_or(&[][..], Vec::as_slice);
        match (&backend.protocol, tls.as_slice()) {
            (BackendProtocol::Http | BackendProtocol::Grpc, []) if hashes.is_empty() => None,
            (BackendProtocol::Http | BackendProtocol::Grpc, _) => Some("over TLS, which it does not speak".to_owned()),
            (BackendProtocol::Https { .. }, []) => Some("in plain text".to_owned()),
            (BackendProtocol::Https { .. }, [_, _, ..]) => Some("in two ways, as its port is stated twice".to_owned()),
            (BackendProtocol::Https { sni, trust }, [tls]) => self.unverified(tls, hashes, sni, trust, settings),
        }
    }

    /// How a certificate is verified otherwise than by the bundle, the name and the fingerprints of its route.
    fn unverified(
        &self,
        tls: &ClientTls<'_>,
        hashes: &[&Text<'_>],
        sni: &HostName,
        trust: &DnsLabel,
        settings: &GatewaySettings,
    ) -> Option<String> {
        let published: Option<&PublishedTrust> = settings.mesh.trust.get(trust);
        let secret = published.map_or(trust, |published| &published.published).as_str();
        if tls.mode != "SIMPLE" || tls.credential_name.is_empty() {
            return Some("without the certificates to verify it by".to_owned());
        }
        if tls.credential_name != secret {
            return Some(format!(
                "verified by `{}`, and not by the bundle of `{trust}` in `{secret}`",
                tls.credential_name
            ));
        }
        if let Some(other) = self.bundles.get(secret).filter(|other| **other != trust.as_str()) {
            return Some(format!("verified by the bundle of `{other}`, which is in `{secret}`, and not of `{trust}`"));
        }
        if tls.sni != sni.as_str() {
            return Some(format!("by the name `{}`, not `{sni}`", tls.sni));
        }
        let by_hash = published.is_some_and(|published| published.recognised_by == RecognisedBy::Fingerprint);
        if hashes.is_empty() && (by_hash || tls.subject_alt_names.is_empty()) {
            return Some("whoever of its authority it is: neither name nor fingerprint is verified".to_owned());
        }
        let names: &[&str] = if by_hash { &[] } else { &[sni.as_str()] };
        let hashes = hashes.iter().copied().map(AsRef::as_ref);
        let stated = settings.policy.fingerprints.get(trust).filter(|_| by_hash).into_iter().flatten();
        differ("name", tls.subject_alt_names.iter().map(AsRef::as_ref), names.iter().copied())
            .or_else(|| differ("fingerprint", hashes, stated.map(CertificateFingerprint::as_str)))
    }
}

/// Whether a patch adds to what Istio gives the gateway's cluster.
fn is_merged(patch: &ConfigPatch<'_>) -> bool {
    (patch.apply_to, patch.matches.context, patch.patch.operation) == ("CLUSTER", "GATEWAY", "MERGE")
        && patch.patch.value.transport_socket.name == "envoy.transport_sockets.tls"
}

/// What a certificate is recognised by and is not stated, or the other way round.
fn differ<'t>(
    what: &str,
    found: impl Iterator<Item = &'t str>,
    stated: impl Iterator<Item = &'t str>,
) -> Option<String> {
    let (found, stated): (HashSet<&str>, HashSet<&str>) = (found.collect(), stated.collect());
    let surplus = found.difference(&stated).min();
    let missing = stated.difference(&found).min();
    surplus
        .map(|one| format!("recognised by {what} `{one}`, which its route does not state"))
        .or_else(|| missing.map(|one| format!("not recognised by {what} `{one}`, which its route states")))
}
