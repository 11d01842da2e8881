//! What a certificate says, in words: for people, for module results and for comparisons.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnixTime;

/// The serial number of a certificate: lower-case hexadecimal digits without leading zeros, so that equal numbers are
/// equal texts whoever wrote them. It reads what `openssl x509 -serial` prints and colon-separated forms.
///
/// ```
/// use pharos_core::certificate::Serial;
/// assert_eq!("serial=00AB:CD".parse::<Serial>().unwrap(), "abcd".parse().unwrap());
/// ```
#[derive(Clone, Debug, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[schemars(transparent)]
pub struct Serial(Box<str>);

impl Serial {
    /// The serial number of these big-endian bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::canonical(&hexadecimal(bytes))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn canonical(digits: &str) -> Self {
        let digits = digits.trim_start_matches('0');
        Self(if digits.is_empty() { "0".into() } else { digits.into() })
    }
}

/// The refusal of a text that should have been a serial number.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SerialError;

impl std::fmt::Display for SerialError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a serial number: write hexadecimal digits")
    }
}

impl std::error::Error for SerialError {}

impl std::str::FromStr for Serial {
    type Err = SerialError;

    fn from_str(text: &str) -> Result<Self, SerialError> {
        let text = text.trim();
        let text = text.strip_prefix("serial=").unwrap_or(text).replace(':', "").to_ascii_lowercase();
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
        if digits { Ok(Self::canonical(&text)) } else { Err(SerialError) }
    }
}

impl<'de> Deserialize<'de> for Serial {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str> as Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl std::fmt::Display for Serial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A certificate in words. All of it is public: nothing here comes from a private key.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateSummary {
    /// Its place among the certificates of the file, from 1.
    pub position: usize,
    /// The line of its BEGIN mark, from 1.
    pub line: usize,
    /// Distinguished name of the subject (RFC 4514 order as stored); empty if it has none.
    pub subject: String,
    /// Distinguished name of the issuer.
    pub issuer: String,
    /// Serial number.
    pub serial: Serial,
    /// Subject alternative names that are DNS names, as written.
    pub dns_names: Vec<String>,
    /// Subject alternative names that are addresses.
    pub ip_addresses: Vec<IpAddr>,
    /// Start of validity.
    pub not_before: UnixTime,
    /// End of validity.
    pub not_after: UnixTime,
    /// Kind and size of the key, for example `EC P-256` or `RSA 2048`.
    pub key: String,
    /// Signature algorithm, for example `ecdsa-with-SHA256`.
    pub signature: String,
    /// Whether basic constraints mark it as a certificate authority.
    pub authority: bool,
    /// SHA-256 of the certificate, lower-case hexadecimal.
    pub fingerprint: String,
}

/// Lower-case hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::Serial;

    #[test]
    fn serials_are_canonical() {
        for text in ["0A1b", "serial=0a1B\n", "0A:1B", "a1b"] {
            assert_eq!(text.parse::<Serial>().unwrap().as_str(), "a1b", "{text}");
        }
        assert_eq!(Serial::from_bytes(&[0, 0]).as_str(), "0");
        assert_eq!(Serial::from_bytes(&[0, 0x0a, 0x1b]), "a1b".parse().unwrap());
        assert!("".parse::<Serial>().is_err() && "xyz".parse::<Serial>().is_err());
    }
}
