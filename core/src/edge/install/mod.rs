//! Putting a listener's configuration on a host, as a transaction whose steps are values.
//!
//! What was observed goes in, [`Step`]s come out, and the caller performs them: [`assess`] judges the host with everything that
//! is known of it, [`plan`] says which steps lead from its state to the goal, [`judge_test`] whether nginx's own test of a
//! candidate passed, [`judge_proof`] whether what is served is what was installed, and [`aftermath`] what a failed step is
//! answered with.
//! Ports 80 and 443 are two transactions: certificates are requested between them.

mod address;
mod aftermath;
mod assess;
mod candidate;
mod journal;
mod laboratory;
mod listener;
mod marker;
mod plan;
mod proof;
mod refusal;
mod step;
mod system;
#[cfg(test)]
mod tests;

pub use address::{Addresses, judge_addresses};
pub use aftermath::{Aftermath, aftermath};
pub use assess::{Assessment, Desired, Live, Observation, ROOT, assess};
pub use candidate::{TestOutput, judge_standing, judge_test};
pub use journal::Journal;
pub use laboratory::judge_served;
pub use listener::Listener;
pub use marker::{Marker, Stage};
pub use plan::{Goal, Plan, Situation, WELCOME_SITE, is_welcome_target, plan};
pub use proof::{
    Challenge, ChallengeAnswer, Generation, HostAnswer, HostProof, Proof, ProofAnswers, Served, judge_generation,
    judge_proof,
};
pub use refusal::{foreign_file, not_restored, not_root, pending, reload_failed};
pub use step::Step;
pub use system::{MAX_CLOCK_SKEW, OsRelease, System, Unit, judge_system};
