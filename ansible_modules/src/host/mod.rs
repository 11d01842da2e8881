//! What is seen of the host of a task: its system, its listening sockets, its nginx masters and their configuration.
//!
//! Everything here only looks. What it means is decided in the core.

pub(crate) mod addresses;
pub(crate) mod configuration;
pub(crate) mod processes;
pub(crate) mod program;
pub(crate) mod sockets;
pub(crate) mod system;

use pharos_core::diagnostic::Report;
use pharos_core::edge::inspect::Observed;

/// Who listens, and which nginx masters run.
pub(crate) fn observed() -> Result<Observed, Report> {
    Ok(Observed { sockets: sockets::listening()?, masters: processes::masters() })
}
