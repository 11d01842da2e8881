//! The test `covers`: whether a certificate is for a host.

use pharos_core::certificate::{Input, ServerName, summaries};
use pharos_core::diagnostic::{Place, Report};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Kind, Plugin};

/// The test.
pub(super) struct Covers;

/// Whether a certificate covers a host.
///
/// True if a subject alternative name of the first certificate of a text in PEM is the host, or a wildcard for it, as browsers read
/// such: `*.example.org` covers `a.example.org`, neither `example.org` nor `a.b.example.org`. The common name is never looked at.
///
/// A text without a certificate that can be read is an error, not false.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The text of the file, the server's own certificate first.
    #[serde(rename = "_input")]
    pem: String,
    /// The host name, or an address.
    host: String,
}

impl Plugin for Covers {
    const NAME: &'static str = "covers";
    const KIND: Kind = Kind::Test;
    const POSITIONAL: &'static [&'static str] = &["_input", "host"];
    const EXAMPLES: &'static str = include_str!("../examples/plugins/covers.yml");
    type Arguments = Arguments;
    type Value = bool;

    fn run(arguments: Arguments) -> Result<(bool, Report), Report> {
        let place = || Place::named("arguments").with_key("/host");
        let host: ServerName =
            arguments.host.parse().map_err(|error: pharos_core::name::NameError| Report::from(error.at(place())))?;
        let (certificates, report) = summaries(&Input { name: "certificates", bytes: arguments.pem.as_bytes() })?;
        Ok((certificates.first().is_some_and(|leaf| leaf.covers(&host)), report))
    }
}
