//! Private files and locks: what was observed about a file, judged; who holds a lock, recorded. `pharos-live` does the rest.

pub mod codes;
mod holder;
mod ownership;
mod system;

pub use holder::{Holder, refusal as lock_refusal};
pub(crate) use ownership::quoted;
pub use ownership::{Kind, Metadata, judge_ancestor, judge_guarded, judge_private};
pub use system::{Reason, Refused, refusal as system_refusal, refusals as system_refusals};
