//! The file as it is written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::name::DnsLabel;

/// How a site signs people in at the external AAI.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExternalIdentity {
    /// 1.
    pub version: u32,
    /// The issuer, exactly as its discovery document states it: `https://`, host and path.
    #[schemars(length(min = 1, max = 2048))]
    pub issuer: String,
    /// The public certificate, or certificates, of the authority that the issuer's TLS is verified by, in PEM.
    #[schemars(length(min = 1, max = 262_144))]
    pub ca_certificate: String,
    /// The registration of each client, by the name that the platform has for it.
    pub clients: BTreeMap<DnsLabel, Client>,
}

/// A client that is registered at the issuer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// The identifier that it is registered by.
    #[schemars(length(min = 1, max = 255))]
    pub client_id: String,
    /// Its secret.
    pub client_secret: Secret,
}

/// A secret: it has no form but the one in which it is handed on.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Secret(#[schemars(length(min = 1, max = 4096))] String);

impl Secret {
    /// The text, for the object that it is delivered in.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Without the text: a `Debug` form ends up in panics and logs.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}
