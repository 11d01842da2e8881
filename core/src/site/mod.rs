//! All documents of a site together: which kind each file is, and every finding of all of them at once.

pub mod codes;
mod edge;
mod mesh;
mod misplaced;
mod proof;
mod stand_in;
mod trust;

pub use edge::{Edge, EdgeSources};
pub use mesh::Mesh;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::catalogue::{self, CatalogueDocument, ExtensionDocument};
use crate::diagnostic::{Diagnostic, Findings, Report, Source};
use crate::document::{self, Document, Parsed, Remains, StandIn, tree::Tree};
use crate::gateway;
use crate::policy::{self, EdgeEnvironment, Environment, PolicyDocument};
use trust::Trust;

/// The kinds of document that a site has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// The service catalogue: it has `services`.
    Catalogue,
    /// The edge environment rendered from a policy: it has `origins`.
    EdgeEnvironment,
    /// The policy of an environment: it has `environment`, and its origins under `edge`.
    Policy,
    /// The extension of a laboratory: it has `namespace`, and `routes` of its own.
    Extension,
}

impl Kind {
    /// The kind of a file, told by its top-level keys; `None` if it has the keys of none.
    fn of(tree: &Tree) -> Option<Self> {
        Self::told(tree).map(|(kind, _)| kind)
    }

    /// The kind, and the pointer to the key that tells it.
    fn told(tree: &Tree) -> Option<(Self, &'static str)> {
        // Further keys tell a document in which the first is misspelt, or in which `origins` stand too far to the left.
        let keys = [
            ("/services", Self::Catalogue),
            ("/foundation", Self::Policy),
            ("/origins", Self::EdgeEnvironment),
            ("/environment", Self::Policy),
            ("/backends", Self::Catalogue),
            ("/namespace", Self::Extension),
            ("/routes", Self::Extension),
        ];
        keys.into_iter().find(|(key, _)| tree.find(key).key.is_some()).map(|(key, kind)| (kind, key))
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

fn unknown_document(source: &Arc<Source>) -> Diagnostic {
    Diagnostic::error(codes::UNKNOWN_DOCUMENT, "this is none of the documents of a site").at(source.whole(), "").help(
        "a catalogue has `services`, a policy `environment`, an edge environment `origins`, a laboratory `namespace`",
    )
}

/// The documents of a site, as far as they stand.
#[derive(Default)]
struct Documents {
    catalogues: Vec<Remains<CatalogueDocument>>,
    environments: Vec<Remains<EdgeEnvironment>>,
    policies: Vec<Remains<PolicyDocument>>,
    /// Those without any fault of their own: what holds of the others is said when they have been mended.
    laboratories: Vec<Document<ExtensionDocument>>,
    /// Whether some text was, or may have been, a catalogue.
    catalogue_seen: bool,
}

impl Documents {
    fn laboratory(&mut self, parsed: Parsed, findings: &mut Findings) {
        match parsed.read::<ExtensionDocument>(&[]) {
            Ok(extension) => self.laboratories.push(extension),
            Err(report) => findings.extend(report),
        }
    }
}

/// Judges every document given, each by itself and all of them together. A part that is refused hides no fault of another;
/// what cannot be said without it waits until it is mended.
pub fn check(sources: &[Arc<Source>]) -> Report {
    judge(sources.iter().map(|source| (Ok(Arc::clone(source)), false)))
}

/// As [`check`], of files: the name of each and its bytes. One that is not UTF-8 is a document that cannot be read.
pub fn check_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Report {
    check_files_with(files, [])
}

/// As [`check_files`], with files that are given as extensions of laboratories: one that is something else is `site/wrong-document`, and
/// one that is nothing yet is told what an extension lacks.
pub fn check_files_with<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    extensions: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Report {
    let files = files.into_iter().map(|file| (file, false));
    let all = files.chain(extensions.into_iter().map(|file| (file, true)));
    judge(all.map(|((name, bytes), as_extension)| (document::source_from_bytes(name, bytes), as_extension)))
}

/// A source, if it could be read, and whether it is given as an extension.
type Given = (Result<Arc<Source>, Report>, bool);

fn judge(sources: impl Iterator<Item = Given>) -> Report {
    let mut findings = Findings::new();
    let documents = read(sources, &mut findings);
    if let [first, second, ..] = documents.catalogues.as_slice() {
        findings.push(second_catalogue(first, second));
    }
    for catalogue in &documents.catalogues {
        let trust = Trust { catalogue: Some(catalogue.ground()), environment: None, edge: "", lists: &[] };
        keep(trust, &mut findings, |found| {
            catalogue::judge_catalogue(catalogue.judged(), found);
            gateway::judge_catalogue(catalogue.judged(), found);
        });
    }
    let catalogue = documents.catalogues.first();
    let ground = catalogue.map(Remains::ground);
    let laboratories = documents.laboratories.as_slice();
    catalogue::judge_laboratories(laboratories, &mut findings);
    if let Some(catalogue) = catalogue {
        let trust = Trust { catalogue: ground, environment: None, edge: "", lists: &[] };
        let catalogue = catalogue.judged();
        keep(trust, &mut findings, |found| catalogue::judge_laboratories_by_catalogue(catalogue, laboratories, found));
    }
    let mut edges = documents.policies.iter().map(|policy| policy.judged().value.edge.is_some());
    let somewhere = edges.any(|edge| edge) || !documents.environments.is_empty();
    for policy in &documents.policies {
        // An environment without an edge is no obstacle for a laboratory of another one.
        let elsewhere = somewhere && policy.judged().value.edge.is_none();
        let laboratories = if elsewhere { &[] } else { laboratories };
        let lists = &["/edge/origins", "/edge/bindings"];
        let trust = Trust { catalogue: ground, environment: Some(policy.ground()), edge: "/edge", lists };
        keep(trust, &mut findings, |found| {
            policy.judged().judge(found);
            if let Some(catalogue) = catalogue {
                catalogue::judge_policy(catalogue.judged(), policy.judged(), found);
                catalogue::judge_laboratories_by_environment(catalogue.judged(), policy.judged(), laboratories, found);
                gateway::judge_policy(catalogue.judged(), policy.judged(), found);
            }
        });
    }
    for environment in &documents.environments {
        let trust =
            Trust { catalogue: ground, environment: Some(environment.ground()), edge: "", lists: &["/origins"] };
        keep(trust, &mut findings, |found| {
            environment.judged().judge(found);
            if let Some(catalogue) = catalogue {
                catalogue::judge_environment(catalogue.judged(), environment.judged(), found);
                catalogue::judge_laboratories_by_environment(
                    catalogue.judged(),
                    environment.judged(),
                    laboratories,
                    found,
                );
            }
        });
    }
    // Objects are rendered from documents that stand whole; what is refused elsewhere is no reason not to prove these.
    for policy in documents.policies.iter().filter(|policy| policy.whole()) {
        let Some(catalogue) = catalogue.filter(|catalogue| catalogue.whole()) else { break };
        let elsewhere = somewhere && policy.judged().value.edge.is_none();
        let laboratories = if elsewhere { &[] } else { laboratories };
        proof::judge(catalogue.judged(), policy.judged(), laboratories, &mut findings);
    }
    if !documents.catalogue_seen {
        no_catalogue(&documents, &mut findings);
    }
    findings.into_report()
}

/// Judges, and keeps what can be trusted.
fn keep(trust: Trust<'_>, findings: &mut Findings, judge: impl FnOnce(&mut Findings)) {
    let mut found = Findings::new();
    judge(&mut found);
    found.into_iter().filter(|finding| trust.keeps(finding)).for_each(|finding| findings.push(finding));
}

fn read(sources: impl Iterator<Item = Given>, findings: &mut Findings) -> Documents {
    let mut documents = Documents::default();
    for (source, as_extension) in sources {
        let source = match source {
            Ok(source) => source,
            Err(report) => {
                // It may have been the catalogue.
                documents.catalogue_seen |= !as_extension;
                findings.extend(report);
                continue;
            }
        };
        let parsed = document::parse(&source);
        let Some(tree) = parsed.tree() else {
            // It may have been the catalogue.
            documents.catalogue_seen |= !as_extension;
            findings.extend(parsed.into_report());
            continue;
        };
        if as_extension {
            match misplaced::misplaced(&source, &[Kind::Extension]) {
                Some(misplaced) => findings.push(misplaced),
                None => documents.laboratory(parsed, findings),
            }
            continue;
        }
        match Kind::of(tree) {
            Some(Kind::Catalogue) => {
                documents.catalogue_seen = true;
                documents.catalogues.extend(standing(parsed, &stand_in::catalogue(), findings));
            }
            Some(Kind::EdgeEnvironment) if policy::is_policy_path(source.name()) => {
                findings.extend(parsed.into_report());
                findings.extend(misplaced::judge(&[(&source, &[Kind::Policy])]).err().unwrap_or_default());
            }
            Some(Kind::EdgeEnvironment) => {
                documents.environments.extend(standing(parsed, &stand_in::edge_environment(), findings));
            }
            Some(Kind::Extension) => documents.laboratory(parsed, findings),
            Some(Kind::Policy) => documents.policies.extend(standing(parsed, &stand_in::policy(), findings)),
            None => {
                findings.extend(parsed.into_report());
                findings.push(unknown_document(&source));
            }
        }
    }
    documents
}

fn standing<T: DeserializeOwned + JsonSchema + 'static>(
    parsed: Parsed,
    stand_ins: &[StandIn],
    findings: &mut Findings,
) -> Option<Remains<T>> {
    let (remains, report) = parsed.read_what_stands(stand_ins);
    findings.extend(report);
    remains
}

fn second_catalogue(first: &Remains<CatalogueDocument>, second: &Remains<CatalogueDocument>) -> Diagnostic {
    Diagnostic::error(codes::SECOND_CATALOGUE, "a site has one catalogue, and here is another")
        .at(second.judged().key_place("/services"), "the second one")
        .at(first.judged().key_place("/services"), "the first one")
        .help("give one catalogue with the policies that are judged by it")
}

fn no_catalogue(documents: &Documents, findings: &mut Findings) {
    let policies = documents.policies.iter().map(|policy| policy.judged().key_place("/environment"));
    let environments = documents.environments.iter().map(|environment| environment.judged().key_place("/origins"));
    let laboratories = documents.laboratories.iter().map(|extension| extension.key_place("/namespace"));
    for place in policies.chain(environments).chain(laboratories) {
        findings.push(
            Diagnostic::error(codes::NO_CATALOGUE, "no catalogue was given to judge this by")
                .at(place, "")
                .help("give the catalogue as well, for example `catalogue/services.yaml`"),
        );
    }
}
