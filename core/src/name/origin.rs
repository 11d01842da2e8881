//! Origins.

use super::{HostName, NameError, Port, codes, macros::serde_by_text};

/// Scheme, host and port of a site (RFC 6454), written `https://host` or `https://host:port`.
///
/// ```
/// use pharos_core::name::Origin;
/// let origin: Origin = "https://platform.example.org".parse().unwrap();
/// assert_eq!((origin.is_https(), origin.port().get()), (true, 443));
/// assert!("https://user:secret@platform.example.org".parse::<Origin>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Origin {
    host: HostName,
    port: Port,
    https: bool,
}

impl Origin {
    /// `https` at its own port.
    pub fn https(host: &HostName) -> Self {
        Self { host: host.clone(), port: Port::HTTPS, https: true }
    }

    /// The same scheme and port at another host.
    #[must_use]
    pub fn of_host(&self, host: &HostName) -> Self {
        Self { host: host.clone(), ..self.clone() }
    }

    /// The host.
    pub fn host(&self) -> &HostName {
        &self.host
    }

    /// The port: the written one, or the scheme's own.
    pub fn port(&self) -> Port {
        self.port
    }

    /// Whether the scheme is `https`; the only other one is `http`.
    pub fn is_https(&self) -> bool {
        self.https
    }

    fn own_port(https: bool) -> Port {
        if https { Port::HTTPS } else { Port::HTTP }
    }
}

impl std::str::FromStr for Origin {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let wrong = |help: &str| NameError::new(codes::ORIGIN, "this is not an origin", help);
        let (https, rest) = match text.split_once("://") {
            Some(("https", rest)) => (true, rest),
            Some(("http", rest)) => (false, rest),
            _ => return Err(wrong("write `https://` and the host name")),
        };
        if rest.contains(['@', '/', '?', '#']) {
            // The text is not quoted: it may hold credentials.
            return Err(NameError::new(
                codes::ORIGIN_SURPLUS,
                "an origin has no credentials, path, query or fragment",
                "write scheme and host name alone",
            ));
        }
        let (host, port) = match rest.split_once(':') {
            None => (rest, Self::own_port(https)),
            Some((host, digits)) => {
                let canonical = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
                let port = digits.parse().ok().and_then(Port::new).filter(|_| canonical);
                (host, port.ok_or_else(|| wrong("write a port between 1 and 65535, or none"))?)
            }
        };
        Ok(Self { host: host.parse()?, port, https })
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", if self.https { "https" } else { "http" }, self.host)?;
        if self.port == Self::own_port(self.https) { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

serde_by_text!(Origin, "origin", "scheme://host or scheme://host:port, nothing else");

#[cfg(test)]
mod tests {
    use super::{Origin, codes};

    #[test]
    fn the_own_port_is_not_written() {
        for (text, shown) in [
            ("https://a.b:443", "https://a.b"),
            ("http://a.b:80", "http://a.b"),
            ("https://a.b:8443", "https://a.b:8443"),
        ] {
            assert_eq!(text.parse::<Origin>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn credentials_are_refused_and_not_repeated() {
        let error = "https://u:hunter2@a.b".parse::<Origin>().unwrap_err();
        assert_eq!(error.code, codes::ORIGIN_SURPLUS);
        assert!(!error.to_string().contains("hunter2"));
    }

    #[test]
    fn only_origins() {
        for bad in [
            "",
            "a.b",
            "HTTPS://a.b",
            "ftp://a.b",
            "https://",
            "https://a.b:",
            "https://a.b:0",
            "https://a.b:99999",
            "https://a.b:080",
            "https://a.b/",
            "https://a.b?x",
            "https://1.2.3.4",
        ] {
            assert!(bad.parse::<Origin>().is_err(), "{bad}");
        }
    }
}
