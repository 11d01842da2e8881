//! The documents that say what an edge serves.

use std::sync::Arc;

use pharos_core::catalogue::RouteTable;
use pharos_core::diagnostic::{Findings, Report, Source};
use pharos_core::policy::EdgeEnvironment;
use pharos_core::site::{Edge, EdgeSources};

use crate::laboratories::Laboratory;
use crate::module::ControllerDocument;

/// The command that makes an edge environment.
pub(crate) const MAKES_ENVIRONMENT: &str = "pharos edge environment --env ENV > edge.json";

/// What an edge serves, judged.
pub(crate) struct Site {
    /// The edge environment.
    pub(crate) environment: EdgeEnvironment,
    /// The routes that it selects.
    pub(crate) table: RouteTable,
    /// What was only warned about.
    pub(crate) report: Report,
}

impl Site {
    /// Reads and judges the documents; the faults of all are said together.
    pub(crate) fn read(
        environment: &ControllerDocument,
        catalogue: &ControllerDocument,
        extensions: &[ControllerDocument],
    ) -> Result<Self, Report> {
        let laboratories: Vec<Arc<Source>> = extensions.iter().map(source).collect();
        Self::with(environment, catalogue, &laboratories)
    }

    /// The same on the edge host itself: with the laboratories that are registered there, and the caller's.
    pub(crate) fn on_host(
        environment: &ControllerDocument,
        catalogue: &ControllerDocument,
        laboratory: Laboratory<'_>,
    ) -> Result<Self, Report> {
        match laboratory.served() {
            Ok(laboratories) => Self::with(environment, catalogue, &laboratories),
            Err(report) => {
                let mut findings = Findings::new();
                findings.extend(Self::with(environment, catalogue, &[]).err().unwrap_or_default());
                findings.extend(report);
                Err(findings.into_report())
            }
        }
    }

    /// From a policy, or from the edge environment that was rendered from one.
    pub(crate) fn of_policy(
        policy: &ControllerDocument,
        catalogue: &ControllerDocument,
        extensions: &[ControllerDocument],
    ) -> Result<Self, Report> {
        let laboratories: Vec<Arc<Source>> = extensions.iter().map(source).collect();
        let (catalogue, environment) = (source(catalogue), source(policy));
        let sources = EdgeSources { catalogue: &catalogue, environment: &environment, laboratories: &laboratories };
        Edge::of_policy(&sources).map(Self::of)
    }

    /// From a policy alone.
    pub(crate) fn of_policy_alone(policy: &ControllerDocument, catalogue: &ControllerDocument) -> Result<Self, Report> {
        let catalogue = (catalogue.name.as_str(), catalogue.text.as_bytes());
        Edge::of_policy_file(catalogue, (policy.name.as_str(), policy.text.as_bytes())).map(Self::of)
    }

    fn of(Edge { environment, table, report }: Edge) -> Self {
        Self { environment, table, report }
    }

    fn with(
        environment: &ControllerDocument,
        catalogue: &ControllerDocument,
        laboratories: &[Arc<Source>],
    ) -> Result<Self, Report> {
        let (catalogue, environment) = (source(catalogue), source(environment));
        let sources = EdgeSources { catalogue: &catalogue, environment: &environment, laboratories };
        Edge::of_environment(&sources).map(Self::of)
    }
}

/// A document with the name that the task gives it.
pub(crate) fn source(document: &ControllerDocument) -> Arc<Source> {
    Source::public(&document.name, &document.text)
}
