//! The address that a question names.

use std::net::Ipv6Addr;

use super::codes;
use super::question::MAX_TEXT;
use crate::diagnostic::{Diagnostic, Place};
use crate::name::Port;

/// What a client that is given an address sends, if it changes nothing of it.
pub(super) struct Address {
    pub(super) port: Port,
    /// The host without its port and final dot; `None` for an IP address, which is never sent (RFC 6066 section 3).
    pub(super) sni: Option<Box<str>>,
    /// The host, with a port that is not HTTPS's own.
    pub(super) host: Box<str>,
    /// The rest, beginning with a slash.
    pub(super) target: Box<str>,
}

impl Address {
    /// Takes a URL apart.
    ///
    /// # Errors
    /// `explain/url`
    pub(super) fn parse(url: &str) -> Result<Self, Diagnostic> {
        // It is not quoted: it may hold a credential.
        let refused =
            |message: &str, help: &str| Diagnostic::error(codes::URL, message).at(Place::named("url"), "").help(help);
        let form = "write `https://`, a host and a path, for example `https://platform.example.org/api/`";
        let Some(rest) = after_scheme(url, "https://") else {
            if after_scheme(url, "http://").is_some() {
                let help = "ask about `https://`, with the port of the origin; of plain HTTP only the redirect is ours, and only where \
                            certbot has a listener on port 80";
                return Err(refused("routes are served over HTTPS alone", help));
            }
            return Err(refused("this is not the address of a route", form));
        };
        if url.len() > MAX_TEXT || url.contains(['\r', '\n', '\0', '#']) {
            let help =
                "leave the fragment out, which no client sends; give an odd request target by itself, as `target`";
            return Err(refused("a fragment, a line break or 4096 bytes and more cannot be sent as an address", help));
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(refused("an address of a route has no credentials", "leave out what stands before the `@`"));
        }
        let (name, port) = host_and_port(authority).ok_or_else(|| refused("this is not a host with a port", form))?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        let is_address = name.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok();
        Ok(Self {
            port,
            sni: (!is_address).then(|| name.strip_suffix('.').unwrap_or(name).into()),
            host: if port == Port::HTTPS { name.into() } else { authority.into() },
            target: format!("{slash}{path}").into(),
        })
    }
}

/// What follows a scheme, which is written in letters of any case (RFC 3986 section 3.1).
fn after_scheme<'u>(url: &'u str, scheme: &str) -> Option<&'u str> {
    let (start, rest) = url.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then_some(rest)
}

fn host_and_port(authority: &str) -> Option<(&str, Port)> {
    let (name, port) = match authority.strip_prefix('[').and_then(|rest| rest.find(']')) {
        Some(end) => {
            let (name, port) = authority.split_at(end + 2);
            name.trim_matches(['[', ']']).parse::<Ipv6Addr>().ok()?;
            (name, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
        }
        None => match authority.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (authority, None),
        },
    };
    let sendable = !name.is_empty() && name.is_ascii() && name.len() <= 255 && !name.contains([' ', '\t', '\\']);
    let port = match port {
        None => Port::HTTPS,
        Some(digits) => digits.parse().ok().and_then(Port::new)?,
    };
    sendable.then_some((name, port))
}

#[cfg(test)]
mod tests {
    use super::Address;

    fn parts(url: &str) -> Option<(u16, Option<String>, String, String)> {
        let address = Address::parse(url).ok()?;
        Some((address.port.get(), address.sni.map(String::from), address.host.into(), address.target.into()))
    }

    #[test]
    fn what_a_client_sends() {
        let sent = |port, sni: Option<&str>, host: &str, target: &str| {
            Some((port, sni.map(str::to_owned), host.to_owned(), target.to_owned()))
        };
        assert_eq!(parts("https://a.b"), sent(443, Some("a.b"), "a.b", "/"));
        assert_eq!(parts("HTTPS://A.b/X"), sent(443, Some("A.b"), "A.b", "/X"));
        assert_eq!(parts("hTTps://a.b"), parts("https://a.b"));
        assert_eq!(parts("https://A.b.:443/x?y=/#z"), None);
        assert_eq!(parts("https://A.b.:443/x?y=/"), sent(443, Some("A.b"), "A.b.", "/x?y=/"));
        assert_eq!(parts("https://a.b:8443?x"), sent(8443, Some("a.b"), "a.b:8443", "/?x"));
        assert_eq!(parts("https://192.0.2.1/"), sent(443, None, "192.0.2.1", "/"));
        assert_eq!(parts("https://[2001:db8::1]:1/"), sent(1, None, "[2001:db8::1]:1", "/"));
        assert_eq!(parts(r"https://a.b/..\%5c//;x"), sent(443, Some("a.b"), "a.b", r"/..\%5c//;x"));
        for bad in [
            "",
            "a.b",
            "http://a.b/",
            "HTTP://a.b/",
            "HTTPS:/a.b",
            "https://",
            "https://:1/",
            "https://a.b:0/",
            "https://[x]/",
            "https://u:p@a.b/",
        ] {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_credential_is_not_repeated() {
        let refusal = Address::parse("https://u:hunter2@a.b/").err().unwrap();
        assert!(!format!("{refusal:?}").contains("hunter2"));
    }
}
