//! Private files, replacement and locks on a real file system.

#![allow(clippy::unwrap_used, reason = "a helper of a test may panic as the test may")]

mod file;
mod gather;
mod guarded;
mod lock;
mod private;
mod records;

use pharos_core::diagnostic::Report;

/// A scratch directory whose ancestors pass: below the build directory, not below `/tmp`.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The codes of a refusal.
fn codes<T>(result: Result<T, Report>) -> Vec<&'static str> {
    result.err().map_or_else(Vec::new, |report| report.diagnostics().iter().map(|d| d.code.name()).collect())
}
