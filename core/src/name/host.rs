//! Host names.

use super::{DnsLabel, NameError, codes, label::is_label, macros::text_name};

/// A fully qualified host name in canonical form: lower case, two labels or more, 253 octets at most, no trailing dot,
/// never an address (RFC 1123 section 2.1; a last label of digits alone would be one, RFC 3696 section 2).
///
/// ```
/// use pharos_core::name::HostName;
/// let host: HostName = "platform.example.org".parse().unwrap();
/// assert_eq!(host.first_label().as_str(), "platform");
/// assert!("192.0.2.1".parse::<HostName>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct HostName(Box<str>);

impl HostName {
    /// The first label.
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "every part of a host name was checked to be a label"
    )]
    pub fn first_label(&self) -> DnsLabel {
        let first = self.0.split('.').next().unwrap_or_default();
        first.parse().expect("a label")
    }

    /// What follows the first label.
    pub fn domain(&self) -> &str {
        self.0.split_once('.').map_or("", |(_, domain)| domain)
    }
}

impl std::str::FromStr for HostName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let labels: Vec<&str> = text.split('.').collect();
        let address = labels.last().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
        if labels.len() >= 2 && text.len() <= 253 && !address && labels.iter().all(|label| is_label(label)) {
            return Ok(Self(text.into()));
        }
        let lower = text.trim_end_matches('.').to_ascii_lowercase();
        let help = if lower != text && lower.parse::<Self>().is_ok() {
            format!("write `{lower}`")
        } else if address {
            "write the name that browsers use; an address cannot stand here".to_owned()
        } else {
            "write a fully qualified name: labels of `a-z`, `0-9` and `-` joined by dots".to_owned()
        };
        Err(NameError::new(codes::HOST_NAME, format!("`{}` is not a host name", text.escape_debug()), help))
    }
}

text_name!(HostName, "host-name", "a fully qualified host name in lower case");

#[cfg(test)]
mod tests {
    use super::HostName;

    #[test]
    fn only_canonical_names() {
        for good in
            ["a.b", "platform.staging.pharosfactory.ai", "xn--nxasmq6b.test", "icarus-site.pharos.127.0.0.1.sslip.io"]
        {
            assert!(good.parse::<HostName>().is_ok(), "{good}");
        }
        for bad in ["", "a", "a.", ".a", "a..b", "A.b", "a.b.", "*.a.b", "1.2.3.4", "a.b;", "a_b.c", "[::1]", "a b.c"] {
            assert!(bad.parse::<HostName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_help_spells_it_right() {
        let error = "Platform.Example.Org.".parse::<HostName>().unwrap_err();
        assert_eq!(error.help, "write `platform.example.org`");
    }
}
