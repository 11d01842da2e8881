//! Names, parsed once: a value of one of these types is well-formed, and there is no other way to make one.
//!
//! Each type reads itself from text ([`std::str::FromStr`]); the refusal is a [`NameError`] with the code, the reason and the
//! remedy, which the caller turns into a diagnostic at its place. In JSON Schemas each carries a `format` of its own
//! ([`FORMATS`]), so that a document is refused for all its bad names at once, before it is decoded.

pub mod codes;
mod error;
mod host;
mod label;
mod macros;
mod network;
mod origin;
mod path;
mod port;

pub use error::NameError;
pub use host::HostName;
pub use label::{DnsLabel, EnvironmentName, Namespace, ServiceName};
pub use network::{Network, SocketAddress};
pub use origin::Origin;
pub use path::{PathMatch, UrlPath};
pub use port::Port;

/// Checks a text against a name.
pub type FormatCheck = fn(&str) -> Result<(), NameError>;

/// The `format` words of the JSON Schemas and the check behind each.
pub const FORMATS: &[(&str, FormatCheck)] = &[
    ("dns-label", |text| text.parse::<DnsLabel>().map(drop)),
    ("host-name", |text| text.parse::<HostName>().map(drop)),
    ("origin", |text| text.parse::<Origin>().map(drop)),
    ("url-path", |text| text.parse::<UrlPath>().map(drop)),
    ("network", |text| text.parse::<Network>().map(drop)),
    ("socket-address", |text| text.parse::<SocketAddress>().map(drop)),
];
