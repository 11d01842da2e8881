//! The servers of a configuration and the listeners that they share.

use std::collections::BTreeMap;

use super::endpoint::Endpoint;
use super::listen::{Kind, Listen, Transport};
use super::name::{Form, ServerName};
use super::table::{NameTable, Reason};
use super::{at, codes};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::nginx::{Configuration, Directive};

/// How many endpoints may be named in all; a range of ports names many.
const MAX_ENDPOINTS: usize = 20_000;

/// A `server` block.
#[derive(Clone, Debug)]
pub struct Server<'a> {
    /// The block it stands in.
    pub kind: Kind,
    /// The block itself.
    pub directive: &'a Directive,
    /// Its names, in order; an HTTP server without names has the empty one.
    pub names: Vec<ServerName>,
    /// Where it listens.
    pub listens: Vec<Listen>,
    /// Whether `http2 on;` holds for it.
    pub http2: bool,
    /// Whether it refuses the TLS handshake (`ssl_reject_handshake on`).
    pub rejects_handshake: bool,
}

impl Server<'_> {
    /// Where it stands.
    pub fn place(&self) -> Option<&Place> {
        self.directive.place.as_ref()
    }

    /// The file it stands in; empty for one that was made.
    pub fn file(&self) -> &str {
        self.place().map_or("", Place::file)
    }

    /// Its names as they are written.
    pub fn name_texts(&self) -> Vec<String> {
        self.names.iter().map(ServerName::to_text).filter(|name| !name.is_empty()).collect()
    }
}

/// An endpoint with the servers that share it.
#[derive(Clone, Debug)]
pub struct Listener {
    /// The block its servers stand in.
    pub kind: Kind,
    /// TCP or UDP.
    pub transport: Transport,
    /// What it listens on.
    pub endpoint: Endpoint,
    /// The servers, as (index of the server, index of its `listen`), in reading order.
    pub servers: Vec<(usize, usize)>,
    /// The server that answers when no name fits.
    pub default: usize,
    /// Every `listen` that claims to be the default, in reading order. More than one is refused by nginx.
    pub claims: Vec<(usize, usize)>,
    /// Which names lead to which server; only HTTP has them.
    pub names: NameTable,
}

impl Listener {
    /// The server that answers a request with this Host header here, by nginx's order: exact name, longest wildcard at the
    /// front, longest wildcard at the end, first regular expression, default.
    pub fn select(&self, host: &str) -> (usize, Reason) {
        let host = super::name::host_of(host);
        match self.names.find(&host) {
            (Some(found), true) => found,
            (Some((server, _)), false) => (server, Reason::Unsure),
            (None, true) => (self.default, Reason::Default),
            (None, false) => (self.default, Reason::Unsure),
        }
    }
}

/// The servers and listeners of a configuration.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// Every server, in reading order.
    pub servers: Vec<Server<'a>>,
    /// Every listener, in the order in which it is first named.
    pub listeners: Vec<Listener>,
    /// The listeners of each port, for only these have to do with each other.
    by_port: BTreeMap<Option<u16>, Vec<usize>>,
}

impl<'a> Site<'a> {
    /// Reads servers and listeners. Findings: `edge/listen-invalid`, `edge/server-name`, `edge/nginx-budget`.
    pub fn read(configuration: &'a Configuration, findings: &mut Findings) -> Self {
        let mut site = Self { servers: Vec::new(), listeners: Vec::new(), by_port: BTreeMap::new() };
        for kind in [Kind::Http, Kind::Stream, Kind::Mail] {
            let block: Vec<&Directive> = configuration.inside(kind.block()).collect();
            let inherited = Inherited {
                http2: block.iter().any(|directive| is_on(directive, "http2")),
                rejects_handshake: block.iter().any(|directive| is_on(directive, "ssl_reject_handshake")),
            };
            for directive in block.iter().filter(|directive| directive.is("server")) {
                site.servers.push(server(directive, kind, &inherited, findings));
            }
        }
        site.group(findings);
        site
    }

    /// The server of this index. Indices come from this site alone.
    pub fn server(&self, index: usize) -> Option<&Server<'a>> {
        self.servers.get(index)
    }

    /// The `listen` of these indices.
    pub fn listen(&self, (server, listen): (usize, usize)) -> Option<&Listen> {
        self.servers.get(server)?.listens.get(listen)
    }

    /// The listeners on this port, of every kind; sockets in the file system have none.
    pub fn on(&self, port: Option<u16>) -> impl Iterator<Item = &Listener> {
        self.by_port.get(&port).into_iter().flatten().filter_map(|index| self.listeners.get(*index))
    }

    /// The HTTP listeners on this TCP port.
    pub fn http_on(&self, port: u16) -> impl Iterator<Item = &Listener> {
        self.on(Some(port)).filter(|listener| listener.kind == Kind::Http && listener.transport == Transport::Tcp)
    }

    /// The listener of the same kind and port that takes every address of this one's family.
    pub fn wildcard_of(&self, listener: &Listener) -> Option<&Listener> {
        let family = |listener: &Listener| listener.endpoint.ip().map(|ip| ip.is_ipv4());
        self.on(listener.endpoint.port()).find(|other| {
            other.endpoint.is_wildcard()
                && (other.kind, other.transport, family(other)) == (listener.kind, listener.transport, family(listener))
        })
    }

    /// Where the first `listen` of a listener stands.
    pub fn place_of(&self, listener: &Listener) -> Option<&Place> {
        listener.servers.first().and_then(|at| self.listen(*at)).and_then(|listen| listen.place.as_ref())
    }

    /// The HTTP listener whose servers answer a TCP connection to this address: the one that names it, else the wildcard of its
    /// family, else an IPv6 wildcard with `ipv6only=off`.
    pub fn listener_at(&self, address: std::net::SocketAddr) -> Option<&Listener> {
        let at = |endpoint: Endpoint| self.http_on(address.port()).find(move |listener| listener.endpoint == endpoint);
        let dual = |listener: &&Listener| {
            address.is_ipv4()
                && listener.servers.iter().filter_map(|at| self.listen(*at)).any(|listen| !listen.ipv6only)
        };
        let (v4, v6) = (Endpoint::any_v4(address.port()), Endpoint::any_v6(address.port()));
        at(Endpoint::Ip(address))
            .or_else(|| at(if address.is_ipv4() { v4 } else { v6.clone() }))
            .or_else(|| at(v6).filter(dual))
    }

    fn group(&mut self, findings: &mut Findings) {
        let mut known: BTreeMap<(Kind, Transport, Endpoint), usize> = BTreeMap::new();
        let mut total = 0;
        for (server_at, server) in self.servers.iter().enumerate() {
            for (listen_at, listen) in server.listens.iter().enumerate() {
                total += listen.endpoints.len();
                if total > MAX_ENDPOINTS {
                    let message = format!("the configuration listens on more than {MAX_ENDPOINTS} addresses and ports");
                    findings.push(
                        at(
                            Diagnostic::error(codes::NGINX_BUDGET, message),
                            listen.place.as_ref(),
                            "reading stops here",
                        )
                        .help("name the ports that are really served"),
                    );
                    return self.fill_names(findings);
                }
                for endpoint in &listen.endpoints {
                    let index = *known.entry((server.kind, listen.transport, endpoint.clone())).or_insert_with(|| {
                        self.listeners.push(Listener {
                            kind: server.kind,
                            transport: listen.transport,
                            endpoint: endpoint.clone(),
                            servers: Vec::new(),
                            default: server_at,
                            claims: Vec::new(),
                            names: NameTable::default(),
                        });
                        self.by_port.entry(endpoint.port()).or_default().push(self.listeners.len() - 1);
                        self.listeners.len() - 1
                    });
                    if let Some(listener) = self.listeners.get_mut(index) {
                        listener.servers.push((server_at, listen_at));
                        if listen.default_server {
                            listener.claims.push((server_at, listen_at));
                        }
                    }
                }
            }
        }
        self.fill_names(findings);
    }

    fn fill_names(&mut self, findings: &mut Findings) {
        for listener in &mut self.listeners {
            if let Some((server, _)) = listener.claims.first() {
                listener.default = *server;
            }
            if listener.kind != Kind::Http {
                continue;
            }
            let mut members: Vec<usize> = listener.servers.iter().map(|(server, _)| *server).collect();
            members.dedup();
            let shared = members.len() > 1;
            for index in members {
                for name in self.servers.get(index).map_or(&[][..], |server| &server.names) {
                    if shared && matches!(name.form, Form::Misplaced) {
                        let message =
                            format!("invalid server name or wildcard \"{}\" on {}", name.text, listener.endpoint);
                        let place = self.servers.get(index).and_then(Server::place);
                        findings.push(at(Diagnostic::error(codes::SERVER_NAME, message), place, "this server").help(
                            "a `*` may only be the whole first or the whole last label; elsewhere write a regular expression",
                        ));
                    }
                    listener.names.add(index, name);
                }
            }
            if !shared {
                listener.names.ignored.clear();
            }
        }
    }
}

fn is_on(directive: &Directive, name: &str) -> bool {
    directive.is(name) && directive.argument(0) == Some("on")
}

/// What a server takes from the block around it unless it says otherwise.
struct Inherited {
    http2: bool,
    rejects_handshake: bool,
}

fn server<'a>(directive: &'a Directive, kind: Kind, inherited: &Inherited, findings: &mut Findings) -> Server<'a> {
    let mut server = Server {
        kind,
        directive,
        names: Vec::new(),
        listens: Vec::new(),
        http2: inherited.http2,
        rejects_handshake: inherited.rejects_handshake,
    };
    let mut listens = false;
    for child in directive.children() {
        match child.name.as_str() {
            "listen" => {
                listens = true;
                match Listen::parse(child, kind) {
                    Ok(listen) => server.listens.push(listen),
                    Err(message) => {
                        let diagnostic = Diagnostic::error(codes::LISTEN_INVALID, message);
                        let help = "write an address and port (`80`, `192.0.2.1:80`, `[::]:80`), then options that nginx knows";
                        findings.push(at(diagnostic, child.place.as_ref(), "").help(help));
                    }
                }
            }
            "server_name" if kind == Kind::Http => names(child, &mut server.names, findings),
            "http2" => server.http2 = child.argument(0) == Some("on"),
            "ssl_reject_handshake" => server.rejects_handshake = child.argument(0) == Some("on"),
            _ => {}
        }
    }
    if kind == Kind::Http {
        if !listens {
            server.listens.push(Listen::assumed(directive.place.clone()));
        }
        if server.names.is_empty() {
            server.names.push(ServerName { text: "".into(), form: Form::Exact });
        }
    }
    server
}

fn names(directive: &Directive, names: &mut Vec<ServerName>, findings: &mut Findings) {
    for word in &directive.arguments {
        match ServerName::parse(word.as_str()) {
            Ok(name) => names.push(name),
            Err(message) => findings.push(
                at(Diagnostic::error(codes::SERVER_NAME, message), directive.place.as_ref(), "")
                    .help("write a name, `*.name`, `.name`, `name.*`, or `~` and a regular expression"),
            ),
        }
    }
}
