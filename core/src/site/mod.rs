//! All documents of a site together: which kind each file is, and every finding of all of them at once.

pub mod codes;

use std::sync::Arc;

use crate::catalogue::{self, CatalogueDocument};
use crate::diagnostic::{Diagnostic, Findings, Report, Source};
use crate::document::tree::Tree;
use crate::document::{self, Document};
use crate::policy::{EdgeEnvironment, PolicyDocument};

/// The kinds of document that a site has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// The service catalogue: it has `services`.
    Catalogue,
    /// The edge environment rendered from a policy: it has `origins`.
    EdgeEnvironment,
    /// The policy of an environment: it has `environment`, and its origins under `edge`.
    Policy,
}

impl Kind {
    /// The kind of a file, told by its top-level keys; `None` if it has the keys of none.
    fn of(tree: &Tree) -> Option<Self> {
        let has = |pointer: &str| tree.find(pointer).key.is_some();
        if has("/services") {
            Some(Self::Catalogue)
        } else if has("/origins") {
            Some(Self::EdgeEnvironment)
        } else {
            has("/environment").then_some(Self::Policy)
        }
    }

    /// The kind of a text.
    ///
    /// # Errors
    /// `document/*` if it cannot be read at all, `site/unknown-document` if it is none of the kinds.
    pub fn of_source(source: &Arc<Source>) -> Result<Self, Report> {
        let parsed = document::parse(source);
        match parsed.tree() {
            Some(tree) => Self::of(tree).ok_or_else(|| Report::from(unknown_document(source))),
            None => Err(parsed.into_report()),
        }
    }
}

/// The documents that could be read.
#[derive(Default)]
struct Documents {
    catalogues: Vec<Document<CatalogueDocument>>,
    environments: Vec<Document<EdgeEnvironment>>,
    policies: Vec<Document<PolicyDocument>>,
    /// Whether some text was a catalogue, readable or not.
    catalogue_seen: bool,
}

/// Judges every document given, each by itself and all of them together.
pub fn check(sources: &[Arc<Source>]) -> Report {
    let mut findings = Findings::new();
    let documents = read(sources, &mut findings);
    if let [_, second, ..] = documents.catalogues.as_slice() {
        findings.push(second_catalogue(&documents, second));
    }
    match documents.catalogues.first() {
        Some(catalogue) => {
            findings.extend(catalogue::check(catalogue, &documents.policies));
            for environment in &documents.environments {
                match catalogue::resolve(catalogue, environment) {
                    Ok((_, report)) | Err(report) => findings.extend(report),
                }
            }
        }
        None if !documents.catalogue_seen => no_catalogue(&documents, &mut findings),
        None => {}
    }
    findings.into_report()
}

fn read(sources: &[Arc<Source>], findings: &mut Findings) -> Documents {
    let mut documents = Documents::default();
    for source in sources {
        let parsed = document::parse(source);
        let Some(tree) = parsed.tree() else {
            findings.extend(parsed.into_report());
            continue;
        };
        match Kind::of(tree) {
            Some(Kind::Catalogue) => {
                documents.catalogue_seen = true;
                keep(parsed.read(&[]), &mut documents.catalogues, findings);
            }
            Some(Kind::EdgeEnvironment) => keep(parsed.read(&[]), &mut documents.environments, findings),
            Some(Kind::Policy) => keep(parsed.read(&[]), &mut documents.policies, findings),
            None => {
                findings.extend(parsed.into_report());
                findings.push(unknown_document(source));
            }
        }
    }
    documents
}

fn unknown_document(source: &Arc<Source>) -> Diagnostic {
    Diagnostic::error(codes::UNKNOWN_DOCUMENT, "this is none of the documents of a site")
        .at(source.whole(), "")
        .help("a catalogue has `services`, a policy `environment`, an edge environment `origins`")
}

fn keep<T>(read: Result<Document<T>, Report>, list: &mut Vec<Document<T>>, findings: &mut Findings) {
    match read {
        Ok(document) => list.push(document),
        Err(report) => findings.extend(report),
    }
}

fn second_catalogue(documents: &Documents, second: &Document<CatalogueDocument>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(codes::SECOND_CATALOGUE, "a site has one catalogue, and here is another")
        .at(second.key_place("/services"), "the second one");
    if let Some(first) = documents.catalogues.first() {
        diagnostic = diagnostic.at(first.key_place("/services"), "the first one");
    }
    diagnostic.help("give one catalogue with the policies that are judged by it")
}

fn no_catalogue(documents: &Documents, findings: &mut Findings) {
    let policies = documents.policies.iter().map(|policy| policy.key_place("/environment"));
    let environments = documents.environments.iter().map(|environment| environment.key_place("/origins"));
    for place in policies.chain(environments) {
        findings.push(
            Diagnostic::error(codes::NO_CATALOGUE, "no catalogue was given to judge this by")
                .at(place, "")
                .help("give the catalogue as well, for example `catalogue/services.yaml`"),
        );
    }
}
