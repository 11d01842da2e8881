//! What touches the world for the core: private files, atomic replacement and locks.
//!
//! Nothing is decided here. What was observed about a file goes to [`pharos_core::file`], whose refusals come back as reports.

mod error;
pub mod file;
pub mod lock;
pub mod private;
