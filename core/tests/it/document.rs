//! Documents: what is read, what is refused, and that what is written is read back.

use std::collections::{BTreeMap, BTreeSet};

use pharos_core::diagnostic::Report;
use pharos_core::document;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rejected::{Fixture, refused};

/// A document with one key of every kind that a schema can judge.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sample {
    pub(crate) version: u32,
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(default)]
    #[schemars(range(min = 1, max = 86_400))]
    pub(crate) timeout: Option<u32>,
    #[serde(default)]
    pub(crate) share: Option<f64>,
    #[serde(default)]
    pub(crate) colour: Option<Colour>,
    #[serde(default, rename = "match")]
    pub(crate) matches: Option<Match>,
    #[serde(default)]
    pub(crate) rule: Option<Rule>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 3))]
    pub(crate) words: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) set: BTreeSet<u8>,
    #[serde(default)]
    #[schemars(regex(pattern = "^[0-9a-f]+$"))]
    pub(crate) digest: Option<String>,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    #[schemars(extend("multipleOf" = 8))]
    pub(crate) bits: Option<u32>,
    #[serde(default)]
    pub(crate) items: Vec<Item>,
}

/// Variants without content.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Colour {
    /// The colour of stop.
    Red,
    /// The colour of go.
    Green,
}

/// Variants told by their one key.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Match {
    Exact(String),
    Prefix(String),
    Any,
}

/// Variants told by a key of their own.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Rule {
    Required { mode: String },
    Forbidden { profile: String },
}

#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) port: Option<u16>,
}

/// A type that admits less than its schema: what `document/decode` is for.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "for the schema alone")]
struct Narrow(String);

impl<'de> Deserialize<'de> for Narrow {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("the type refuses"))
    }
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    match fixture.what() {
        "decode" => refused(document::read::<Narrow>(&fixture.source())),
        _ => refused(document::read::<Sample>(&fixture.source())),
    }
}
