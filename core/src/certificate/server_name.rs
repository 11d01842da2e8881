//! The names that clients ask for, and whether a certificate carries them.

use std::net::IpAddr;

use super::codes;
use super::facts::Certificate;
use super::summary::CertificateSummary;
use crate::diagnostic::{Diagnostic, Findings};
use crate::name::{HostName, NameError, why_no_address};

/// What a client connects to: a host name, or an address.
///
/// ```
/// use pharos_core::certificate::ServerName;
/// assert!(matches!("192.0.2.1".parse().unwrap(), ServerName::Address(_)));
/// assert!(matches!("a.example.org".parse().unwrap(), ServerName::Host(_)));
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ServerName {
    /// A host name: a DNS name among the subject alternative names must match it.
    Host(HostName),
    /// An address: it must be among the subject alternative names as an address.
    Address(IpAddr),
}

impl std::str::FromStr for ServerName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.parse() {
            Ok(address) => Ok(Self::Address(address)),
            Err(_) => text.parse().map(Self::Host).map_err(|error: NameError| match why_no_address(text) {
                Some(why) => NameError { help: format!("{why}: correct it, or write a host name"), ..error },
                None => error,
            }),
        }
    }
}

impl std::fmt::Display for ServerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host(host) => host.fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

impl From<HostName> for ServerName {
    fn from(host: HostName) -> Self {
        Self::Host(host)
    }
}

/// Whether a DNS name of a certificate covers a host (RFC 6125 section 6.4, as browsers read it): equal without regard to
/// case, or `*.` before at least two labels standing for exactly one label. A final dot or a `*` inside a label never
/// matches.
pub(super) fn covers(pattern: &str, host: &HostName) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => domain.contains('.') && !domain.contains('*') && domain.eq_ignore_ascii_case(host.domain()),
        None => pattern.eq_ignore_ascii_case(host.as_str()),
    }
}

impl CertificateSummary {
    /// Whether its subject alternative names cover a host or an address.
    pub fn covers(&self, name: &ServerName) -> bool {
        match name {
            ServerName::Host(host) => self.dns_names.iter().any(|pattern| covers(pattern, host)),
            ServerName::Address(address) => self.ip_addresses.contains(address),
        }
    }
}

/// Reports each name that the certificate does not carry. The common name is never looked at: no client does.
pub(super) fn check(leaf: &Certificate, names: &[ServerName], findings: &mut Findings) {
    if !leaf.usage.alternative_names {
        findings.push(
            Diagnostic::error(
                codes::NO_ALTERNATIVE_NAME,
                format!("{} has no subject alternative name; clients do not look at the common name", leaf.title()),
            )
            .at(leaf.place.clone(), "")
            .help("have it issued again with each host as a DNS name among the subject alternative names"),
        );
        return;
    }
    for name in names.iter().filter(|name| !leaf.summary.covers(name)) {
        findings.push(
            Diagnostic::error(codes::HOST_MISMATCH, format!("{} does not name `{name}`", leaf.title()))
                .at(leaf.place.clone(), format!("it names {}", listed(leaf)))
                .help(advice(leaf, name)),
        );
    }
}

fn advice(leaf: &Certificate, name: &ServerName) -> String {
    let patterns = &leaf.summary.dns_names;
    match name {
        ServerName::Address(address) if patterns.contains(&address.to_string()) => {
            "the address stands there as a DNS name: have it issued as an IP address instead".to_owned()
        }
        ServerName::Address(_) => format!("have it issued with the address {name} among its alternative names"),
        ServerName::Host(host) => {
            let near = |pattern: &&String| {
                pattern.trim_end_matches('.').eq_ignore_ascii_case(host.as_str())
                    || pattern.contains('*') && host.as_str().ends_with(pattern.rsplit('*').next().unwrap_or_default())
            };
            match patterns.iter().find(near) {
                Some(pattern) if pattern.contains('*') => format!(
                    "`{}` stands for one whole label before a domain of two labels or more: have it issued for `{name}`",
                    pattern.escape_debug()
                ),
                Some(_) => "the name there ends in a dot, which no client takes: have it issued without".to_owned(),
                None => format!("have it issued for `{name}`, or name the file of that host's certificate"),
            }
        }
    }
}

/// The names of a certificate as a message lists them: at most five.
fn listed(leaf: &Certificate) -> String {
    let hosts = leaf.summary.dns_names.iter().map(|name| format!("`{}`", name.escape_debug()));
    let all: Vec<String> = hosts.chain(leaf.summary.ip_addresses.iter().map(ToString::to_string)).collect();
    let shown = all.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    match all.len().checked_sub(5) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ if all.is_empty() => "neither hosts nor addresses".to_owned(),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn what_is_neither_an_address_nor_a_name_says_why() {
        let error = "192.0.2.300".parse::<super::ServerName>().unwrap_err();
        assert_eq!(error.message, "`192.0.2.300` is neither a host name nor an address");
        assert!(error.help.contains("`300` is above 255: correct it, or write a host name"), "{}", error.help);
    }

    #[test]
    fn wildcards_stand_for_one_label() {
        let cases = [
            ("a.edge.test", "a.edge.test", true),
            ("A.EDGE.TEST", "a.edge.test", true),
            ("*.edge.test", "a.edge.test", true),
            ("*.edge.test", "xn--bcher-kva.edge.test", true),
            ("*.edge.test", "a.b.edge.test", false),
            ("*.edge.test", "edge.test", false),
            ("*.test", "edge.test", false),
            ("a*.edge.test", "ab.edge.test", false),
            ("*.*.test", "a.b.test", false),
            ("a.edge.test.", "a.edge.test", false),
            ("*", "a.test", false),
            ("", "a.test", false),
        ];
        for (pattern, host, expected) in cases {
            assert_eq!(covers(pattern, &host.parse().unwrap()), expected, "{pattern} {host}");
        }
    }
}
