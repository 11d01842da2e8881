//! How faults are said: a stable code, the exact place, the evidence and what to write instead.
//!
//! One type crosses the border of the core, [`Report`]: all faults of an input, in file order. It is printed for
//! people ([`human`]), for programs ([`json`]), for code hosts ([`sarif`]) and for build servers ([`junit`]) from the same values. A place in a private file carries its line and
//! column but never its text, so no renderer can leak it; what a public file may leak is told by [`secrecy`].

pub mod code;
pub mod human;
pub mod json;
pub mod junit;
mod place;
mod report;
pub mod sarif;
pub mod secrecy;
pub mod suggest;
pub(crate) mod xml;

pub use code::{Class, Code};
pub use place::{Place, Position, Privacy, Source};
pub use report::{Diagnostic, Findings, Label, Report, Severity};
