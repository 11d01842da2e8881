//! The system's refusals as reports.

use std::path::Path;

use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::file::codes;

/// The report of an operation (`open`, `rename`) that the system refused: `file/io`.
pub(crate) fn io(path: &Path, operation: &str, error: &impl std::fmt::Display) -> Report {
    Diagnostic::error(codes::IO, format!("cannot {operation}: {error}"))
        .at(Place::named(&path.to_string_lossy()), "")
        .into()
}
