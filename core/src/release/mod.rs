//! Releases of Helm: what is to be done with one, from what Helm says of it.
//!
//! Helm keeps the record of a release in the cluster: every revision with its state, its chart and the values that it was given. [`decide`]
//! compares that record with what is wanted. A release that is as it is wanted is left alone, so that an unchanged run makes no revision
//! and needs no plugin that compares objects; one that an interruption left pending is first taken back to a revision that stood.

mod chart;
pub mod codes;
mod decide;
mod record;

pub use chart::{ChartSource, ChartWords};
pub use decide::{Action, Decision, Recovery, Wanted, decide, judge_applied};
pub use record::{Revision, Said, State};
