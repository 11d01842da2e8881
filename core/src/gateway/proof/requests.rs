//! No route is shadowed: the requests of each go where the table leads them, and those beside them do not.

use std::collections::HashSet;

use super::sites::{Site, Sites};
use super::{Proof, request};
use crate::catalogue::{Route, RouteTable, VirtualHost};
use crate::gateway::codes;
use crate::name::PathMatch;

/// A last segment that no route has.
const ANY: &str = "~any";

/// Requests that stand for all that a route takes.
pub(super) fn inside(path: &PathMatch) -> Vec<String> {
    let text = path.path().as_str();
    match path {
        PathMatch::Exact(_) => vec![text.to_owned()],
        PathMatch::Prefix(_) if text.ends_with('/') => vec![text.to_owned(), format!("{text}{ANY}")],
        PathMatch::Prefix(_) => vec![text.to_owned(), format!("{text}/"), format!("{text}/{ANY}")],
    }
}

/// Requests that are near a route's, and no longer its own.
fn beside(path: &PathMatch) -> Vec<String> {
    let text = path.path().as_str();
    match path {
        PathMatch::Exact(_) => vec![format!("{text}{ANY}"), format!("{}/{ANY}", text.trim_end_matches('/'))],
        PathMatch::Prefix(_) => match text.strip_suffix('/') {
            Some("") => Vec::new(),
            Some(stem) => vec![stem.to_owned()],
            None => vec![format!("{text}{ANY}")],
        },
    }
}

pub(super) fn prove(table: &RouteTable, sites: &Sites<'_>, proof: &mut Proof<'_>) {
    let none = Site::default();
    for host in table.hosts() {
        let name = host.origin.host().as_str();
        let site = sites.get(name).unwrap_or(&none);
        let exact: HashSet<&str> = exact(host);
        for route in &host.routes {
            for path in own(route, &exact) {
                let taker = site.route(&path).map(|taker| taker.name.as_ref());
                if taker != Some(route.id.as_str()) {
                    proof.fails(codes::SHADOWED_ROUTE, route, shadowed(route, &request(name, &path), taker));
                }
            }
            for path in beside(&route.path) {
                if site.route(&path).is_some_and(|taker| taker.name == route.id.as_str()) {
                    let words = format!("route `{}` takes `{}`, which is not its own", route.id, request(name, &path));
                    proof.fails(codes::SHADOWED_ROUTE, route, words);
                }
            }
        }
    }
}

/// Of those requests the ones that are its own: an exact route takes its path from a prefix.
pub(super) fn own(route: &Route, exact: &HashSet<&str>) -> impl Iterator<Item = String> {
    let is_exact = matches!(route.path, PathMatch::Exact(_));
    inside(&route.path).into_iter().filter(move |path| is_exact || !exact.contains(path.as_str()))
}

/// The paths of a host's exact routes.
pub(super) fn exact(host: &VirtualHost) -> HashSet<&str> {
    let exact = host.routes.iter().filter(|route| matches!(route.path, PathMatch::Exact(_)));
    exact.map(|route| route.path.path().as_str()).collect()
}

fn shadowed(route: &Route, request: &str, taker: Option<&str>) -> String {
    match taker {
        Some(taker) => format!("route `{}` does not get `{request}`: `{taker}` does", route.id),
        None => format!("route `{}` does not get `{request}`: nobody does", route.id),
    }
}
