//! What Ansible could not resolve of an inventory.
//!
//! Ansible's own messages quote the lines that they complain about, so they never leave the process that it runs in. What leaves is
//! a [`Failure`]: its kind, its place, and the names of a host and a variable. [`report`] words them.

pub mod codes;
mod part;
mod reason;
mod report;

pub use part::{in_part, sources};
pub use reason::Reason;
pub use report::{End, Failure, Kind, report};
