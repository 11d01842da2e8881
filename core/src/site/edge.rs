//! What a site's edge serves, from the texts of its documents.

use std::sync::Arc;

use super::{Kind, check, misplaced};
use crate::catalogue::{self, CatalogueDocument, ExtensionDocument, RouteTable};
use crate::diagnostic::{Report, Source};
use crate::document::{self, Document};
use crate::policy::{EdgeEnvironment, PolicyDocument, edge_environment};

/// What an edge serves, judged.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The edge environment.
    pub environment: EdgeEnvironment,
    /// The routes that it selects.
    pub table: RouteTable,
    /// What was only warned about.
    pub report: Report,
}

/// The documents that an edge is made from.
#[derive(Clone, Copy, Debug)]
pub struct EdgeSources<'a> {
    /// The service catalogue.
    pub catalogue: &'a Arc<Source>,
    /// The policy, or the edge environment that was rendered from one.
    pub environment: &'a Arc<Source>,
    /// The extensions of the laboratories that the edge serves beside the catalogue.
    pub laboratories: &'a [Arc<Source>],
}

impl Edge {
    /// From an edge environment.
    ///
    /// # Errors
    /// Every finding of all documents, as [`check`] gives them; `site/wrong-document` if one of them is another document.
    pub fn of_environment(sources: &EdgeSources<'_>) -> Result<Self, Report> {
        sources.judge_kinds(&[Kind::EdgeEnvironment])?;
        Self::strict(sources).map_err(|report| sources.everything(report))
    }

    /// From a policy, or from the edge environment that was rendered from one.
    ///
    /// # Errors
    /// Every finding of all documents, as [`check`] gives them; `policy/foundation-only` for a policy without an edge,
    /// `site/wrong-document` if one of them is another document.
    pub fn of_policy(sources: &EdgeSources<'_>) -> Result<Self, Report> {
        sources.judge_kinds(&[Kind::Policy, Kind::EdgeEnvironment])?;
        let edge = match Kind::of_source(sources.environment) {
            Ok(Kind::EdgeEnvironment) => Self::strict(sources),
            Ok(_) => Self::rendered(sources),
            Err(report) => Err(report),
        };
        edge.map_err(|report| sources.everything(report))
    }

    /// The same of a policy alone: an edge environment is not rendered from another one.
    ///
    /// # Errors
    /// As [`of_policy`](Self::of_policy); `site/wrong-document` for an edge environment.
    pub fn of_policy_file(catalogue: (&str, &[u8]), policy: (&str, &[u8])) -> Result<Self, Report> {
        if let Ok(source) = document::source_from_bytes(policy.0, policy.1) {
            misplaced::judge(&[(&source, &[Kind::Policy])])?;
        }
        Self::of_files(catalogue, policy, &[])
    }

    /// As [`of_policy`](Self::of_policy), of files: the name of each and its bytes.
    ///
    /// # Errors
    /// Every finding of all documents; `document/encoding` for one that is not UTF-8.
    pub fn of_files(
        catalogue: (&str, &[u8]),
        policy: (&str, &[u8]),
        laboratories: &[(&str, &[u8])],
    ) -> Result<Self, Report> {
        let text = |(name, bytes)| document::source_from_bytes(name, bytes);
        let extensions: Result<Vec<_>, _> = laboratories.iter().copied().map(text).collect();
        match (text(catalogue), text(policy), extensions) {
            (Ok(catalogue), Ok(environment), Ok(laboratories)) => Self::of_policy(&EdgeSources {
                catalogue: &catalogue,
                environment: &environment,
                laboratories: &laboratories,
            }),
            _ => Err(super::check_files_with([catalogue, policy], laboratories.iter().copied())),
        }
    }

    fn strict(sources: &EdgeSources<'_>) -> Result<Self, Report> {
        let catalogue: Document<CatalogueDocument> = document::read(sources.catalogue)?;
        let environment: Document<EdgeEnvironment> = document::read(sources.environment)?;
        let (table, report) = catalogue::resolve_with(&catalogue, &environment, &sources.extensions()?)?;
        Ok(Self { environment: environment.value, table, report })
    }

    fn rendered(sources: &EdgeSources<'_>) -> Result<Self, Report> {
        let catalogue: Document<CatalogueDocument> = document::read(sources.catalogue)?;
        let policy: Document<PolicyDocument> = document::read(sources.environment)?;
        let (table, report) = catalogue::resolve_with(&catalogue, &policy, &sources.extensions()?)?;
        Ok(Self { environment: edge_environment(&policy)?, table, report })
    }
}

impl EdgeSources<'_> {
    pub(super) fn judge_kinds(&self, environment: &[Kind]) -> Result<(), Report> {
        let mut given = vec![(self.catalogue, &[Kind::Catalogue][..]), (self.environment, environment)];
        given.extend(self.laboratories.iter().map(|source| (source, &[Kind::Extension][..])));
        misplaced::judge(&given)
    }

    pub(super) fn extensions(&self) -> Result<Vec<Document<ExtensionDocument>>, Report> {
        self.laboratories.iter().map(document::read).collect()
    }

    /// The strict readers stop at the first document that cannot be read; the whole judgement does not.
    pub(super) fn everything(&self, report: Report) -> Report {
        let sources = [self.catalogue, self.environment].into_iter().chain(self.laboratories);
        let all = check(&sources.map(Arc::clone).collect::<Vec<_>>());
        if all.refuses() { all } else { report }
    }
}
