//! The two listeners of an edge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edge::render::{HTTP_FILE, HTTPS_FILE};

/// A listener of the edge, with a configuration file and a transaction of its own.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Listener {
    /// Port 80: the ACME challenge, and a redirect of all else.
    Http,
    /// Port 443: the site.
    Https,
}

impl Listener {
    /// The word for it: `http` or `https`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Its port.
    pub const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// Its configuration file.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Http => HTTP_FILE,
            Self::Https => HTTPS_FILE,
        }
    }

    /// The name of its marker under the state directory.
    pub const fn marker(self) -> &'static str {
        match self {
            Self::Http => "http.json",
            Self::Https => "https.json",
        }
    }
}
