//! What a site's gateway serves, from the texts of its documents.

use super::{EdgeSources, Kind};
use crate::catalogue::{self, CatalogueDocument, RouteTable};
use crate::diagnostic::{Findings, Report};
use crate::document::{self, Document};
use crate::gateway::{self, GatewaySettings, Objects};
use crate::policy::PolicyDocument;

/// What a site's gateway serves, judged.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Its settings.
    pub settings: GatewaySettings,
    /// The routes that the environment selects, and those of the laboratories.
    pub table: RouteTable,
    /// What was only warned about.
    pub report: Report,
}

impl Mesh {
    /// From a catalogue, a policy and the extensions of laboratories: the name of each file and its bytes.
    ///
    /// # Errors
    /// As [`of`](Self::of); `document/encoding` for one that is not UTF-8.
    pub fn of_files(
        catalogue: (&str, &[u8]),
        policy: (&str, &[u8]),
        laboratories: &[(&str, &[u8])],
    ) -> Result<Self, Report> {
        let text = |(name, bytes)| document::source_from_bytes(name, bytes);
        let extensions: Result<Vec<_>, _> = laboratories.iter().copied().map(text).collect();
        match (text(catalogue), text(policy), extensions) {
            (Ok(catalogue), Ok(environment), Ok(laboratories)) => {
                Self::of(&EdgeSources { catalogue: &catalogue, environment: &environment, laboratories: &laboratories })
            }
            _ => Err(super::check_files_with([catalogue, policy], laboratories.iter().copied())),
        }
    }

    /// From a policy.
    ///
    /// # Errors
    /// Every finding of all documents, as [`super::check`] gives them; `gateway/not-stated` where one of them says nothing of a
    /// gateway, `site/wrong-document` if one of them is another document.
    pub fn of(sources: &EdgeSources<'_>) -> Result<Self, Report> {
        sources.judge_kinds(&[Kind::Policy])?;
        Self::strict(sources).map_err(|report| sources.everything(report))
    }

    fn strict(sources: &EdgeSources<'_>) -> Result<Self, Report> {
        let catalogue: Document<CatalogueDocument> = document::read(sources.catalogue)?;
        let policy: Document<PolicyDocument> = document::read(sources.environment)?;
        let mut findings = Findings::new();
        let (table, report) = catalogue::resolve_with(&catalogue, &policy, &sources.extensions()?)?;
        findings.extend(report);
        let (settings, report) = GatewaySettings::of(&catalogue, &policy)?;
        findings.extend(report);
        Ok(Self { settings, table, report: findings.into_report() })
    }

    /// Its objects.
    ///
    /// # Errors
    /// What no object can say, as [`gateway::render`] finds it.
    pub fn objects(&self) -> Result<Objects<'_>, Report> {
        gateway::render(&self.table, &self.settings).map(|(objects, _)| objects)
    }
}
