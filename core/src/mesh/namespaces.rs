//! The namespaces of a cluster: none of an application's is given proxies, and routes want those of their backends.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::codes;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// The labels that have Istio put a proxy into every pod of a namespace, with what says that it shall not.
const LABELS: [(&str, &[&str]); 3] =
    [("istio-injection", &["disabled"]), ("istio.io/rev", &[]), ("istio.io/dataplane-mode", &["none"])];

#[derive(Deserialize)]
struct List {
    items: Vec<Namespace>,
}

#[derive(Deserialize)]
struct Namespace {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    labels: Option<BTreeMap<String, String>>,
}

/// Judges the namespaces of a cluster, as the API server lists them in JSON. The gateway is the whole mesh so far: applications stay as
/// they are, and none restarts.
///
/// # Errors
/// `mesh/namespace-injected` for each that is labelled so that its pods would be given a proxy, `mesh/namespaces` for anything else than
/// a list of namespaces.
pub fn judge_namespaces(text: &str) -> Result<(), Report> {
    let mut findings = Findings::new();
    let items = read(text)?;
    for Namespace { metadata: Metadata { name, labels } } in items {
        let labels = labels.unwrap_or_default();
        for (key, outside) in LABELS {
            let Some(value) = labels.get(key).filter(|value| !outside.contains(&value.as_str())) else { continue };
            findings.push(
                Diagnostic::error(
                    codes::NAMESPACE_INJECTED,
                    format!("namespace `{name}` takes part in the mesh: its next pods would be given a proxy"),
                )
                .at(Place::named(&format!("namespace {name}")), format!("labelled `{key}: {value}`"))
                .help(format!("remove the label: `kubectl label namespace {name} {key}-`")),
            );
        }
    }
    findings.conclude(()).map(drop)
}

/// Those of the `needed` namespaces that are not there, in order of their names.
///
/// # Errors
/// `mesh/namespaces`
pub fn missing_namespaces(text: &str, mut needed: BTreeSet<String>) -> Result<Vec<String>, Report> {
    for namespace in read(text)? {
        needed.remove(&namespace.metadata.name);
    }
    Ok(needed.into_iter().collect())
}

fn read(text: &str) -> Result<Vec<Namespace>, Report> {
    serde_json::from_str(text).map(|List { items }| items).map_err(|_| {
        Diagnostic::error(codes::NAMESPACES, "this is no list of namespaces in JSON")
            .at(Place::named("namespaces"), "")
            .help("hand in what the API server answered: `kubectl get namespaces --output=json`")
            .into()
    })
}
