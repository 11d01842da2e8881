//! Whether the edge serves a laboratory, which is registered only then.

use std::sync::Arc;

use crate::catalogue::extension::codes;
use crate::catalogue::{Owner, RouteTable};
use crate::diagnostic::{Diagnostic, Findings, Place, Report, Source};
use crate::edge::nginx::{self, Directive};
use crate::edge::render::HTTPS_FILE;
use crate::name::DnsLabel;

/// Refuses to register a laboratory before the edge serves it: `live` is the file of its HTTPS listener, `None` if there is none, and
/// `pending` says whether a transaction has yet to be completed.
///
/// # Errors
/// `extension/not-served`.
pub fn judge_served(
    laboratory: &DnsLabel,
    table: &RouteTable,
    live: Option<&Arc<Source>>,
    pending: bool,
) -> Result<(), Report> {
    // What cannot be parsed has no routes.
    let tree = live.map_or_else(Vec::new, |live| nginx::parse(live, &mut Findings::new()));
    let owner = Owner::Laboratory(laboratory.clone());
    let mut routes = table.routes().filter(|(_, route)| route.owner == owner);
    let missing = routes.find(|(origin, route)| !has_route(&tree, origin.host().as_str(), route.id.as_str()));
    let why = match missing {
        Some((_, route)) => format!("the edge does not serve route `{}`", route.id),
        None if pending => "a change of the edge has yet to be completed".to_owned(),
        None => return Ok(()),
    };
    let message = format!("{why}: laboratory `{laboratory}` is not registered before it is served");
    let diagnostic = Diagnostic::error(codes::NOT_SERVED, message).at(Place::named(HTTPS_FILE), "");
    Err(diagnostic
        .help("install the HTTPS listener with this extension first, as `playbooks/edge-distributed.yml` does")
        .into())
}

/// Whether the server of a host has a location that serves a route.
fn has_route(tree: &[Directive], host: &str, route: &str) -> bool {
    let says = |directives: &[Directive], name: &str, words: &[&str]| {
        directives
            .iter()
            .any(|one| one.is(name) && one.arguments.iter().map(nginx::Word::as_str).eq(words.iter().copied()))
    };
    let mut servers = tree.iter().filter(|one| one.is("server") && says(one.children(), "server_name", &[host]));
    servers.any(|server| server.children().iter().any(|one| says(one.children(), "set", &["$pharos_route", route])))
}
