//! The two documents that say what an edge serves.

use std::sync::Arc;

use pharos_core::catalogue::{self, CatalogueDocument, RouteTable};
use pharos_core::diagnostic::{Findings, Report, Source};
use pharos_core::document;
use pharos_core::policy::EdgeEnvironment;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::module::ControllerDocument;

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
    /// Reads and judges both documents; the faults of both are said together.
    pub(crate) fn read(environment: &ControllerDocument, catalogue: &ControllerDocument) -> Result<Self, Report> {
        let mut findings = Findings::new();
        let environment = read::<EdgeEnvironment>(environment, &mut findings);
        let catalogue = read::<CatalogueDocument>(catalogue, &mut findings);
        let (Some(environment), Some(catalogue)) = (environment, catalogue) else { return Err(findings.into_report()) };
        let (table, report) = catalogue::resolve(&catalogue, &environment)?;
        Ok(Self { environment: environment.value, table, report })
    }
}

fn read<T: DeserializeOwned + JsonSchema + 'static>(
    given: &ControllerDocument,
    findings: &mut Findings,
) -> Option<document::Document<T>> {
    let source: Arc<Source> = Source::public(&given.name, &given.text);
    document::read(&source).map_err(|report| findings.extend(report)).ok()
}
