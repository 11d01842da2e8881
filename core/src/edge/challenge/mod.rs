//! ACME challenges of several edges: which edge requests certificates, and whether an authority would find its answers.

mod fetch;
mod issuer;

pub use fetch::{Fetched, judge_fetch};
pub use issuer::{Challenger, IssuerChoice, choose_issuer};
