//! What a site stands on, and in which order it is brought up.

pub mod codes;
pub mod stages;
