//! The Python bindings of the core: convert, map refusals, nothing more. The package `pharos` is their only user.

mod diagnostics;

use pyo3::prelude::*;

/// The native half of the package `pharos`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::diagnostics::{Code, Diagnostic, Label, Report, code, codes};

    /// The version of the core, equal to the package's.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
