//! The external identity of a site: the private JSON file that binds its clients at the AAI, with issuer and public CA.
//!
//! Which clients a site needs is the catalogue's data (`aai_clients` of the services that its policy binds). A file is read by
//! [`read`] and leaves as an [`Identity`], which shows nothing of it; every finding names a place and a key and no value.

mod authority;
pub mod codes;
mod document;
mod judge;
mod read;
mod requirement;

pub use document::{Client, ExternalIdentity, Secret};
pub use read::{Identity, read};
pub use requirement::{Requirement, missing};
