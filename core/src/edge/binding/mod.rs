//! A service of the host that reaches the platform through its edge: which origins it is given, and when it is restarted.
//!
//! Such a service reads its origins from the `EnvironmentFile` of its systemd unit. [`bind`] compares the lines of that file with
//! what is wanted and says which [`BindingStep`]s lead there. The order is the point: nothing is retargeted before the edge
//! serves what was validated, a marker is written before the file, and it goes when the restart has succeeded. So a failed
//! or interrupted restart is completed by the next run, although the file says by then what it should.

mod decide;
mod file;
mod marker;

pub use decide::{
    BindingPlan, BindingSituation, BindingStep, EdgeState, EnvironmentFile, bind, judge_restarted, restart_failed,
};
pub use file::{Binding, Setting};
pub use marker::BindingMarker;
