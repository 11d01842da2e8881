//! The filter `certificates`: what the certificates of a file say.

use pharos_core::certificate::{CertificateSummary, Input, summaries};
use pharos_core::diagnostic::Report;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Kind, Plugin};

/// The filter.
pub(super) struct Certificates;

/// What the certificates of a file say.
///
/// Reads the certificates of a text in PEM, in its order: names, dates, key, issuer and fingerprint of each. Whether they are fit
/// for a host is another question, which `pharos.platform.certificate_info` answers.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The text of the file. A private key in it is refused and never shown.
    #[serde(rename = "_input")]
    pem: String,
}

impl Plugin for Certificates {
    const NAME: &'static str = "certificates";
    const KIND: Kind = Kind::Filter;
    const POSITIONAL: &'static [&'static str] = &["_input"];
    const EXAMPLES: &'static str = include_str!("../examples/plugins/certificates.yml");
    type Arguments = Arguments;
    type Value = Vec<CertificateSummary>;

    fn run(arguments: Arguments) -> Result<(Self::Value, Report), Report> {
        summaries(&Input { name: "certificates", bytes: arguments.pem.as_bytes() })
    }
}
