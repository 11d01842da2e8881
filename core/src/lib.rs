//! Every decision about a platform site, as pure functions: bytes and an instant in, values out.
//!
//! A document travels one way through the house. [`document`] turns text into a typed value that still
//! knows its places; the rooms judge it and hand on types that cannot be wrong; text is made once, at the
//! end. Whatever is refused leaves as a [`diagnostic::Report`] that lists every fault of the input.

pub mod access;
pub mod ansible;
pub mod catalogue;
pub mod certificate;
pub mod diagnostic;
pub mod document;
pub mod edge;
pub mod environment;
pub mod explain;
pub mod file;
pub mod foundation;
pub mod gateway;
pub mod identity;
pub mod inventory;
pub mod mesh;
pub mod module;
pub mod name;
pub mod plan;
pub mod policy;
pub mod probe;
pub mod release;
pub mod schemas;
pub mod site;
pub mod trust;
