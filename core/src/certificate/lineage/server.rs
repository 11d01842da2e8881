//! ACME servers.

use crate::certificate::codes;
use crate::diagnostic::{Diagnostic, Place};
use crate::name::is_wrong_address;

/// The URL of an ACME directory (RFC 8555 section 7.1.1): `https`, no credentials, query or fragment.
///
/// ```
/// use pharos_core::certificate::lineage::AcmeServer;
/// assert!(AcmeServer::production().as_str().starts_with("https://"));
/// assert!("http://ca.example.org/directory".parse::<AcmeServer>().is_err());
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AcmeServer(Box<str>);

const PRODUCTION: &str = "https://acme-v02.api.letsencrypt.org/directory";
const STAGING: &str = "https://acme-staging-v02.api.letsencrypt.org/directory";

impl AcmeServer {
    /// Let's Encrypt's.
    pub fn production() -> Self {
        Self(PRODUCTION.into())
    }

    /// Let's Encrypt's staging server: generous limits, certificates that nobody trusts.
    pub fn staging() -> Self {
        Self(STAGING.into())
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is known to issue certificates that nobody trusts: certbot goes by the same word.
    pub fn is_staging(&self) -> bool {
        self.0.contains("staging")
    }
}

/// The refusal of a text that should have been an ACME server.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AcmeServerError;

impl AcmeServerError {
    /// The diagnostic at a place. The text is not quoted: it may hold credentials.
    pub fn at(self, place: Place) -> Diagnostic {
        Diagnostic::error(codes::ACME_SERVER, "this is not the URL of an ACME directory")
            .at(place, "")
            .help("write an `https://` URL without credentials, for example `https://ca.example.org/acme/directory`")
    }
}

impl std::fmt::Display for AcmeServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not the URL of an ACME directory: write an `https://` URL without credentials")
    }
}

impl std::error::Error for AcmeServerError {}

impl std::str::FromStr for AcmeServer {
    type Err = AcmeServerError;

    fn from_str(text: &str) -> Result<Self, AcmeServerError> {
        let rest = text.strip_prefix("https://").unwrap_or_default();
        let authority = rest.split('/').next().unwrap_or_default();
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'\\<>^`{|}#?".contains(&byte));
        if plain && !authority.is_empty() && !authority.contains('@') && !is_wrong_address(authority) {
            Ok(Self(text.into()))
        } else {
            Err(AcmeServerError)
        }
    }
}

impl std::fmt::Display for AcmeServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::AcmeServer;

    #[test]
    fn only_directories() {
        for good in
            ["https://127.0.0.1:14000/dir", "https://[::1]:14000/dir", "https://ca.example.org", "https://ca:14000/dir"]
        {
            assert!(good.parse::<AcmeServer>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "https://",
            "https:///dir",
            "http://a.b/dir",
            "https://u:p@a.b/dir",
            "https://a.b/d ir",
            "https://a.b/?x",
            "https://192.0.2.300/dir",
            "https://192.0.2.300:14000/dir",
        ] {
            assert!(bad.parse::<AcmeServer>().is_err(), "{bad}");
        }
    }
}
