//! Nodes: what they are called, and where they are.

use std::borrow::Borrow;
use std::net::IpAddr;
use std::sync::Arc;

use super::host::ends_in_number;
use super::label::is_label;
use super::{NameError, codes, error::quoted, macros::serde_by_text, macros::text_name};

/// The name of a node, which is that of its host in the inventory: a DNS subdomain, labels with dots between them, 253 characters
/// at most (RFC 1123 section 2.1). Copies share one text: a large site names each node in many places.
///
/// ```
/// use pharos_core::name::NodeName;
/// assert!("n1.rack-2".parse::<NodeName>().is_ok());
/// assert!("Node_1".parse::<NodeName>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NodeName(Arc<str>);

/// Whether a text is a DNS subdomain: labels with dots between them, 253 characters at most.
pub(crate) fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label)
}

impl std::str::FromStr for NodeName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if is_subdomain(text) {
            return Ok(Self(text.into()));
        }
        let message = format!("{} is not the name of a node", quoted(text));
        Err(NameError::new(
            codes::NODE_NAME,
            message,
            "write `a-z`, `0-9`, `-` and `.`, each label up to 63 characters",
        ))
    }
}

impl Borrow<str> for NodeName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for NodeName {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

text_name!(NodeName, "node-name", "the name of a node: a DNS subdomain");

/// Where a node is reached: an IP address, or a host name as resolvers take them. It may be of one label, with letters of either
/// case and `_`, but what ends in a number is an address, if a wrong one.
///
/// ```
/// use pharos_core::name::NodeAddress;
/// assert!("192.0.2.30".parse::<NodeAddress>().unwrap().ip().is_some());
/// assert!("n1".parse::<NodeAddress>().unwrap().ip().is_none());
/// assert!("192.0.2.300".parse::<NodeAddress>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NodeAddress(Kind);

#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
enum Kind {
    Ip(IpAddr),
    Name(Box<str>),
}

impl NodeAddress {
    /// The IP address, if it is one and no name.
    pub const fn ip(&self) -> Option<IpAddr> {
        match &self.0 {
            Kind::Ip(address) => Some(*address),
            Kind::Name(_) => None,
        }
    }
}

impl From<IpAddr> for NodeAddress {
    fn from(address: IpAddr) -> Self {
        Self(Kind::Ip(address))
    }
}

impl std::str::FromStr for NodeAddress {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if let Ok(address) = text.parse() {
            return Ok(Self(Kind::Ip(address)));
        }
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        let number = ends_in_number(text);
        if !number && text.len() <= 253 && text.split('.').all(is_label) {
            return Ok(Self(Kind::Name(text.into())));
        }
        // It says nothing of the text: this is a variable of a private file.
        let help = if number {
            "what ends in a number is an address: write four numbers up to 255 with dots between them"
        } else {
            "write an address or a name alone: no port, no brackets"
        };
        let message = format!("{} is neither an IP address nor a host name", quoted(text));
        Err(NameError::new(codes::NODE_ADDRESS, message, help))
    }
}

impl std::fmt::Display for NodeAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Kind::Ip(address) => address.fmt(f),
            Kind::Name(name) => f.write_str(name),
        }
    }
}

serde_by_text!(NodeAddress, "node-address", "an IP address or a host name");

#[cfg(test)]
mod tests {
    use super::{NodeAddress, NodeName};

    #[test]
    fn a_node_is_named_as_kubernetes_has_it() {
        for good in ["n1", "0", "10.0.0.1", "n1.rack-2.example.org", &"x".repeat(63)] {
            assert_eq!(good.parse::<NodeName>().unwrap().as_str(), good);
        }
        for bad in ["", "N1", "n_1", "-n", "n-", "n..1", ".n", "n.", "n 1", &"x".repeat(64), &["x"; 128].join(".")] {
            assert!(bad.parse::<NodeName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_or_a_name_and_nothing_between() {
        for text in ["192.0.2.30", "2001:db8::1", "n1", "N1.Example.org", "a_b.c", "1a"] {
            assert_eq!(text.parse::<NodeAddress>().unwrap().to_string(), text);
        }
        for bad in ["192.0.2.300", "192.0.2", "10", "a.1", "0x7f000001", "n1:22", "[::1]", "", "a..b", "a.", "n 1"] {
            assert!(bad.parse::<NodeAddress>().is_err(), "{bad}");
        }
        let help = |text: &str| text.parse::<NodeAddress>().unwrap_err().help;
        assert!(help("192.0.2.300").contains("ends in a number"));
        assert!(help("n1:22").contains("no port"));
    }
}
