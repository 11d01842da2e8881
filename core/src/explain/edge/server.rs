//! The rendered configuration, made ready to be asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fancy_regex::Regex;

use crate::catalogue::Transport;
use crate::edge::nginx::{Directive, Word};
use crate::name::{DnsLabel, Network};

/// A `map` of `$request_uri`: the patterns that give its variable a value.
pub(super) struct Map(Vec<Regex>);

impl Map {
    fn of(directive: &Directive) -> Self {
        // Each pattern is one of our own, and is held against nginx by the tests of the edge.
        let pattern = |entry: &Directive| entry.name.as_str().strip_prefix('~').and_then(|text| Regex::new(text).ok());
        Self(directive.children().iter().filter_map(pattern).collect())
    }

    /// Whether the variable is set. A byte is taken for the letter of its number, as nginx's patterns do without `utf8`.
    pub(super) fn takes(&self, uri: &[u8]) -> bool {
        let text: String = uri.iter().map(|byte| char::from(*byte)).collect();
        self.0.iter().any(|pattern| pattern.is_match(&text).unwrap_or(true))
    }
}

/// The variable that holds the `Upgrade` header that is sent on.
const UPGRADE: &str = "$pharos_upgrade";

/// The patterns of a map from `$pharos_websocket:$http_upgrade`, whatever their case.
fn upgrades(map: &Directive) -> impl Iterator<Item = Regex> {
    let is_ours = map.argument(0) == Some("$pharos_websocket:$http_upgrade");
    let entries = map.children().iter().filter(move |_| is_ours);
    entries.filter_map(|entry| Regex::new(&format!("(?i){}", entry.name.as_str().strip_prefix("~*")?)).ok())
}

/// `if ($variable) { return status; }`
pub(super) struct Refusal {
    /// The variable, with its dollar sign.
    pub(super) variable: Box<str>,
    /// What is answered.
    pub(super) status: u16,
}

/// `allow` or `deny`.
pub(super) struct AccessRule {
    /// Which of the two.
    pub(super) allow: bool,
    /// Whom it takes; `None` is everybody.
    pub(super) network: Option<Network>,
    /// The directive.
    pub(super) text: Box<str>,
}

/// What a server or location has of both.
#[derive(Default)]
pub(super) struct Rules {
    /// Its conditions, in order.
    pub(super) refusals: Vec<Refusal>,
    /// Its `return`.
    pub(super) answer: Option<u16>,
    /// Its access rules, in order.
    pub(super) access: Vec<AccessRule>,
}

impl Rules {
    fn of(block: &[Directive]) -> Self {
        let mut rules = Self::default();
        for directive in block {
            match directive.name.as_str() {
                "if" => rules.refusals.extend(refusal(directive)),
                "return" => rules.answer = status(directive),
                "allow" | "deny" => rules.access.extend(access_rule(directive)),
                _ => {}
            }
        }
        rules
    }
}

fn status(directive: &Directive) -> Option<u16> {
    directive.argument(0)?.parse().ok()
}

fn refusal(directive: &Directive) -> Option<Refusal> {
    let variable = directive.argument(0)?.trim_matches(['(', ')']).into();
    let status = directive.children().iter().find(|child| child.is("return")).and_then(status)?;
    Some(Refusal { variable, status })
}

fn access_rule(directive: &Directive) -> Option<AccessRule> {
    let whom = directive.argument(0)?;
    let network = match whom {
        "all" => None,
        _ => Some(whom.parse().or_else(|_| whom.parse().map(Network::of_host)).ok()?),
    };
    Some(AccessRule {
        allow: directive.is("allow"),
        network,
        text: format!("{} {whom}", directive.name.as_str()).into(),
    })
}

/// A location.
pub(super) struct Location {
    /// As it is written: `location = /a` or `location /a/`.
    pub(super) text: Box<str>,
    /// What it says.
    pub(super) rules: Rules,
    /// The route whose upstream it passes to.
    pub(super) route: Option<DnsLabel>,
    /// How it passes.
    pub(super) transport: Transport,
    /// Whether it passes over TLS.
    secured: bool,
    /// Its own word for `$pharos_websocket`.
    websocket: Option<Box<str>>,
}

impl Location {
    fn of(directive: &Directive) -> Self {
        let words: Vec<&str> = directive.arguments.iter().map(Word::as_str).collect();
        let block = directive.children();
        let passes = block.iter().find(|child| child.is("proxy_pass") || child.is("grpc_pass"));
        let route = set(block, "$pharos_route").and_then(|route| route.parse().ok());
        let scheme = |address: &str| address.starts_with("https://") || address.starts_with("grpcs://");
        Self {
            text: format!("location {}", words.join(" ")).into(),
            rules: Rules::of(block),
            route: route.filter(|_| passes.is_some()),
            transport: if passes.is_some_and(|pass| pass.is("grpc_pass")) { Transport::Grpc } else { Transport::Http },
            secured: passes.and_then(|pass| pass.argument(0)).is_some_and(scheme),
            websocket: set(block, WEBSOCKET).map(Box::from),
        }
    }
}

/// The value that a block gives a variable.
fn set<'a>(block: &'a [Directive], variable: &str) -> Option<&'a str> {
    let sets = |child: &&Directive| child.is("set") && child.argument(0) == Some(variable);
    block.iter().find(sets).and_then(|child| child.argument(1))
}

/// The variable that says whether a location carries `WebSockets`.
const WEBSOCKET: &str = "$pharos_websocket";

/// How a server verifies the gateway behind it.
#[derive(Debug, Eq, PartialEq)]
pub struct Verification {
    /// The name that is sent as SNI, and that its certificate must have.
    pub name: Box<str>,
    /// The bundle that it must chain to.
    pub trust: Box<str>,
}

impl Verification {
    /// What a server says of one transport; `None` if it verifies nothing.
    fn of(block: &[Directive], prefix: &str) -> Option<Self> {
        let argument = |name: &str| block.iter().find(|child| child.is(&format!("{prefix}_ssl_{name}")))?.argument(0);
        (argument("verify") == Some("on")).then_some(())?;
        Some(Self { name: argument("name")?.into(), trust: argument("trusted_certificate")?.into() })
    }
}

/// What a path leads to.
pub(super) enum Found<'a> {
    /// This location.
    Location(&'a Location),
    /// A redirect to this one.
    Redirect(&'a Location),
}

/// A server.
pub(super) struct Server {
    /// Its name; none for the one that answers all others.
    pub(super) name: Option<Box<str>>,
    /// Whether it refuses the handshake.
    pub(super) rejects_handshake: bool,
    /// What it says before a location is chosen.
    pub(super) rules: Rules,
    /// The `Host` that it sends on.
    pub(super) host_sent: Option<Box<str>>,
    /// Its word for `$pharos_websocket`, where a location has none of its own.
    websocket: Option<Box<str>>,
    /// Whether it sends on what the map of upgrades says, by HTTP.
    sends_upgrade: bool,
    http: Option<Verification>,
    grpc: Option<Verification>,
    exact: HashMap<Box<[u8]>, Location>,
    prefixes: HashMap<Box<[u8]>, Location>,
    /// The lengths of the prefixes.
    lengths: BTreeSet<usize>,
}

impl Server {
    fn of(block: &[Directive]) -> Self {
        let argument = |name: &str| block.iter().find(|child| child.is(name)).and_then(|child| child.argument(0));
        let sends_host = |child: &&Directive| {
            (child.is("proxy_set_header") || child.is("grpc_set_header")) && child.argument(0) == Some("Host")
        };
        let mut server = Self {
            name: argument("server_name").map(Box::from),
            rejects_handshake: argument("ssl_reject_handshake") == Some("on"),
            rules: Rules::of(block),
            host_sent: block.iter().find(sends_host).and_then(|child| child.argument(1)).map(Box::from),
            websocket: set(block, WEBSOCKET).map(Box::from),
            sends_upgrade: block.iter().any(|child| {
                child.is("proxy_set_header")
                    && child.argument(0) == Some("Upgrade")
                    && child.argument(1) == Some(UPGRADE)
            }),
            http: Verification::of(block, "proxy"),
            grpc: Verification::of(block, "grpc"),
            exact: HashMap::new(),
            prefixes: HashMap::new(),
            lengths: BTreeSet::new(),
        };
        for directive in block.iter().filter(|child| child.is("location")) {
            let Some(path) = directive.arguments.last().map(|path| path.as_str().as_bytes()) else { continue };
            let location = Location::of(directive);
            if directive.arguments.len() > 1 {
                server.exact.insert(path.into(), location);
            } else {
                server.lengths.insert(path.len());
                server.prefixes.insert(path.into(), location);
            }
        }
        server
    }

    /// How the gateway is verified that a location passes to; `None` if it is spoken to in plain text.
    pub(super) fn verification(&self, location: &Location) -> Option<&Verification> {
        let verification = match location.transport {
            Transport::Http => self.http.as_ref(),
            Transport::Grpc => self.grpc.as_ref(),
        };
        verification.filter(|_| location.secured)
    }

    /// The location of a path: the exact one, else the longest prefix. A path that lacks nothing but the final slash of a location that is
    /// passed on is redirected there, unless it has an exact location of its own (`ngx_http_core_find_static_location`).
    pub(super) fn location(&self, path: &[u8]) -> Option<Found<'_>> {
        if let Some(exact) = self.exact.get(path) {
            return Some(Found::Location(exact));
        }
        let folder = [path, b"/"].concat();
        let below = [&self.exact, &self.prefixes].into_iter().filter_map(|locations| locations.get(&*folder));
        if let Some(folder) = below.into_iter().find(|location| location.route.is_some()) {
            return Some(Found::Redirect(folder));
        }
        let prefix = |length: &usize| self.prefixes.get(path.get(..*length)?);
        self.lengths.range(..=path.len()).rev().find_map(prefix).map(Found::Location)
    }
}

/// The servers of a port.
#[derive(Default)]
pub(super) struct Listener {
    by_name: HashMap<Box<[u8]>, usize>,
    default: Option<usize>,
}

/// Every server of a configuration, by port and name.
#[derive(Default)]
pub(super) struct Servers {
    all: Vec<Server>,
    listeners: BTreeMap<u16, Listener>,
    maps: HashMap<Box<str>, Map>,
    /// The patterns of the words that a WebSocket goes on for.
    upgrades: Vec<Regex>,
}

impl Servers {
    pub(super) fn of(directives: &[Directive]) -> Self {
        let mut all = Self::default();
        for directive in directives {
            match directive.name.as_str() {
                "map" if directive.argument(0) == Some("$request_uri") => {
                    let variable = directive.argument(1).unwrap_or_default();
                    all.maps.insert(variable.into(), Map::of(directive));
                }
                "map" if directive.argument(1) == Some(UPGRADE) => all.upgrades.extend(upgrades(directive)),
                "server" => all.add(directive.children()),
                _ => {}
            }
        }
        all
    }

    fn add(&mut self, block: &[Directive]) {
        let at = self.all.len();
        for listen in block.iter().filter(|child| child.is("listen")) {
            // The last part of an address with a port, or the port alone.
            let port = listen.argument(0).and_then(|words| words.rsplit(':').next()?.parse().ok());
            let Some(port) = port else { continue };
            let listener = self.listeners.entry(port).or_default();
            if listen.arguments.iter().any(|word| word.as_str() == "default_server") {
                listener.default = Some(at);
            }
            let names = block.iter().filter(|child| child.is("server_name")).flat_map(|child| &child.arguments);
            listener.by_name.extend(names.map(|name| (name.as_str().as_bytes().into(), at)));
        }
        self.all.push(Server::of(block));
    }

    /// The servers of a port; `None` if nothing listens there.
    pub(super) fn listener(&self, port: u16) -> Option<&Listener> {
        self.listeners.get(&port)
    }

    /// The server of a name, else the one that answers all others.
    pub(super) fn server(&self, listener: &Listener, name: Option<&[u8]>) -> Option<&Server> {
        let named = name.and_then(|name| listener.by_name.get(name)).copied();
        self.all.get(named.or(listener.default)?)
    }

    /// Whether a request for a WebSocket goes on as one.
    pub(super) fn upgrades(&self, server: &Server, location: &Location) -> bool {
        let word = location.websocket.as_deref().or(server.websocket.as_deref()).unwrap_or_default();
        let asked = format!("{word}:websocket");
        let passes = server.sends_upgrade && location.transport == Transport::Http;
        passes && self.upgrades.iter().any(|pattern| pattern.is_match(&asked).unwrap_or(false))
    }

    /// Whether a variable is set for a request.
    pub(super) fn is_set(&self, variable: &str, uri: &[u8]) -> bool {
        self.maps.get(variable).is_some_and(|map| map.takes(uri))
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Server};
    use crate::diagnostic::{Findings, Source};
    use crate::edge::nginx::parse;

    fn found(path: &str) -> Option<(bool, String)> {
        let pass = |route: &str| format!("{{ set $pharos_route {route}; proxy_pass http://a; }}");
        let text = format!(
            "location = /a/ {} location /b/ {} location = /b {} location /c/ {{ return 404; }} location / {}",
            pass("a"),
            pass("b"),
            pass("b"),
            pass("root")
        );
        let block = parse(&Source::public("nginx.conf", &text), &mut Findings::new());
        let server = Server::of(&block);
        server.location(path.as_bytes()).map(|found| match found {
            Found::Location(location) => (false, location.text.to_string()),
            Found::Redirect(location) => (true, location.text.to_string()),
        })
    }

    #[test]
    fn exact_then_redirect_then_longest_prefix() {
        for (path, redirect, location) in [
            ("/a/", false, "location = /a/"),
            ("/a", true, "location = /a/"),
            ("/a/x", false, "location /"),
            ("/b", false, "location = /b"),
            ("/b/x", false, "location /b/"),
            ("/c", false, "location /"),
            ("/", false, "location /"),
        ] {
            assert_eq!(found(path), Some((redirect, location.to_owned())), "{path}");
        }
        assert_eq!(found("x"), None);
    }
}
