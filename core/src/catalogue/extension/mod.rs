//! Laboratory extensions: routes that a laboratory adds to a site, from a file of its own.
//!
//! An [`ExtensionDocument`] is judged together with the catalogue, the environment and the other laboratories, and its routes
//! become routes of the [`RouteTable`](super::RouteTable) that [`Owner::Laboratory`](super::Owner::Laboratory) owns. The
//! catalogue's own routes are never changed by one.

pub mod codes;
mod document;
mod judge;
mod registry;
mod stream;

pub use document::{ExtensionBackend, ExtensionDocument, ExtensionRoute};
pub(super) use judge::{judge_catalogue, judge_environment, judge_set};
pub use registry::{Given, REGISTRY, RegisteredFile, file_of, name_of, served};
pub use stream::documents;
