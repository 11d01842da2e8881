//! What a site's edge serves, from the texts of its documents.

use std::sync::Arc;

use super::{Kind, check, misplaced};
use crate::catalogue::{self, CatalogueDocument, RouteTable};
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

impl Edge {
    /// From an edge environment.
    ///
    /// # Errors
    /// Every finding of both documents, as [`check`] gives them; `site/wrong-document` if one of them is another document.
    pub fn of_environment(catalogue: &Arc<Source>, environment: &Arc<Source>) -> Result<Self, Report> {
        misplaced::judge(&[(catalogue, &[Kind::Catalogue]), (environment, &[Kind::EdgeEnvironment])])?;
        Self::strict(catalogue, environment).map_err(|report| everything(catalogue, environment, report))
    }

    /// From a policy, or from the edge environment that was rendered from one.
    ///
    /// # Errors
    /// Every finding of both documents, as [`check`] gives them; `policy/foundation-only` for a policy without an edge,
    /// `site/wrong-document` if one of them is another document.
    pub fn of_policy(catalogue: &Arc<Source>, policy: &Arc<Source>) -> Result<Self, Report> {
        misplaced::judge(&[(catalogue, &[Kind::Catalogue]), (policy, &[Kind::Policy, Kind::EdgeEnvironment])])?;
        let edge = match Kind::of_source(policy) {
            Ok(Kind::EdgeEnvironment) => Self::strict(catalogue, policy),
            Ok(_) => Self::rendered(catalogue, policy),
            Err(report) => Err(report),
        };
        edge.map_err(|report| everything(catalogue, policy, report))
    }

    /// The same of a policy alone: an edge environment is not rendered from another one.
    ///
    /// # Errors
    /// As [`of_policy`](Self::of_policy); `site/wrong-document` for an edge environment.
    pub fn of_policy_file(catalogue: (&str, &[u8]), policy: (&str, &[u8])) -> Result<Self, Report> {
        if let Ok(source) = document::source_from_bytes(policy.0, policy.1) {
            misplaced::judge(&[(&source, &[Kind::Policy])])?;
        }
        Self::of_files(catalogue, policy)
    }

    /// As [`of_policy`](Self::of_policy), of files: the name of each and its bytes.
    ///
    /// # Errors
    /// Every finding of both documents; `document/encoding` for one that is not UTF-8.
    pub fn of_files(catalogue: (&str, &[u8]), policy: (&str, &[u8])) -> Result<Self, Report> {
        let text = |(name, bytes)| document::source_from_bytes(name, bytes);
        match (text(catalogue), text(policy)) {
            (Ok(catalogue), Ok(policy)) => Self::of_policy(&catalogue, &policy),
            _ => Err(super::check_files([catalogue, policy])),
        }
    }

    fn strict(catalogue: &Arc<Source>, environment: &Arc<Source>) -> Result<Self, Report> {
        let catalogue: Document<CatalogueDocument> = document::read(catalogue)?;
        let environment: Document<EdgeEnvironment> = document::read(environment)?;
        let (table, report) = catalogue::resolve(&catalogue, &environment)?;
        Ok(Self { environment: environment.value, table, report })
    }

    fn rendered(catalogue: &Arc<Source>, policy: &Arc<Source>) -> Result<Self, Report> {
        let catalogue: Document<CatalogueDocument> = document::read(catalogue)?;
        let policy: Document<PolicyDocument> = document::read(policy)?;
        let (table, report) = catalogue::resolve(&catalogue, &policy)?;
        Ok(Self { environment: edge_environment(&policy)?, table, report })
    }
}

/// The strict readers stop at the first document that cannot be read; the whole judgement does not.
fn everything(catalogue: &Arc<Source>, environment: &Arc<Source>, report: Report) -> Report {
    let all = check(&[Arc::clone(catalogue), Arc::clone(environment)]);
    if all.refuses() { all } else { report }
}
