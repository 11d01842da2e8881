//! Networks and socket addresses.

use super::{NameError, codes, macros::serde_by_text};

/// An IPv4 or IPv6 network with no bits set beyond its prefix length.
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
        let net: ipnet::IpNet = text.parse().map_err(|_| {
            let help = match text.parse::<std::net::IpAddr>() {
                Ok(address) => format!("write `{}` for this one host", ipnet::IpNet::from(address)),
                Err(_) => "write an address and a prefix length, for example `192.0.2.0/24`".to_owned(),
            };
            NameError::new(codes::NETWORK, format!("`{}` is not a network", text.escape_debug()), help)
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
        Ok(Self(net))
    }
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
            _ => Err(NameError::new(
                codes::SOCKET_ADDRESS,
                format!("`{}` is not an address with a port", text.escape_debug()),
                "write `192.0.2.10:30080`, or `[2001:db8::10]:30080` for IPv6",
            )),
        }
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
    fn loopback_is_the_host_itself() {
        assert_eq!(Network::LOOPBACK.map(|network| network.to_string()), ["127.0.0.0/8", "::1/128"]);
    }

    #[test]
    fn upstreams_are_addresses() {
        assert!("[2001:db8::1]:443".parse::<SocketAddress>().is_ok());
        for bad in ["gateway:443", "192.0.2.1", "192.0.2.1:0", "::1:443"] {
            assert!(bad.parse::<SocketAddress>().is_err(), "{bad}");
        }
    }
}
