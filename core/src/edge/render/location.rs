//! Locations: which requests of a host belong to which route, and how each is passed on.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::build::directive;
use super::gateway::Gateway;
use super::upstream;
use crate::catalogue::{Access, BodyLimit, Route, Transport, VirtualHost};
use crate::edge::nginx::{Directive, Word};
use crate::name::{Network, PathMatch, folders};
use crate::policy::admitted;

/// Seconds that nginx waits between two reads or writes where a route says nothing.
const DEFAULT_TIMEOUT: u32 = 60;

/// What all locations of a site share.
pub(super) struct Context<'a> {
    /// The gateway they lead to.
    pub(super) gateway: &'a Gateway<'a>,
    /// Who may use management routes.
    pub(super) management: Vec<Directive>,
}

/// Locations by path: the exact one, or all below a folder. `None` answers 404.
type Plan<'a> = BTreeMap<(Cow<'a, str>, Kind), Option<&'a Route>>;

#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Kind {
    Exact,
    Below,
}

/// Whether some route of the host takes paths as they came, so that the others must refuse them one by one.
pub(super) fn has_encoded_slashes(host: &VirtualHost) -> bool {
    host.routes.iter().any(|route| route.encoded_slashes)
}

/// The locations of a host, by path.
pub(super) fn blocks(host: &VirtualHost, context: &Context<'_>) -> Vec<Directive> {
    let checked_here = has_encoded_slashes(host);
    plan(&host.routes)
        .into_iter()
        .map(|((path, kind), route)| {
            let path = Word::path(path);
            let words = match kind {
                Kind::Exact => vec!["=".into(), path],
                Kind::Below => vec![path],
            };
            let block = match route {
                Some(route) => pass(route, checked_here, context),
                None => vec![directive!("return", "404")],
            };
            Directive::block("location", words, block)
        })
        .collect()
}

/// Every location that the routes need. nginx takes an exact location before a prefix and the longest prefix of several, which is the
/// order of the route table; three things it does not do are made up for here:
///
/// * a prefix takes whole segments: `/v1/site` is the exact path and, apart from it, all below `/v1/site/`;
/// * for a path that only lacks the final slash of a location, an exact one included, nginx answers with a redirect: such a path gets an
///   exact location that leads where the route table leads it;
/// * what no route takes is 404.
fn plan(routes: &[Route]) -> Plan<'_> {
    let mut plan = Plan::new();
    for route in routes {
        let path = route.path.path().as_str();
        let is_prefix = matches!(route.path, PathMatch::Prefix(_));
        if !is_prefix || !path.ends_with('/') {
            plan.entry((path.into(), Kind::Exact)).or_insert(Some(route));
        }
        if is_prefix {
            plan.entry((route.path.path().as_folder(), Kind::Below)).or_insert(Some(route));
        }
    }
    // What a prefix without a final slash takes for itself has its exact location already.
    let paths = routes.iter().map(|route| route.path.path().as_str());
    for stem in paths.filter_map(|path| path.strip_suffix('/')).filter(|stem| !stem.is_empty()) {
        let mut around = folders(stem).map(|folder| (folder.into(), Kind::Below));
        let around = around.find_map(|key| plan.get(&key).copied().flatten());
        plan.entry((stem.into(), Kind::Exact)).or_insert(around);
    }
    if let Some(root) = routes.first().and_then(|route| folders(route.path.path().as_str()).last()) {
        plan.entry((root.into(), Kind::Below)).or_insert(None);
    }
    plan
}

fn pass(route: &Route, checked_here: bool, context: &Context<'_>) -> Vec<Directive> {
    let mut block = Vec::with_capacity(8);
    block.push(directive!("set", "$pharos_route", &route.id));
    if route.websocket {
        block.push(directive!("set", "$pharos_websocket", "on"));
    }
    if checked_here && !route.encoded_slashes {
        block.push(refuse("($pharos_odd_path)"));
    }
    if route.access == Access::Management {
        block.extend_from_slice(&context.management);
    }
    body(route, &mut block);
    times(route, &mut block);
    let address = context.gateway.address(route.transport, &upstream::name(route));
    block.push(match route.transport {
        Transport::Http => directive!("proxy_pass", address),
        Transport::Grpc => directive!("grpc_pass", address),
    });
    block
}

/// Answers 400 if a variable says so.
pub(super) fn refuse(condition: &'static str) -> Directive {
    Directive::block("if", vec![condition.into()], vec![directive!("return", "400")])
}

/// The edge host itself, whatever networks are stated: the gateway behind it admits the same.
pub(super) fn admit(networks: &[Network]) -> Vec<Directive> {
    let word = |network: &Network| match network {
        loopback if *loopback == Network::LOOPBACK[1] => "::1".into(),
        network => Word::from(network).shared(),
    };
    let mut rules: Vec<Directive> =
        admitted(networks).iter().map(|network| directive!("allow", word(network))).collect();
    rules.push(directive!("deny", "all"));
    rules
}

/// Size and buffering. What may be of any size, or is still being sent, is passed on as it comes: a buffered body would first
/// fill the disk of the edge. gRPC is never buffered by nginx.
fn body(route: &Route, block: &mut Vec<Directive>) {
    let grpc = route.transport == Transport::Grpc;
    let unlimited = grpc || route.body == Some(BodyLimit::Unlimited);
    match route.body {
        _ if unlimited => block.push(directive!("client_max_body_size", "0")),
        Some(BodyLimit::Bytes(bytes)) => block.push(directive!("client_max_body_size", &bytes)),
        Some(BodyLimit::Unlimited) | None => {}
    }
    if !grpc && (unlimited || route.stream.request()) {
        block.push(directive!("proxy_request_buffering", "off"));
    }
    if !grpc && route.stream.response() {
        block.push(directive!("proxy_buffering", "off"));
    }
}

/// Times. A route that may be silent for long may be so on both sides: nginx's patience with the client is raised with it.
fn times(route: &Route, block: &mut Vec<Directive>) {
    let seconds = |number: u32| Word::concat(&[&Word::from(&number), &"s".into()]).shared();
    let grpc = route.transport == Transport::Grpc;
    if let Some(connect) = route.connect_timeout {
        let name = if grpc { "grpc_connect_timeout" } else { "proxy_connect_timeout" };
        block.push(Directive::simple(name, vec![seconds(connect)]));
    }
    if let Some(timeout) = route.timeout {
        let names = if grpc {
            ["grpc_read_timeout", "grpc_send_timeout"]
        } else {
            ["proxy_read_timeout", "proxy_send_timeout"]
        };
        let patience = seconds(timeout);
        block.extend(names.map(|name| Directive::simple(name, vec![patience.clone()])));
        if timeout > DEFAULT_TIMEOUT {
            block.push(directive!("client_body_timeout", patience.clone()));
            block.push(directive!("send_timeout", patience));
        }
    }
}
