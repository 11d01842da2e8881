//! The test `host_name`: whether a text is the name of a host.

use pharos_core::diagnostic::Report;
use pharos_core::name::HostName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Kind, Plugin};

/// The test.
pub(super) struct IsHostName;

/// Whether a text is the name of a host.
///
/// True of a name as a site's documents write it: labels of lower-case letters, digits and hyphens, two or more of them, without a
/// final dot. An address is none, and neither is a value that is no text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The value.
    #[serde(default, rename = "_input")]
    value: Value,
}

impl Plugin for IsHostName {
    const NAME: &'static str = "host_name";
    const KIND: Kind = Kind::Test;
    const POSITIONAL: &'static [&'static str] = &["_input"];
    const EXAMPLES: &'static str = include_str!("../examples/plugins/host_name.yml");
    type Arguments = Arguments;
    type Value = bool;

    fn run(arguments: Arguments) -> Result<(bool, Report), Report> {
        let is = arguments.value.as_str().is_some_and(|text| text.parse::<HostName>().is_ok());
        Ok((is, Report::default()))
    }
}
