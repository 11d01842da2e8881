//! DNS labels, and the names that are one.

use super::{NameError, codes, error::quoted, macros::text_name};

/// A DNS label: 1-63 octets of `a-z 0-9 -`, no hyphen at either end (RFC 1123 section 2.1).
///
/// ```
/// use pharos_core::name::DnsLabel;
/// assert!("site-api".parse::<DnsLabel>().is_ok());
/// assert!("Site_API".parse::<DnsLabel>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct DnsLabel(Box<str>);

pub(super) fn is_label(text: &str) -> bool {
    (1..=63).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

fn label(text: &str) -> Result<Box<str>, NameError> {
    if is_label(text) {
        return Ok(text.into());
    }
    Err(NameError::new(
        codes::DNS_LABEL,
        format!("{} is not a DNS label", quoted(text)),
        "write 1 to 63 of the characters `a-z`, `0-9` and `-`, without a hyphen at either end",
    ))
}

impl std::str::FromStr for DnsLabel {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        label(text).map(Self)
    }
}

text_name!(DnsLabel, "dns-label", "1-63 characters of a-z, 0-9 and -, no hyphen at either end");

/// A Kubernetes namespace: a DNS label.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Namespace(Box<str>);

impl std::str::FromStr for Namespace {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        label(text).map(Self)
    }
}

text_name!(Namespace, "dns-label", "a Kubernetes namespace");

/// The name of a service of the catalogue: a DNS label.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ServiceName(Box<str>);

impl std::str::FromStr for ServiceName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        label(text).map(Self)
    }
}

text_name!(ServiceName, "dns-label", "the name of a service of the catalogue");

/// The name of a Kubernetes Service: a DNS label that begins with a letter (RFC 1035 section 2.3.1). The API server refuses others.
///
/// ```
/// use pharos_core::name::KubernetesService;
/// assert!("platform-1".parse::<KubernetesService>().is_ok());
/// assert!("1platform".parse::<KubernetesService>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KubernetesService(Box<str>);

impl std::str::FromStr for KubernetesService {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let text = label(text)?;
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(NameError::new(
                codes::SERVICE_LABEL,
                format!("{} is not the name of a Kubernetes Service", quoted(&text)),
                "begin with a letter: the API server refuses a Service whose name begins with a digit",
            ));
        }
        Ok(Self(text))
    }
}

text_name!(
    KubernetesService,
    "service-label",
    "the name of a Kubernetes Service: a DNS label that begins with a letter"
);

/// The name of an environment, as in `ENV=icarus-cloud`: a DNS label.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct EnvironmentName(Box<str>);

impl std::str::FromStr for EnvironmentName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        label(text).map(Self)
    }
}

text_name!(EnvironmentName, "dns-label", "the name of an environment");

#[cfg(test)]
mod tests {
    use super::DnsLabel;

    #[test]
    fn only_labels() {
        for good in ["a", "0", "a-b", &"x".repeat(63)] {
            assert!(good.parse::<DnsLabel>().is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a.b", "a_b", "a b", "é", &"x".repeat(64)] {
            assert!(bad.parse::<DnsLabel>().is_err(), "{bad}");
        }
    }
}
