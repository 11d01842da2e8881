//! Which objects are to be applied.

use serde_json::{Value, json};

use super::codes;
use super::found::{Found, ObjectPlace, Read};
use crate::catalogue::{MeshDocument, PublishedTrust, TrustSource};
use crate::certificate::{CertificateSummary, Input, Remaining, UnixTime, describe};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::foundation::stages::Stage;
use crate::gateway::{self, TRUST_KEY, TRUST_LABEL};
use crate::name::DnsLabel;

/// A trust as it is to be published.
#[derive(Clone, Debug, PartialEq)]
pub struct Publication {
    /// The reference.
    pub reference: DnsLabel,
    /// The namespace that it is published in.
    pub namespace: String,
    /// The name that it is published under, as a `ConfigMap` and as a Secret.
    pub name: String,
    /// SHA-256 of each certificate, in the order of the bundle.
    pub fingerprints: Vec<String>,
    /// The objects that are to be applied; none if it is published as it is to be.
    pub apply: Vec<Value>,
}

/// The objects that a decision depends on: what every trust is published from, and what it is published as.
pub fn places(mesh: &MeshDocument) -> Vec<ObjectPlace> {
    let place = |kind: &str, namespace: &str, name: &str| ObjectPlace {
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let published = mesh.trust.values().filter_map(|known| Some((known, known.source.as_ref()?)));
    published
        .flat_map(|(known, source)| {
            let (namespace, name) = (mesh.namespace.as_str(), known.published.as_str());
            [
                place("ConfigMap", source.namespace.as_str(), source.config_map.as_str()),
                place("ConfigMap", namespace, name),
                place("Secret", namespace, name),
            ]
        })
        .collect()
}

/// Decides on every trust that the gateway is to have from an Application. `objects` are those of [`places`] that are there, each as the
/// API server answered it in JSON.
///
/// # Errors
/// `trust/not-published` where an Application has not brought its bundle, `trust/private-key`, `trust/bundle-missing` and
/// `trust/expired` for one that cannot be published, `trust/foreign-object` for a place that is taken, and the codes of certificates.
pub fn publish(mesh: &MeshDocument, objects: &[String], at: UnixTime) -> Result<(Vec<Publication>, Report), Report> {
    let mut findings = Findings::new();
    let mut publications = Vec::new();
    let found = Found::read(objects, &mut findings);
    for (reference, known) in &mesh.trust {
        // What has no source is brought by the delivery.
        let Some(source) = &known.source else { continue };
        let wanted = Wanted { mesh, reference, known, source, at };
        match wanted.publication(&found, &mut findings) {
            Ok(publication) => publications.push(publication),
            Err(report) => findings.extend(report),
        }
    }
    findings.conclude(publications)
}

/// One trust.
struct Wanted<'a> {
    mesh: &'a MeshDocument,
    reference: &'a DnsLabel,
    known: &'a PublishedTrust,
    source: &'a TrustSource,
    at: UnixTime,
}

impl Wanted<'_> {
    fn publication(&self, found: &Found, findings: &mut Findings) -> Result<Publication, Report> {
        let (namespace, name) = (self.mesh.namespace.as_str(), self.known.published.as_str());
        let Some(source) = found.get(&self.source_place()) else { return Err(self.not_published().into()) };
        let bundle = bundle(source)?;
        let (trust, warnings) = gateway::publish(self.mesh, self.reference, &bundle)?;
        findings.extend(warnings);
        let certificates = describe(bundle.bytes);
        self.judge_dates(&certificates, bundle.name, findings);
        let mut apply = Vec::new();
        for (kind, object) in [("ConfigMap", json!(trust.config_map)), ("Secret", json!(trust.secret))] {
            let place = ObjectPlace { kind: kind.to_owned(), namespace: namespace.to_owned(), name: name.to_owned() };
            match found.get(&place) {
                Some(present) if !self.is_ours(present) => findings.push(self.foreign(present)),
                Some(present) if object.get("data") == Some(&json!(present.data)) => {}
                _ => apply.push(object),
            }
        }
        Ok(Publication {
            reference: self.reference.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            fingerprints: certificates.into_iter().map(|certificate| certificate.fingerprint).collect(),
            apply,
        })
    }

    fn source_place(&self) -> ObjectPlace {
        ObjectPlace {
            kind: "ConfigMap".to_owned(),
            namespace: self.source.namespace.to_string(),
            name: self.source.config_map.to_string(),
        }
    }

    fn not_published(&self) -> Diagnostic {
        let stage = Stage::Argo.word();
        Diagnostic::error(codes::NOT_PUBLISHED, format!("{} is not there, and without it routes answer 503", self.source_place()))
            .at(Place::named(&self.source_place().to_string()), format!("the trust `{}` of the gateway", self.reference))
            .help(format!(
                "the stage `{stage}` brings it: wait until the Application of namespace `{}` is Synced and Healthy, then run \
                 `{}` again",
                self.source.namespace,
                Stage::EdgeFinal.word(),
            ))
    }

    /// A bundle of which nothing is valid is refused; one with a part that is not is warned about.
    fn judge_dates(&self, certificates: &[CertificateSummary], name: &str, findings: &mut Findings) {
        let over = |certificate: &&CertificateSummary| {
            let left = Remaining::grade(certificate.not_before, certificate.not_after, self.at);
            matches!(left, Remaining::Nothing | Remaining::NotYet)
        };
        let none_is_valid = certificates.iter().all(|certificate| over(&certificate));
        for certificate in certificates.iter().filter(over) {
            let (from, to) = (certificate.not_before, certificate.not_after);
            let message = format!("authority {} is valid from {from} to {to}, not now", certificate.position);
            let found = if none_is_valid {
                Diagnostic::error(codes::EXPIRED, message)
            } else {
                Diagnostic::warning(codes::EXPIRED, message)
            };
            findings.push(
                found
                    .at(Place::named(name), format!("the trust `{}` of the gateway", self.reference))
                    .help("let the Application renew its authority; the gateway refuses what this one signed"),
            );
        }
    }

    fn is_ours(&self, present: &Read) -> bool {
        present.labels.get(TRUST_LABEL).is_some_and(|reference| reference == self.reference.as_str())
    }

    fn foreign(&self, present: &Read) -> Diagnostic {
        let message = format!("somebody else's object is in the place of a published trust: {}", present.title);
        Diagnostic::error(codes::FOREIGN_OBJECT, message)
            .at(Place::named(&present.title), format!("it has no label `{TRUST_LABEL}: {}`", self.reference))
            .help(format!(
                "look at who writes it; to have it taken over, label it `{TRUST_LABEL}={}`, else remove it",
                self.reference
            ))
    }
}

/// The bundle of the source. A private key is looked for before anything else, so that nothing of it can be shown.
fn bundle(source: &Read) -> Result<Input<'_>, Report> {
    let refuse = |code, message: String, help: String| -> Report {
        Diagnostic::error(code, message).at(Place::named(&source.title), "").help(help).into()
    };
    if source.holds_private_key() {
        let help = "remove it there, and replace the key: whoever can read the ConfigMap has it".to_owned();
        return Err(refuse(codes::PRIVATE_KEY, format!("{} holds a private key", source.title), help));
    }
    let Some(text) = source.data.get(TRUST_KEY) else {
        let keys: Vec<&str> = source.data.keys().map(String::as_str).collect();
        let message = format!("{} has no `{TRUST_KEY}`", source.title);
        let help = match keys.as_slice() {
            [] => "let its Application write the authority's certificate under that key".to_owned(),
            keys => format!("write the authority's certificate under that key; it has `{}`", keys.join("`, `")),
        };
        return Err(refuse(codes::BUNDLE_MISSING, message, help));
    };
    Ok(Input { name: &source.title, bytes: text.as_bytes() })
}
