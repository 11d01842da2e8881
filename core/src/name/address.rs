//! Addresses that a server listens on.

use std::net::{IpAddr, SocketAddr};

use super::{NameError, codes, error::quoted, host::address_help, macros::serde_by_text};

/// An address of a host, or all of them in one family: `192.0.2.10`, `2001:db8::10`, `0.0.0.0`, `::`.
///
/// ```
/// use pharos_core::name::ListenAddress;
/// assert!("192.0.2.10".parse::<ListenAddress>().is_ok());
/// assert_eq!("[::1]".parse::<ListenAddress>().unwrap_err().help, "write `::1`");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ListenAddress(IpAddr);

impl ListenAddress {
    /// The address.
    pub fn get(self) -> IpAddr {
        self.0
    }
}

/// An address of this form.
const FORM: &str = "write an IP address of the host, for example `192.0.2.10` or `2001:db8::10`";

impl std::str::FromStr for ListenAddress {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let refused = |help: String| {
            let message = format!("{} is not an address to listen on", quoted(text));
            Err(NameError::new(codes::LISTEN_ADDRESS, message, help))
        };
        let Ok(address) = text.parse::<IpAddr>() else { return refused(meant(text)) };
        if let IpAddr::V6(v6) = address
            && let Some(v4) = v6.to_ipv4_mapped()
        {
            return refused(format!("write `{v4}`"));
        }
        if address.is_multicast() || matches!(address, IpAddr::V4(v4) if v4.is_broadcast()) {
            return refused(format!("no host has it for itself: {FORM}"));
        }
        Ok(Self(address))
    }
}

/// What to write instead of a text that is no address.
fn meant(text: &str) -> String {
    let text = text.trim();
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = text.parse::<SocketAddr>() {
        return format!("write `{}` without the port, which the origins say", address.ip());
    }
    if let Ok(address) = inside.parse::<IpAddr>() {
        return format!("write `{address}`");
    }
    if let Some((address, _)) = inside.split_once(['/', '%'])
        && let Ok(address) = address.parse::<IpAddr>()
    {
        return format!("write the address alone: `{address}`");
    }
    let port = text.trim_start_matches(['*', ':']);
    if text == "*" || (!port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())) {
        return "for all addresses leave the list empty; the ports are those of the origins".to_owned();
    }
    // A lone number was told as a port.
    address_help(inside, FORM)
}

impl std::fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

serde_by_text!(ListenAddress, "listen-address", "an IP address to listen on");

#[cfg(test)]
mod tests {
    use super::ListenAddress;

    #[test]
    fn what_was_meant_is_said() {
        let help = |text: &str| text.parse::<ListenAddress>().unwrap_err().help;
        for (text, said) in [
            ("192.0.2.1:443", "`192.0.2.1` without the port"),
            ("[2001:db8::1]:443", "`2001:db8::1` without the port"),
            ("[::]", "write `::`"),
            ("192.0.2.1/24", "alone: `192.0.2.1`"),
            ("fe80::1%eth0", "alone: `fe80::1`"),
            ("443", "leave the list empty"),
            ("*:443", "leave the list empty"),
            ("*", "leave the list empty"),
            ("::ffff:192.0.2.1", "write `192.0.2.1`"),
            ("224.0.0.1", "no host has it"),
            ("192.0.2.300", "`300` is above 255; write an IP address"),
            ("foo", "write an IP address"),
            ("", "write an IP address"),
        ] {
            assert!(help(text).contains(said), "{text}: {}", help(text));
        }
        for good in ["0.0.0.0", "::", "127.0.0.1", "2001:db8::1"] {
            assert!(good.parse::<ListenAddress>().is_ok(), "{good}");
        }
    }
}
