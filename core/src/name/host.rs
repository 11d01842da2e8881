//! Host names.

use super::{DnsLabel, NameError, codes, error::quoted, label::is_label, macros::text_name};

/// Whether the last label is a number, `300` or `0x1f`: what ends so is an address, if a wrong one, and no host name (RFC 3696
/// section 2; the WHATWG's URL standard, "ends in a number"). One final dot does not count.
pub(crate) fn ends_in_number(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    let last = text.rsplit('.').next().unwrap_or_default();
    match last.strip_prefix("0x").or_else(|| last.strip_prefix("0X")) {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// Whether the host of `HOST` or `HOST:PORT` has the look of an address of IPv4 and is none, as 192.0.2.300.
pub(crate) fn is_wrong_address(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    ends_in_number(host) && !host.contains(':') && host.parse::<std::net::Ipv4Addr>().is_err()
}

/// Why a text that ends in a number is no address, in a clause; `None` if it does not end in one, or is an address.
pub(crate) fn why_no_address(text: &str) -> Option<String> {
    if !ends_in_number(text) || text.parse::<std::net::IpAddr>().is_ok() {
        return None;
    }
    let parts: Vec<&str> = text.split('.').collect();
    let decimal = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let above = parts.iter().find(|part| decimal(part) && part.parse::<u8>().is_err());
    // Nothing but a short number is repeated: the text may be a secret that stands in the wrong place.
    let why = match above.filter(|part| part.len() <= 5) {
        Some(part) => format!("`{part}` is above 255"),
        None if above.is_some() || !parts.iter().all(decimal) => "a part of it is no number up to 255".to_owned(),
        None if parts.len() != 4 => format!("one has four numbers, this {}", parts.len()),
        None => "no number of it begins with a 0".to_owned(),
    };
    Some(format!("what ends in a number is an address, and {why}"))
}

/// What to write instead of an address with a slip in it: why it is none, where that can be said, and the form.
pub(crate) fn address_help(text: &str, form: &str) -> String {
    why_no_address(text).map_or_else(|| form.to_owned(), |why| format!("{why}; {form}"))
}

/// A fully qualified host name in canonical form: lower case, two labels or more, 253 octets at most, no trailing dot,
/// never an address (RFC 1123 section 2.1; a last label that is a number would make it one, RFC 3696 section 2).
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
        let address = ends_in_number(text);
        if labels.len() >= 2 && text.len() <= 253 && !address && labels.iter().all(|label| is_label(label)) {
            return Ok(Self(text.into()));
        }
        let lower = text.trim_end_matches('.').to_ascii_lowercase();
        let wanted = "write the name that browsers use; an address cannot stand here";
        let (what, help) = if lower != text && lower.parse::<Self>().is_ok() {
            ("not a host name", format!("write `{lower}`"))
        } else if let Some(why) = why_no_address(text) {
            ("neither a host name nor an address", format!("{why}: {wanted}"))
        } else if address {
            ("an address, not a host name", wanted.to_owned())
        } else {
            let help = "write a fully qualified name: labels of `a-z`, `0-9` and `-` joined by dots";
            ("not a host name", help.to_owned())
        };
        Err(NameError::new(codes::HOST_NAME, format!("{} is {what}", quoted(text)), help))
    }
}

text_name!(HostName, "host-name", "a fully qualified host name in lower case");

#[cfg(test)]
mod tests {
    use super::{HostName, ends_in_number, is_wrong_address};

    #[test]
    fn what_may_be_a_secret_is_not_quoted() {
        let key = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----";
        for secret in [key.to_owned(), "c2VjcmV0".repeat(50)] {
            let refused = secret.parse::<HostName>().unwrap_err();
            assert_eq!(refused.message, format!("a text of {} characters is not a host name", secret.len()));
            assert!(!refused.help.contains("MIGH") && !refused.help.contains("c2Vj"), "{refused}");
        }
        assert!("shop_1.example.org".parse::<HostName>().unwrap_err().message.contains("`shop_1.example.org`"));
    }

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
    fn what_ends_in_a_number_is_an_address() {
        for text in ["192.0.2.300", "a.1", "a.example.0", "192.0.2.0x1f", "a.0x", "192.0.2.300."] {
            assert!(ends_in_number(text), "{text}");
            let error = text.parse::<HostName>().unwrap_err();
            assert!(error.help.contains("an address cannot stand here"), "{text}: {}", error.help);
        }
        let why = |text: &str| super::why_no_address(text).unwrap();
        assert!(why("192.0.2.300").ends_with("and `300` is above 255"));
        assert!(why("192.0.2").ends_with("and one has four numbers, this 3"));
        assert!(why("192.0.2.010").ends_with("and no number of it begins with a 0"));
        for text in ["a.1", "hunter2.5550123"] {
            assert!(why(text).ends_with("and a part of it is no number up to 255"));
        }
        assert_eq!(super::why_no_address("192.0.2.30"), None);
        for text in ["a.example.org", "a.1a", "1.a", "a.0xg", "a.x1", ""] {
            assert!(!ends_in_number(text), "{text}");
        }
    }

    #[test]
    fn an_authority_may_have_an_address() {
        for text in
            ["192.0.2.30", "192.0.2.30:443", "[2001:db8::1]:443", "[2001:db8::1]", "2001:db8::1", "a:443", "a.b"]
        {
            assert!(!is_wrong_address(text), "{text}");
        }
        for text in ["192.0.2.300", "192.0.2.300:443", "192.0.2", "a.1:443"] {
            assert!(is_wrong_address(text), "{text}");
        }
    }

    #[test]
    fn the_help_spells_it_right() {
        let error = "Platform.Example.Org.".parse::<HostName>().unwrap_err();
        assert_eq!(error.help, "write `platform.example.org`");
    }
}
