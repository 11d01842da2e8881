//! Addresses that nginx listens on, in one spelling.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// What a listener is bound to. `80`, `*:80` and `0.0.0.0:80` are the same endpoint.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Endpoint {
    /// An address and a port.
    Ip(SocketAddr),
    /// A host name and a port: nginx resolves it when it starts, the core cannot.
    Name(Box<str>, u16),
    /// A socket in the file system.
    Unix(Box<str>),
}

impl Endpoint {
    /// All IPv4 addresses, on this port.
    pub const fn any_v4(port: u16) -> Self {
        Self::Ip(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port))
    }

    /// All IPv6 addresses, on this port.
    pub const fn any_v6(port: u16) -> Self {
        Self::Ip(SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), port))
    }

    /// The port; a socket in the file system has none.
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Ip(address) => Some(address.port()),
            Self::Name(_, port) => Some(*port),
            Self::Unix(_) => None,
        }
    }

    /// The address, where it is one.
    pub fn ip(&self) -> Option<IpAddr> {
        match self {
            Self::Ip(address) => Some(address.ip()),
            Self::Name(..) | Self::Unix(_) => None,
        }
    }

    /// Whether it is every address of its family.
    pub fn is_wildcard(&self) -> bool {
        self.ip().is_some_and(|ip| ip.is_unspecified())
    }

    /// Whether only this host itself can reach it.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Ip(address) => address.ip().is_loopback(),
            Self::Name(name, _) => &**name == "localhost",
            Self::Unix(_) => true,
        }
    }

    /// Reads the first argument of `listen`, as nginx's `ngx_parse_url` does. A range of ports gives an endpoint for each.
    ///
    /// # Errors
    /// nginx's words for what is wrong with it.
    pub fn parse(text: &str, default_port: Option<u16>) -> Result<Vec<Self>, &'static str> {
        if text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("unix:")) {
            let path = text.get(5..).unwrap_or_default();
            return if path.is_empty() {
                Err("no path in the unix domain socket")
            } else {
                Ok(vec![Self::Unix(path.into())])
            };
        }
        if text.contains(['/', '?']) {
            return Err("invalid host");
        }
        if let Some(rest) = text.strip_prefix('[') {
            return v6(rest, default_port);
        }
        v4_or_name(text, default_port)
    }
}

fn v6(rest: &str, default_port: Option<u16>) -> Result<Vec<Endpoint>, &'static str> {
    let (host, after) = rest.split_once(']').ok_or("invalid host")?;
    let ports = match after.strip_prefix(':') {
        Some(text) => ports(text)?,
        None if after.is_empty() => whole(default_port.ok_or("no port")?),
        None => return Err("invalid host"),
    };
    let address: Ipv6Addr =
        host.parse().map_err(|_| if host.is_empty() { "no host" } else { "invalid IPv6 address" })?;
    Ok(ports.map(|port| Endpoint::Ip(SocketAddr::new(address.into(), port))).collect())
}

fn v4_or_name(text: &str, default_port: Option<u16>) -> Result<Vec<Endpoint>, &'static str> {
    if let Some((host, port)) = text.split_once(':') {
        let ports = ports(port)?;
        return if host.is_empty() { Err("no host") } else { Ok(ports.map(|port| at_host(host, port)).collect()) };
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && !text.starts_with('-') {
        return Ok(ports(text)?.map(Endpoint::any_v4).collect());
    }
    if text.is_empty() {
        return Err("no host");
    }
    Ok(vec![at_host(text, default_port.ok_or("no port")?)])
}

fn at_host(host: &str, port: u16) -> Endpoint {
    match (host, v4(host)) {
        ("*", _) => Endpoint::any_v4(port),
        (_, Some(address)) => Endpoint::Ip(SocketAddr::new(address.into(), port)),
        (name, None) => Endpoint::Name(name.to_ascii_lowercase().into(), port),
    }
}

/// Four decimal numbers. nginx, unlike others, takes leading zeros and still reads them as decimal.
fn v4(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u8> = host
        .split('.')
        .map(|part| if part.bytes().all(|byte| byte.is_ascii_digit()) { part.parse().ok() } else { None })
        .collect::<Option<_>>()?;
    <[u8; 4]>::try_from(parts).ok().map(Ipv4Addr::from)
}

type Ports = std::ops::RangeInclusive<u16>;

fn whole(port: u16) -> Ports {
    port..=port
}

fn ports(text: &str) -> Result<Ports, &'static str> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|port| digits && *port > 0).ok_or("invalid port")
    };
    match text.split_once('-') {
        None => number(text).map(whole),
        Some((first, last)) => {
            let (last, first) = (number(last)?, number(first)?);
            if first > last { Err("invalid port range") } else { Ok(first..=last) }
        }
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Name(name, port) => write!(f, "{name}:{port}"),
            Self::Unix(path) => write!(f, "unix:{path}"),
        }
    }
}

impl serde::Serialize for Endpoint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl schemars::JsonSchema for Endpoint {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Endpoint".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoint;

    #[test]
    fn one_spelling() {
        for (text, expected) in [
            ("80", "0.0.0.0:80"),
            ("*:80", "0.0.0.0:80"),
            ("*", "0.0.0.0:80"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("0.0.0.0", "0.0.0.0:80"),
            ("010.000.0.1:8080", "10.0.0.1:8080"),
            ("127.0.0.1", "127.0.0.1:80"),
            ("[::]:80", "[::]:80"),
            ("[::]", "[::]:80"),
            ("[2001:DB8:0::1]:443", "[2001:db8::1]:443"),
            ("[0:0:0:0:0:0:0:0]:443", "[::]:443"),
            ("Localhost:8000", "localhost:8000"),
            ("unix:/run/x.sock", "unix:/run/x.sock"),
            ("80-82", "0.0.0.0:80 0.0.0.0:81 0.0.0.0:82"),
        ] {
            let found: Vec<String> = Endpoint::parse(text, Some(80)).unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn nginx_refuses() {
        for (text, expected) in [
            ("0", "invalid port"),
            ("65536", "invalid port"),
            ("a:b", "invalid port"),
            ("a:+1", "invalid port"),
            ("90-80", "invalid port range"),
            (":80", "no host"),
            ("", "no host"),
            ("[::1", "invalid host"),
            ("[::1]80", "invalid host"),
            ("[x]:80", "invalid IPv6 address"),
            ("http://a", "invalid host"),
            ("unix:", "no path in the unix domain socket"),
        ] {
            assert_eq!(Endpoint::parse(text, Some(80)).unwrap_err(), expected, "{text}");
        }
        assert_eq!(Endpoint::parse("localhost", None).unwrap_err(), "no port");
    }
}
