//! Networks and socket addresses.

use super::{
    NameError, codes,
    error::quoted,
    host::{address_help, ends_in_number},
    label::is_label,
    macros::serde_by_text,
};

/// An IPv4 or IPv6 network with no bits set beyond its prefix length. One of IPv4 is written as such, never mapped into IPv6, where it
/// would be compared with addresses that no connection has.
///
/// ```
/// use pharos_core::name::Network;
/// assert!("192.0.2.0/24".parse::<Network>().is_ok());
/// assert!("192.0.2.7/24".parse::<Network>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Network(ipnet::IpNet);

impl Network {
    /// The host itself, in either address family.
    pub const LOOPBACK: [Self; 2] = [
        Self(ipnet::IpNet::V4(ipnet::Ipv4Net::new_assert(std::net::Ipv4Addr::new(127, 0, 0, 0), 8))),
        Self(ipnet::IpNet::V6(ipnet::Ipv6Net::new_assert(std::net::Ipv6Addr::LOCALHOST, 128))),
    ];

    /// The network that holds one address alone.
    pub fn of_host(address: std::net::IpAddr) -> Self {
        Self(address.into())
    }

    /// Where a request comes from: an address, or a network.
    ///
    /// # Errors
    /// `name/network` if it is neither, `name/network-host-bits` for a network with bits beyond its prefix length.
    pub fn of_sender(text: &str) -> Result<Self, NameError> {
        if let Ok(address) = text.parse::<std::net::IpAddr>() {
            return Ok(Self::of_host(address.to_canonical()));
        }
        text.parse().map_err(|error: NameError| {
            if error.code != codes::NETWORK {
                return error;
            }
            let form = "write an address, for example `192.0.2.7`, or a network, for example `192.0.2.0/24`";
            let help = address_help(text, form);
            NameError::new(codes::NETWORK, format!("{} is neither an address nor a network", quoted(text)), help)
        })
    }

    /// Whether it holds one address alone.
    pub fn is_host(&self) -> bool {
        self.0.prefix_len() == self.0.max_prefix_len()
    }

    /// The network.
    pub fn net(&self) -> ipnet::IpNet {
        self.0
    }

    /// Whether it is everything: a default route.
    pub fn is_default_route(&self) -> bool {
        self.0.prefix_len() == 0
    }

    /// Whether the address lies in it.
    pub fn contains(&self, address: std::net::IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl std::str::FromStr for Network {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let net = parse(text).ok_or_else(|| {
            let form = "write an address and a prefix length, for example `192.0.2.0/24`";
            let help = match text.parse::<std::net::IpAddr>() {
                Ok(address) => format!("write `{}` for this one host", ipnet::IpNet::from(address)),
                Err(_) => address_help(text.split('/').next().unwrap_or_default(), form),
            };
            NameError::new(codes::NETWORK, format!("{} is not a network", quoted(text)), help)
        })?;
        if net.trunc() != net {
            return Err(NameError::new(
                codes::NETWORK_HOST_BITS,
                format!("`{text}` has bits set beyond its prefix length"),
                format!(
                    "write `{}` for the network or `{}` for the one host",
                    net.trunc(),
                    ipnet::IpNet::from(net.addr())
                ),
            ));
        }
        if let Some(plain) = mapped(net) {
            return Err(NameError::new(
                codes::NETWORK,
                format!("`{text}` is a network of IPv4 in the clothes of IPv6, which matches no address"),
                format!("write `{plain}`"),
            ));
        }
        Ok(Self(net))
    }
}

/// An address as the standard library reads it, no number with a leading zero, which others read as octal; and a prefix length.
fn parse(text: &str) -> Option<ipnet::IpNet> {
    let (address, length) = text.split_once('/')?;
    let digits = length.bytes().all(|byte| byte.is_ascii_digit()) && (length == "0" || !length.starts_with('0'));
    ipnet::IpNet::new(address.parse().ok()?, length.parse().ok().filter(|_| digits)?).ok()
}

/// The IPv4 network that an IPv6 one maps.
fn mapped(net: ipnet::IpNet) -> Option<ipnet::IpNet> {
    let ipnet::IpNet::V6(net) = net else { return None };
    let length = net.prefix_len().checked_sub(96)?;
    ipnet::Ipv4Net::new(net.addr().to_ipv4_mapped()?, length).ok().map(ipnet::IpNet::V4)
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

serde_by_text!(Network, "network", "an IPv4 or IPv6 network, for example 192.0.2.0/24");

/// An IP address with a port that is not 0, written `192.0.2.10:443` or `[2001:db8::1]:443`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SocketAddress(std::net::SocketAddr);

impl SocketAddress {
    /// The address.
    pub fn get(&self) -> std::net::SocketAddr {
        self.0
    }
}

impl std::str::FromStr for SocketAddress {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.parse::<std::net::SocketAddr>() {
            Ok(address) if address.port() != 0 => Ok(Self(address)),
            _ => {
                let message = format!("{} is not an address with a port", quoted(text));
                Err(NameError::new(codes::SOCKET_ADDRESS, message, socket_address(text)))
            }
        }
    }
}

/// What to write instead of a text that is no address with a port. Of the text itself no more than an address and a port is repeated.
fn socket_address(text: &str) -> String {
    const FORM: &str = "write `192.0.2.10:30080`, or `[2001:db8::10]:30080` for IPv6";
    const WHY: &str = "no name, which nginx would look up once, when it starts";
    let text = text.trim();
    if let Some((_, rest)) = text.split_once("://")
        && let Ok(address) = rest.trim_end_matches('/').parse::<std::net::SocketAddr>()
    {
        return format!("write it without the scheme: `{address}`");
    }
    if text.parse::<std::net::SocketAddr>().is_ok() {
        return format!("no server listens on port 0; {FORM}");
    }
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    match inside.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(address)) => return format!("add the port, for example `{address}:30080`"),
        Ok(std::net::IpAddr::V6(_)) => {
            return format!("put the address into brackets and the port behind them; {FORM}");
        }
        Err(_) => {}
    }
    let (host, port) = text.rsplit_once(':').map_or((text, None), |(host, port)| (host, port.parse::<u16>().ok()));
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_name = !ends_in_number(host) && host.split('.').all(|label| is_label(&label.to_ascii_lowercase()));
    match port {
        Some(port @ 1..) if host.eq_ignore_ascii_case("localhost") => {
            format!("write the address, `127.0.0.1:{port}` or `[::1]:{port}`, and {WHY}")
        }
        _ if is_name => format!("{FORM}: an address, and {WHY}"),
        _ => address_help(host, FORM),
    }
}

impl std::fmt::Display for SocketAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

serde_by_text!(SocketAddress, "socket-address", "an IP address with a port");

#[cfg(test)]
mod tests {
    use super::{Network, SocketAddress, codes};

    #[test]
    fn host_bits_are_named() {
        let error = "192.0.2.7/24".parse::<Network>().unwrap_err();
        assert_eq!(error.code, codes::NETWORK_HOST_BITS);
        assert_eq!(error.help, "write `192.0.2.0/24` for the network or `192.0.2.7/32` for the one host");
    }

    #[test]
    fn networks_are_written_in_one_way() {
        for (bad, help) in [
            ("::ffff:192.0.2.10/128", "write `192.0.2.10/32`"),
            ("::ffff:198.51.100.0/120", "write `198.51.100.0/24`"),
            ("::ffff:0:0/96", "write `0.0.0.0/0`"),
            ("192.000.002.010/32", "no number of it begins with a 0"),
            ("10.0.0.0/08", "write an address and a prefix length"),
            ("10.0.0.0/+8", "write an address and a prefix length"),
        ] {
            let error = bad.parse::<Network>().unwrap_err();
            assert_eq!(error.code, codes::NETWORK, "{bad}");
            assert!(error.help.contains(help), "{bad}: {}", error.help);
        }
        for good in ["0.0.0.0/0", "::/0", "::/96", "2001:db8::/32"] {
            assert!(good.parse::<Network>().is_ok(), "{good}");
        }
    }

    #[test]
    fn loopback_is_the_host_itself() {
        assert_eq!(Network::LOOPBACK.map(|network| network.to_string()), ["127.0.0.0/8", "::1/128"]);
    }

    #[test]
    fn upstreams_are_addresses() {
        assert!("[2001:db8::1]:443".parse::<SocketAddress>().is_ok());
        for (bad, said) in [
            ("localhost:30080", "write the address, `127.0.0.1:30080` or `[::1]:30080`, and no name"),
            ("localhost", "an address, and no name"),
            ("gateway:443", "an address, and no name"),
            ("gateway.example.org.:443", "an address, and no name"),
            ("192.0.2.1", "add the port, for example `192.0.2.1:30080`"),
            ("192.0.2.1:0", "port 0"),
            ("::1:443", "into brackets"),
            ("[::1]", "into brackets"),
            ("http://127.0.0.1:30080/", "without the scheme: `127.0.0.1:30080`"),
            ("192.0.2.300:80", "`300` is above 255"),
            ("user:password@gateway:443", "write `192.0.2.10:30080`, or `[2001:db8::10]:30080` for IPv6"),
        ] {
            let help = bad.parse::<SocketAddress>().unwrap_err().help;
            assert!(help.contains(said), "{bad}: {help}");
            assert!(!help.contains("gateway") && !help.contains("password"), "{help}");
        }
    }
}
