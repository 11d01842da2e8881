//! The two documents that say what an edge serves.

use pharos_core::catalogue::RouteTable;
use pharos_core::diagnostic::{Report, Source};
use pharos_core::policy::EdgeEnvironment;
use pharos_core::site::Edge;

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
    /// Reads and judges both documents; the faults of both are said together.
    pub(crate) fn read(environment: &ControllerDocument, catalogue: &ControllerDocument) -> Result<Self, Report> {
        let source = |given: &ControllerDocument| Source::public(&given.name, &given.text);
        let Edge { environment, table, report } = Edge::of_environment(&source(catalogue), &source(environment))?;
        Ok(Self { environment, table, report })
    }
}
