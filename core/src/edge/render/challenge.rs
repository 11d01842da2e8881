//! Port 80: the ACME challenge, and a redirect to HTTPS for everything else.

use super::build::directive;
use super::listen::{Listeners, Speaks};
use super::server::{conduct, logs, ports};
use super::shared;
use crate::catalogue::RouteTable;
use crate::edge::EdgeHost;
use crate::edge::inspect::CHALLENGE_PATH;
use crate::edge::nginx::{Directive, Word};
use crate::name::{AbsolutePath, Port, SocketAddress};

/// What the port-80 file says.
pub(super) fn directives(
    table: &RouteTable,
    host: &EdgeHost,
    webroot: &AbsolutePath,
    issuer: Option<&SocketAddress>,
) -> Vec<Directive> {
    let mut directives = vec![shared::plain_log_format(), shared::http_path()];
    if let Some(address) = issuer {
        let server = directive!("server", address);
        directives.push(Directive::block("upstream", vec!["pharos_acme_issuer".into()], vec![server]));
    }
    let challenge = match issuer {
        None => from_webroot(webroot),
        Some(_) => from_issuer(),
    };
    directives.push(unknown_names(host));
    directives.extend(ports(table).into_iter().map(|port| known_names(table, port, host, &challenge)));
    directives
}

/// The server for every other name: it redirects nobody, because the target would be whatever name the client made up.
fn unknown_names(host: &EdgeHost) -> Directive {
    let mut block = Listeners::of(host).directives(Port::HTTP, Speaks::Plain, true);
    block.extend(logs(&"http-unknown".into(), "pharos_http"));
    block.extend(conduct());
    block.push(directive!("return", "421"));
    Directive::block("server", vec![], block)
}

/// The server of all names whose HTTPS listener is on this port. `$host` is then one of them, in lower case and without a port.
///
/// Names that nginx's hash table cannot hold as it is by default are written as patterns, which are not hashed: a larger table can be
/// asked for only once, and the HTTPS file does.
fn known_names(table: &RouteTable, port: Port, host: &EdgeHost, challenge: &Directive) -> Directive {
    let hosts = table.hosts();
    let as_pattern = shared::needs_hash_sizes(table);
    let names = hosts.iter().map(|host| &host.origin).filter(|origin| origin.port() == port);
    let word = |name| if as_pattern { Word::host_pattern(name) } else { Word::from(name) };
    let names = names.map(|origin| word(origin.host()));
    let mut block = Listeners::of(host).directives(Port::HTTP, Speaks::Plain, false);
    block.push(Directive::simple("server_name", names.collect()));
    block.extend(logs(&"http".into(), "pharos_http"));
    block.extend(conduct());
    block.push(challenge.clone());
    let target = if port == Port::HTTPS {
        "https://$host$request_uri".into()
    } else {
        Word::concat(&[&"https://$host:".into(), &Word::from(&port), &"$request_uri".into()])
    };
    // 308 keeps the method: a 301 would turn a POST into a GET.
    block.push(Directive::block("location", vec!["/".into()], vec![directive!("return", "308", target)]));
    Directive::block("server", vec![], block)
}

/// The answer from this host's own webroot. A link in it is refused, so that nothing outside it can be read; the webroot itself may
/// lie behind one.
fn from_webroot(webroot: &AbsolutePath) -> Directive {
    let from = Word::concat(&[&"from=".into(), &Word::from(webroot)]);
    let block = vec![
        directive!("root", webroot),
        directive!("disable_symlinks", "on", from),
        directive!("default_type", "text/plain"),
        directive!("try_files", "$uri", "=404"),
    ];
    Directive::block("location", vec!["^~".into(), CHALLENGE_PATH.into()], block)
}

/// The answer of the edge that issues for all.
fn from_issuer() -> Directive {
    let block = vec![
        directive!("proxy_http_version", "1.1"),
        directive!("proxy_set_header", "Host", "$host"),
        directive!("proxy_set_header", "Connection", ""),
        directive!("proxy_set_header", "X-Forwarded-For", "$remote_addr"),
        directive!("proxy_connect_timeout", "5s"),
        directive!("proxy_read_timeout", "10s"),
        directive!("proxy_redirect", "off"),
        directive!("proxy_pass", "http://pharos_acme_issuer"),
    ];
    Directive::block("location", vec!["^~".into(), CHALLENGE_PATH.into()], block)
}
