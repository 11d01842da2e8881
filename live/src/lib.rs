//! What touches the world for the core: private files, atomic replacement and locks; with the feature `cluster`, the Kubernetes API.
//!
//! Nothing is decided here. What was observed about a file goes to [`pharos_core::file`], whose refusals come back as reports.

#[cfg(feature = "cluster")]
pub mod cluster;
mod error;
pub mod file;
pub mod guarded;
pub mod lock;
pub mod private;
#[cfg(feature = "cluster")]
pub mod probe;
pub mod records;

pub use error::reason_of;
