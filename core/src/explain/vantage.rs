//! Where a request comes from, and how that lies to the network of a rule.

use std::net::IpAddr;

use crate::name::Network;

/// Where a request comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Vantage {
    /// An address that no rule names: somebody, anywhere.
    Anywhere,
    /// An address, as the network that holds it alone, or every address of a network.
    Network(Network),
}

/// How a vantage lies to a network.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Lies {
    Inside,
    Outside,
    /// Some of its addresses are inside and some are not.
    Partly,
}

impl Vantage {
    /// The vantage of one address; one of IPv4 that is written as one of IPv6 is one of IPv4.
    pub fn of(address: IpAddr) -> Self {
        Self::Network(Network::of_host(address.to_canonical()))
    }

    /// How it lies to a network.
    pub(super) fn lies(self, network: &Network) -> Lies {
        let Self::Network(own) = self else {
            // A rule for everybody takes somebody as well.
            return if network.is_default_route() { Lies::Inside } else { Lies::Outside };
        };
        let (own, network) = (own.net(), network.net());
        if network.contains(&own) {
            Lies::Inside
        } else if own.contains(&network) {
            Lies::Partly
        } else {
            Lies::Outside
        }
    }
}

impl std::fmt::Display for Vantage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Anywhere => f.write_str("anywhere"),
            Self::Network(network) if network.is_host() => network.net().addr().fmt(f),
            Self::Network(network) => network.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lies, Vantage};

    #[test]
    fn networks_lie_inside_outside_or_partly() {
        let lies = |own: &str, of: &str| Vantage::Network(own.parse().unwrap()).lies(&of.parse().unwrap());
        assert_eq!(lies("192.0.2.7/32", "192.0.2.0/24"), Lies::Inside);
        assert_eq!(lies("192.0.2.0/24", "192.0.2.0/24"), Lies::Inside);
        assert_eq!(lies("192.0.0.0/16", "192.0.2.0/24"), Lies::Partly);
        assert_eq!(lies("198.51.100.0/24", "192.0.2.0/24"), Lies::Outside);
        assert_eq!(lies("2001:db8::/32", "0.0.0.0/0"), Lies::Outside);
        assert_eq!(Vantage::Anywhere.lies(&"0.0.0.0/0".parse().unwrap()), Lies::Inside);
        assert_eq!(Vantage::Anywhere.lies(&"192.0.2.0/24".parse().unwrap()), Lies::Outside);
    }

    #[test]
    fn an_address_is_said_as_one() {
        assert_eq!(Vantage::of("::ffff:192.0.2.7".parse().unwrap()).to_string(), "192.0.2.7");
        assert_eq!(Vantage::Network("192.0.2.0/24".parse().unwrap()).to_string(), "192.0.2.0/24");
    }
}
