//! What an inspection found, as values for programs.

use std::collections::{BTreeMap, BTreeSet};

use super::endpoint::Endpoint;
use super::listen::{Kind, Transport};
use super::site::{Server, Site};
use super::socket::{BoundSocket, bound};
use crate::diagnostic::Place;
use crate::edge::nginx::{Body, Configuration, Directive, Word, glob};

/// A place, for programs.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, schemars::JsonSchema, serde::Serialize)]
pub struct At {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 where it is not known.
    pub line: usize,
}

impl At {
    pub(super) fn of(place: Option<&Place>) -> Self {
        Self {
            file: place.map_or("", Place::file).to_owned(),
            line: place.and_then(Place::span).map_or(0, |(start, _)| start.line),
        }
    }
}

/// A whole configuration.
#[derive(Clone, Debug, schemars::JsonSchema, serde::Serialize)]
pub struct Overview {
    /// The file that nginx is started with.
    pub root: String,
    /// Every file that it reads, in order.
    pub files: Vec<String>,
    /// Who listens where.
    pub listeners: Vec<ListenerView>,
    /// The sockets that nginx opens for them.
    pub sockets: Vec<BoundSocket>,
    /// Package welcome sites that are enabled.
    pub welcome: Vec<super::Welcome>,
    /// What is set for all servers.
    pub facts: Facts,
}

/// An address and port with the servers behind it.
#[derive(Clone, Debug, schemars::JsonSchema, serde::Serialize)]
pub struct ListenerView {
    /// What it listens on, in one spelling: `0.0.0.0:80`, `[::]:443`, `unix:/run/x`.
    pub endpoint: Endpoint,
    /// TCP or UDP.
    pub transport: Transport,
    /// The block its servers stand in.
    pub kind: Kind,
    /// Whether a `listen` here says `ssl`.
    pub ssl: bool,
    /// Whether HTTP/2 is on for any server here. Before nginx 1.25.1 one that names it turns it on for all of them.
    pub http2: bool,
    /// The server that answers when no name fits.
    pub default: usize,
    /// Whether the default says so itself, rather than being the first.
    pub explicit_default: bool,
    /// The servers, in reading order.
    pub servers: Vec<ServerView>,
}

/// A server behind a listener.
#[derive(Clone, Debug, schemars::JsonSchema, serde::Serialize)]
pub struct ServerView {
    /// Its names; none for a server without names.
    pub names: Vec<String>,
    /// Where its block begins.
    pub server: At,
    /// Where its `listen` stands.
    pub listen: At,
    /// Whether it refuses every TLS handshake.
    pub rejects_handshake: bool,
}

/// What holds for all servers: what a renderer must not repeat, and where things lie.
#[derive(Clone, Debug, Default, schemars::JsonSchema, serde::Serialize)]
pub struct Facts {
    /// Simple directives of the `http` block, by name (`server_names_hash_bucket_size`, `log_format`, ...).
    pub http: BTreeMap<String, Vec<Setting>>,
    /// Simple directives outside all blocks, by name (`user`, `pid`, `error_log`, `load_module`, ...).
    pub main: BTreeMap<String, Vec<Setting>>,
    /// Names of upstreams.
    pub upstreams: BTreeSet<String>,
    /// Variables that a `map`, `geo` or `split_clients` defines, with their `$`.
    pub variables: BTreeSet<String>,
    /// Include directives with what they found.
    pub includes: Vec<IncludeView>,
}

/// A directive's values and its place.
#[derive(Clone, Debug, Eq, PartialEq, schemars::JsonSchema, serde::Serialize)]
pub struct Setting {
    /// Its arguments; none for a directive that may hold a credential (only sizes, times, switches and paths are shown).
    pub values: Vec<String>,
    /// Where it stands.
    pub at: At,
}

/// An include directive.
#[derive(Clone, Debug, Eq, PartialEq, schemars::JsonSchema, serde::Serialize)]
pub struct IncludeView {
    /// The complete path or pattern.
    pub pattern: String,
    /// The blocks around it, outermost first.
    pub context: Vec<String>,
    /// What it found, in reading order.
    pub files: Vec<String>,
    /// Where it stands.
    pub at: At,
}

impl Facts {
    /// What a configuration sets for all servers.
    pub fn of(configuration: &Configuration) -> Self {
        let mut facts = Self { main: settings(configuration.directives.iter()), ..Self::default() };
        facts.http = settings(configuration.inside("http"));
        for directive in configuration.inside("http") {
            match (directive.name.as_str(), directive.arguments.last().map(Word::as_str)) {
                ("upstream", Some(name)) => facts.upstreams.insert(name.to_owned()),
                ("map" | "geo" | "split_clients", Some(name)) => facts.variables.insert(name.to_owned()),
                _ => false,
            };
        }
        facts.includes = configuration
            .includes
            .iter()
            .map(|include| IncludeView {
                pattern: include.pattern.to_string(),
                context: include.context.iter().map(ToString::to_string).collect(),
                files: include.files.iter().map(ToString::to_string).collect(),
                at: At::of(include.place.as_ref()),
            })
            .collect();
        facts
    }

    /// Whether the `http` block sets this.
    pub fn sets(&self, name: &str) -> bool {
        self.http.contains_key(name)
    }

    /// Whether a file of this path would be read inside the `http` block.
    pub fn would_read(&self, path: &str) -> bool {
        self.includes.iter().any(|include| {
            include.context == ["http"] && (include.pattern == path || glob::matches(&include.pattern, path))
        })
    }

    /// The first value of a directive outside all blocks, for example of `pid`.
    pub fn main_value(&self, name: &str) -> Option<&str> {
        self.main.get(name)?.first()?.values.first().map(String::as_str)
    }
}

/// Directives whose values are shown: what tells sizes, times, switches and paths. Headers, parameters and the like may hold a
/// credential, and nobody asks for them here.
fn is_shown(name: &str) -> bool {
    const NAMES: [&str; 21] = [
        "access_log",
        "client_max_body_size",
        "daemon",
        "default_type",
        "error_log",
        "gzip",
        "http2",
        "http3",
        "load_module",
        "master_process",
        "pid",
        "resolver",
        "sendfile",
        "server_tokens",
        "ssl_ciphers",
        "ssl_prefer_server_ciphers",
        "ssl_protocols",
        "ssl_reject_handshake",
        "tcp_nopush",
        "underscores_in_headers",
        "user",
    ];
    NAMES.contains(&name)
        || name.starts_with("worker_")
        || ["_size", "_timeout", "_tickets", "_cache"].iter().any(|end| name.ends_with(end))
}

fn settings<'a>(directives: impl Iterator<Item = &'a Directive>) -> BTreeMap<String, Vec<Setting>> {
    let mut settings: BTreeMap<String, Vec<Setting>> = BTreeMap::new();
    for directive in directives.filter(|directive| directive.body == Body::Simple) {
        let name = directive.name.as_str();
        let values = directive.arguments.iter().map(|word| word.as_str().to_owned());
        settings.entry(name.to_owned()).or_default().push(Setting {
            values: if is_shown(name) { values.collect() } else { Vec::new() },
            at: At::of(directive.place.as_ref()),
        });
    }
    settings
}

/// The overview of a configuration.
pub(super) fn overview(configuration: &Configuration, site: &Site<'_>) -> Overview {
    Overview {
        root: configuration.root.to_string(),
        files: configuration.files().into_iter().map(str::to_owned).collect(),
        listeners: site.listeners.iter().map(|listener| listener_view(site, listener)).collect(),
        sockets: bound(site),
        welcome: super::welcome::find(site),
        facts: Facts::of(configuration),
    }
}

fn listener_view(site: &Site<'_>, listener: &super::Listener) -> ListenerView {
    let pairs = || listener.servers.iter().filter_map(|at| Some((at.0, site.server(at.0)?, site.listen(*at)?)));
    ListenerView {
        endpoint: listener.endpoint.clone(),
        transport: listener.transport,
        kind: listener.kind,
        ssl: pairs().any(|(_, _, listen)| listen.ssl),
        http2: pairs().any(|(_, server, listen)| listen.http2 || (server.http2 && listen.ssl)),
        default: pairs().position(|(index, _, _)| index == listener.default).unwrap_or_default(),
        explicit_default: !listener.claims.is_empty(),
        servers: pairs().map(|(_, server, listen)| server_view(server, listen.place.as_ref())).collect(),
    }
}

fn server_view(server: &Server<'_>, listen: Option<&Place>) -> ServerView {
    ServerView {
        names: server.name_texts(),
        server: At::of(server.place()),
        listen: At::of(listen),
        rejects_handshake: server.rejects_handshake,
    }
}
