//! Objects of the cluster as they were read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codes;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::release::Said;

/// Which object: its kind, its namespace and its name.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectPlace {
    /// `ConfigMap` or `Secret`.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for ObjectPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
    }
}

/// What `kubectl get` answered of each of these places, in their order: an object as JSON, or an empty text where there is none.
///
/// # Errors
/// `trust/unreadable` for each that it could not answer.
pub fn answers(places: &[ObjectPlace], said: &[Said]) -> Result<Vec<String>, Report> {
    let mut findings = Findings::new();
    for (index, answer) in said.iter().enumerate().filter(|(_, answer)| answer.rc != 0) {
        let place = places.get(index).map_or_else(|| format!("objects[{index}]"), ToString::to_string);
        findings.push(
            Diagnostic::error(codes::UNREADABLE, format!("{place} cannot be read: {}", answer.words()))
                .at(Place::named(&place), "")
                .help("mend what kubectl complains about: its program, the kubeconfig, or the way to the API server"),
        );
    }
    findings.conclude(said.iter().map(|answer| answer.stdout.clone()).collect()).map(|(texts, _)| texts)
}

/// What of an object is looked at. Everything else of it is the API server's.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    kind: String,
    metadata: Metadata,
    data: Option<BTreeMap<String, String>>,
    binary_data: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    namespace: String,
    name: String,
    labels: Option<BTreeMap<String, String>>,
}

/// An object that was read.
#[derive(Debug)]
pub(super) struct Read {
    /// How messages call it: `ConfigMap pharos/site-api-trust`.
    pub(super) title: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) data: BTreeMap<String, String>,
    binary_data: BTreeMap<String, String>,
}

impl Read {
    /// Whether a private key stands anywhere in it. Nothing of it may be shown then.
    pub(super) fn holds_private_key(&self) -> bool {
        let decoded = self.binary_data.values().map(|text| openssl::base64::decode_block(text).unwrap_or_default());
        let holds = |bytes: &[u8]| bytes.windows(11).any(|window| window == b"PRIVATE KEY");
        self.data.values().any(|text| holds(text.as_bytes())) || decoded.into_iter().any(|bytes| holds(&bytes))
    }
}

/// The objects that are there, by their places.
#[derive(Debug, Default)]
pub(super) struct Found(BTreeMap<ObjectPlace, Read>);

impl Found {
    /// Reads objects, each as the API server answered it in JSON; an empty text is one that is not there. `trust/object` for anything
    /// else.
    pub(super) fn read(texts: &[String], findings: &mut Findings) -> Self {
        let mut found = BTreeMap::new();
        for (index, text) in texts.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            // Never the words of the parser, which may quote the input.
            match serde_json::from_str::<Manifest>(text) {
                Ok(Manifest { kind, metadata: Metadata { namespace, name, labels }, data, binary_data }) => {
                    let place = ObjectPlace { kind, namespace, name };
                    let read = Read {
                        title: place.to_string(),
                        labels: labels.unwrap_or_default(),
                        data: data.unwrap_or_default(),
                        binary_data: binary_data.unwrap_or_default(),
                    };
                    found.insert(place, read);
                }
                Err(_) => findings.push(
                    Diagnostic::error(codes::OBJECT, "this is no object of a cluster in JSON")
                        .at(Place::named("objects").with_key(&format!("/{index}")), "")
                        .help("hand in what the API server answered: `kubectl get ... --output=json`"),
                ),
            }
        }
        Self(found)
    }

    pub(super) fn get(&self, place: &ObjectPlace) -> Option<&Read> {
        self.0.get(place)
    }
}
