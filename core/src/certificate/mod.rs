//! Whether certificates are fit for a public edge, and which are to be renewed or issued again.
//!
//! [`check`] takes bytes, trust anchors, host names and an instant, and gives a [`VerifiedPath`]: a value that nothing else
//! makes, so that whoever holds one knows that the chain was judged. `x509-parser` reads the certificates for our own
//! rules (names, dates, keys, order, usage); OpenSSL builds and verifies the path, and without its consent there is no
//! proof. [`describe`] reads without judging. [`lineage`] decides what certbot is asked to do,
//! [`development`] what the authority of a development box issues.

mod algorithm;
mod authorities;
mod bundle;
mod check;
pub mod codes;
pub mod development;
mod facts;
mod failure;
mod input;
mod instant;
mod key;
pub mod lineage;
mod order;
mod pem;
mod server_name;
mod strength;
mod summary;
mod term;
mod trust;
mod usage;
mod validity;

pub use authorities::authorities;
pub use bundle::{MAX_CHAIN_BYTES, describe, summaries};
pub use check::{CertificatePolicy, Request, VerifiedPath, check};
pub(crate) use facts::quoted;
pub use input::Input;
pub use instant::{InstantError, UnixTime};
pub use server_name::ServerName;
pub use summary::{CertificateSummary, Serial, SerialError};
pub use term::Term;
pub use trust::{MAX_TRUST_BYTES, TrustAnchors};
pub use validity::Remaining;
