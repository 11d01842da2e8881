//! The development authority: a certificate authority of one machine, and the one certificate that it issues.
//!
//! Browsers and native clients of a development box were told once to trust its authority, by hand. So it is made when nothing is
//! there, and kept for ever after: [`decide`] refuses what is damaged or incomplete and never replaces it. The certificate
//! that it issued is replaced whenever it is not what is wanted, for nobody remembers that one.
//!
//! Keys and serial numbers are drawn by the program that issues; what is issued is said here, by [`leaf_validity`] and the constants.

mod authority;
mod decide;
mod leaf;

pub use authority::{AUTHORITY_DAYS, AUTHORITY_NAME, LEAF_DAYS, Validity, authority_validity, leaf_validity};
pub use decide::{AuthorityAction, DevelopmentDecision, LeafAction, OnHost, decide, judge_issued};
pub use leaf::{IssueReason, IssueReasonKind};
