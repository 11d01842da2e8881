//! No route is shadowed: the requests of each go where the table leads them, and those beside them do not. What takes them leads to the
//! Service of the route, and what takes others is there for none.

use std::collections::{HashMap, HashSet};

use super::sites::{Site, Sites};
use super::{Proof, request};
use crate::catalogue::{Backend, Route, RouteTable, VirtualHost};
use crate::diagnostic::Place;
use crate::gateway::kind::{Destination, HttpRoute, StringMatch};
use crate::gateway::{Objects, codes};
use crate::name::PathMatch;

/// A last segment that no route has.
pub(super) const ANY: &str = "(any)";

/// Requests that stand for all that a route takes.
pub(super) fn inside(path: &PathMatch) -> Vec<String> {
    let text = path.path().as_str();
    match path {
        PathMatch::Exact(_) => vec![text.to_owned()],
        PathMatch::Prefix(_) if text.ends_with('/') => vec![text.to_owned(), format!("{text}{ANY}")],
        PathMatch::Prefix(_) => vec![text.to_owned(), format!("{text}/"), format!("{text}/{ANY}")],
    }
}

/// A path that begins so and is none of a route's.
pub(super) fn beyond(beginning: &str, path: &PathMatch) -> Option<String> {
    // Whatever is asked for begins with a slash.
    let first = if beginning.is_empty() { "/" } else { beginning };
    [first.to_owned(), format!("{first}{ANY}")].into_iter().find(|asked| !path.takes(asked))
}

pub(super) fn prove(table: &RouteTable, sites: &Sites<'_>, proof: &mut Proof<'_>) {
    let none = Site::default();
    for host in table.hosts() {
        let name = host.origin.host().as_str();
        let site = sites.get(name).unwrap_or(&none);
        let exact: HashSet<&str> = exact(host);
        for route in &host.routes {
            for path in own(route, &exact) {
                match site.route(&path) {
                    Some(taker) if taker.name == route.id.as_str() => led(route, taker, name, &path, proof),
                    taker => {
                        let taker = taker.map(|taker| taker.name.as_ref());
                        proof.fails(codes::SHADOWED_ROUTE, route, shadowed(route, &request(name, &path), taker));
                    }
                }
            }
        }
    }
}

/// What virtual services take besides the requests of their routes, and what stands in them a second time: it would take requests
/// from the routes between.
pub(super) fn prove_no_more(table: &RouteTable, objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let routes: HashMap<(&str, &str), &Route> =
        table.routes().map(|(origin, route)| ((origin.host().as_str(), route.id.as_str()), route)).collect();
    for service in &objects.virtual_services {
        let [host] = &service.spec.hosts;
        let mut seen = HashMap::with_capacity(service.spec.http.len());
        for taker in &service.spec.http {
            let first =
                |taker: &HttpRoute<'_>| request(host, taker.matches.first().map_or("/", |first| first.uri.text()));
            let Some(route) = routes.get(&(host.as_ref(), taker.name.as_ref())) else {
                let words = format!("`{}` takes `{}`, which no route of the documents does", taker.name, first(taker));
                proof.fails_at(codes::SHADOWED_ROUTE, Place::named(&service.metadata.name), words);
                continue;
            };
            if let Some(earlier) = seen.insert(taker.name.as_ref(), taker) {
                let words =
                    format!("route `{}` stands twice, and takes `{}` before its turn", route.id, first(earlier));
                proof.fails(codes::SHADOWED_ROUTE, route, words);
            }
            for asked in more(taker, &route.path) {
                let words = format!("route `{}` takes `{}`, which is not its own", route.id, request(host, &asked));
                proof.fails(codes::SHADOWED_ROUTE, route, words);
            }
        }
    }
}

/// Requests that are taken and that are none of a route's. Without any matcher everything is taken.
fn more(taker: &HttpRoute<'_>, path: &PathMatch) -> Vec<String> {
    if taker.matches.is_empty() {
        return beyond("/", path).into_iter().collect();
    }
    let of = |uri: &StringMatch<'_>| match uri {
        StringMatch::Exact(text) => (!path.takes(text)).then(|| text.to_string()),
        StringMatch::Prefix(text) => beyond(text, path),
    };
    taker.matches.iter().filter_map(|matcher| of(&matcher.uri)).collect()
}

/// A request of a route goes to the port of the Service that the route names.
fn led(route: &Route, taker: &HttpRoute<'_>, host: &str, path: &str, proof: &mut Proof<'_>) {
    let [leads] = &taker.route;
    if !is_backend(&leads.destination, &route.backend, proof.settings.mesh.cluster_domain.as_str()) {
        let Destination { host: service, port } = &leads.destination;
        let Backend { service: own, namespace, port: own_port, .. } = &route.backend;
        let words = format!(
            "route `{}` leads `{}` to port {} of `{service}`, not to port {own_port} of `{own}.{namespace}`",
            route.id,
            request(host, path),
            port.number,
        );
        proof.fails(codes::WRONG_DESTINATION, route, words);
    }
}

/// Whether a destination is a backend's. It is its whole name that is compared: Istio reads a shorter one as of the namespace of the
/// object that it stands in.
fn is_backend(destination: &Destination, backend: &Backend, domain: &str) -> bool {
    let namespace = destination.host.strip_prefix(backend.service.as_str()).and_then(|rest| rest.strip_prefix('.'));
    let rest = namespace.and_then(|rest| rest.strip_prefix(backend.namespace.as_str()));
    rest.and_then(|rest| rest.strip_prefix(".svc.")) == Some(domain) && destination.port.number == backend.port.get()
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
