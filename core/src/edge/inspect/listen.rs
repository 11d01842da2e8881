//! The `listen` directive.

use super::Endpoint;
use crate::diagnostic::Place;
use crate::edge::nginx::Directive;

/// The language that is spoken behind a listener: the block its server stands in.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, schemars::JsonSchema, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// HTTP.
    Http,
    /// Any TCP or UDP stream.
    Stream,
    /// IMAP, POP3 or SMTP.
    Mail,
}

impl Kind {
    /// The name of the block.
    pub const fn block(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Stream => "stream",
            Self::Mail => "mail",
        }
    }
}

/// The transport under a listener.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, schemars::JsonSchema, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// TCP, or a stream socket in the file system.
    Tcp,
    /// UDP.
    Udp,
}

/// A `listen` directive, or the one that nginx assumes where a server has none.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the directive, and they are independent")]
pub struct Listen {
    /// What it names; more than one for a range of ports.
    pub endpoints: Vec<Endpoint>,
    /// TCP or UDP.
    pub transport: Transport,
    /// `default_server`, or `default` as it was called before 0.8.21.
    pub default_server: bool,
    /// `ssl`.
    pub ssl: bool,
    /// `http2`; from nginx 1.25.1 on a directive of its own.
    pub http2: bool,
    /// `proxy_protocol`.
    pub proxy_protocol: bool,
    /// `ipv6only`, on unless it says `off`.
    pub ipv6only: bool,
    /// `reuseport`.
    pub reuseport: bool,
    /// Whether an option of the socket is set: then the socket is its own, and only one `listen` of an endpoint may do so.
    pub sets_socket: bool,
    /// Where it stands, or the server that has none.
    pub place: Option<Place>,
}

impl Listen {
    /// The one of an HTTP server that has none: port 80 of all IPv4 addresses (8000 when nginx is not started by root).
    pub(super) fn assumed(place: Option<Place>) -> Self {
        Self::at(vec![Endpoint::any_v4(80)], place)
    }

    fn at(endpoints: Vec<Endpoint>, place: Option<Place>) -> Self {
        Self {
            endpoints,
            transport: Transport::Tcp,
            default_server: false,
            ssl: false,
            http2: false,
            proxy_protocol: false,
            ipv6only: true,
            reuseport: false,
            sets_socket: false,
            place,
        }
    }

    /// Reads the directive; the error says what nginx says.
    pub(super) fn parse(directive: &Directive, kind: Kind) -> Result<Self, String> {
        let Some(address) = directive.argument(0) else {
            return Err("invalid number of arguments in \"listen\" directive".to_owned());
        };
        let default_port = (kind == Kind::Http).then_some(80);
        let endpoints = Endpoint::parse(address, default_port)
            .map_err(|reason| format!("{reason} in \"{address}\" of the \"listen\" directive"))?;
        let mut listen = Self::at(endpoints, directive.place.clone());
        for parameter in directive.arguments.iter().skip(1) {
            let parameter = parameter.as_str();
            if !listen.parameter(parameter, kind) {
                return Err(match parameter.strip_prefix("ipv6only=o") {
                    Some(_) => format!("invalid ipv6only flags \"{}\"", parameter.trim_start_matches("ipv6only=")),
                    None => format!("invalid parameter \"{parameter}\""),
                });
            }
        }
        Ok(listen)
    }

    /// Takes a parameter; false if nginx knows none of this name.
    fn parameter(&mut self, parameter: &str, kind: Kind) -> bool {
        let (name, value) = parameter.split_once('=').map_or((parameter, None), |(name, value)| (name, Some(value)));
        match (name, value, kind) {
            ("default_server" | "default", None, Kind::Http) | ("default_server", None, Kind::Stream) => {
                self.default_server = true;
            }
            ("ssl", None, _) => self.ssl = true,
            ("http2", None, Kind::Http) => self.http2 = true,
            ("quic", None, Kind::Http) | ("udp", None, Kind::Stream) => self.transport = Transport::Udp,
            ("proxy_protocol", None, _) => self.proxy_protocol = true,
            ("ipv6only", Some(value @ ("on" | "off")), _) => {
                self.ipv6only = value == "on";
                self.sets_socket = true;
            }
            ("reuseport", None, Kind::Http | Kind::Stream) => {
                self.reuseport = true;
                self.sets_socket = true;
            }
            ("bind", None, _)
            | ("deferred" | "multipath", None, Kind::Http | Kind::Stream)
            | ("backlog" | "rcvbuf" | "sndbuf" | "so_keepalive", Some(_), _)
            | ("fastopen" | "setfib", Some(_), Kind::Http | Kind::Stream) => self.sets_socket = true,
            ("spdy", None, Kind::Http) | ("accept_filter", Some(_), Kind::Http | Kind::Stream) => {}
            _ => return false,
        }
        true
    }
}
