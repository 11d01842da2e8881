//! Names, parsed once: a value of one of these types is well-formed, and there is no other way to make one.
//!
//! Each type reads itself from text ([`std::str::FromStr`]); the refusal is a [`NameError`] with the code, the reason and the
//! remedy, which the caller turns into a diagnostic at its place. In JSON Schemas each carries a `format` of its own
//! ([`FORMATS`]), so that a document is refused for all its bad names at once, before it is decoded.

mod address;
pub mod codes;
mod error;
mod file;
mod fingerprint;
mod host;
mod label;
pub(crate) mod macros;
mod mail;
mod network;
mod node;
mod origin;
mod path;
mod port;
mod repository;
mod role_variable;
mod selector;
mod variable;

pub use address::ListenAddress;
pub use error::NameError;
pub use file::AbsolutePath;
pub use fingerprint::CertificateFingerprint;
pub use host::HostName;
pub(crate) use host::{address_help, is_wrong_address, why_no_address};
pub use label::{DnsLabel, EnvironmentName, KubernetesService, Namespace, ServiceName};
pub use mail::MailAddress;
pub use network::{Network, SocketAddress};
pub(crate) use node::is_subdomain;
pub use node::{NodeAddress, NodeName};
pub use origin::Origin;
pub(crate) use path::folders;
pub use path::{PathMatch, UrlPath};
pub use port::Port;
pub use repository::RepositoryUrl;
pub use role_variable::RoleVariable;
pub use selector::{LabelKey, LabelValue};
pub use variable::EdgeVariable;

/// A `format` of the JSON Schemas.
#[derive(Debug)]
pub struct Format {
    /// The word that stands in a schema.
    pub word: &'static str,
    /// What every text of the format matches, for editors and for Helm: it admits more than the check does. No two formats
    /// have the same.
    pub pattern: &'static str,
    /// The check.
    pub check: fn(&str) -> Result<(), NameError>,
}

/// The formats of all names.
pub const FORMATS: &[Format] = &[
    Format {
        word: "dns-label",
        pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
        check: |text| text.parse::<DnsLabel>().map(drop),
    },
    Format {
        word: "service-label",
        pattern: "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$",
        check: |text| text.parse::<KubernetesService>().map(drop),
    },
    Format {
        word: "host-name",
        pattern: r"^[a-z0-9][-a-z0-9]*(\.[a-z0-9][-a-z0-9]*)+$",
        check: |text| text.parse::<HostName>().map(drop),
    },
    Format { word: "origin", pattern: "^https?://[^/@?# ]+$", check: |text| text.parse::<Origin>().map(drop) },
    Format {
        word: "url-path",
        pattern: "^/[-A-Za-z0-9._~!&+,=:@/]*$",
        check: |text| text.parse::<UrlPath>().map(drop),
    },
    Format { word: "network", pattern: "^[0-9A-Fa-f.:]+/[0-9]{1,3}$", check: |text| text.parse::<Network>().map(drop) },
    Format { word: "absolute-path", pattern: r"^/[^$\n\t]+$", check: |text| text.parse::<AbsolutePath>().map(drop) },
    Format {
        word: "socket-address",
        pattern: r"^(\[[0-9A-Fa-f.:]+\]|[0-9.]+):[0-9]{1,5}$",
        check: |text| text.parse::<SocketAddress>().map(drop),
    },
    Format {
        word: "listen-address",
        pattern: "^[0-9A-Fa-f.:]+$",
        check: |text| text.parse::<ListenAddress>().map(drop),
    },
    Format {
        word: "mail-address",
        pattern: r"^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@[-a-z0-9.]+$",
        check: |text| text.parse::<MailAddress>().map(drop),
    },
    Format {
        word: "node-name",
        pattern: r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$",
        check: |text| text.parse::<NodeName>().map(drop),
    },
    Format {
        word: "node-address",
        pattern: r"^[-A-Za-z0-9._:]+$",
        check: |text| text.parse::<NodeAddress>().map(drop),
    },
    Format {
        word: "edge-variable",
        pattern: "^edge_[A-Za-z0-9_]+$",
        check: |text| text.parse::<EdgeVariable>().map(drop),
    },
    Format {
        word: "role-variable",
        pattern: "^(gateway_routes|helm_release|mesh|site_trust)_[A-Za-z0-9_]+$",
        check: |text| text.parse::<RoleVariable>().map(drop),
    },
    Format {
        word: "repository",
        pattern: r"^(https|ssh)://[-@a-z0-9.:]+/[-A-Za-z0-9._/]+$",
        check: |text| text.parse::<RepositoryUrl>().map(drop),
    },
    Format {
        word: "label-key",
        pattern: "^([a-z0-9][-a-z0-9.]*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
        check: |text| text.parse::<LabelKey>().map(drop),
    },
    Format {
        word: "label-value",
        pattern: "^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$",
        check: |text| text.parse::<LabelValue>().map(drop),
    },
    Format {
        word: "certificate-fingerprint",
        pattern: "^[0-9a-f]{64}$",
        check: |text| text.parse::<CertificateFingerprint>().map(drop),
    },
];

/// The pattern of a format; matches everything for a word that is none.
fn pattern(word: &str) -> &'static str {
    FORMATS.iter().find(|format| format.word == word).map_or("", |format| format.pattern)
}
