//! Publishing the trust of backends for the gateway.
//!
//! A backend that the gateway verifies keeps the public certificate of its authority where its own Application puts it; the gateway
//! reads its own namespace alone. [`publish`] takes what was read of both places and says which objects are to be applied. It is the
//! same decision for the `edge-final` stage of a development box and for a delivery.

pub mod codes;
mod found;
mod publish;

pub use found::{ObjectPlace, answers};
pub use publish::{Publication, places, publish};
