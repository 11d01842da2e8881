//! What must hold of rendered objects, proven over the objects themselves: a fault of the rendering is found like any other.
//!
//! The objects are read as Istio and Kubernetes read them, by nothing that rendered them. Requests stand for all others: a matcher
//! knows exact paths and beginnings of paths, so that two requests which no matcher tells apart fare alike. Each proof that fails
//! names such a request.

mod authorization;
mod backend;
mod conflict;
mod listener;
mod management;
mod network;
mod paths;
mod permission;
mod requests;
mod selectors;
mod sites;

use super::{GatewaySettings, Objects};
use crate::catalogue::{Route, RouteTable};
use crate::diagnostic::{Code, Diagnostic, Findings, Place};

use sites::Sites;

/// Proves that the objects serve the routes of a table and nothing else. `place` is where a route is stated.
pub fn prove(
    table: &RouteTable,
    objects: &Objects<'_>,
    settings: &GatewaySettings,
    place: &dyn Fn(&Route) -> Place,
    findings: &mut Findings,
) {
    let sites = Sites::of(objects, settings);
    let mut proof = Proof { settings, place, findings };
    conflict::prove(objects, &mut proof);
    listener::prove(table, objects, &sites, &mut proof);
    requests::prove(table, &sites, &mut proof);
    requests::prove_no_more(table, objects, &mut proof);
    authorization::prove(table, objects, &sites, &mut proof);
    backend::prove(table, objects, &mut proof);
    network::prove(table, objects, &mut proof);
}

/// What every proof needs.
struct Proof<'a> {
    settings: &'a GatewaySettings,
    place: &'a dyn Fn(&Route) -> Place,
    findings: &'a mut Findings,
}

impl Proof<'_> {
    /// A proof about a route that failed.
    fn fails(&mut self, code: Code, route: &Route, words: String) {
        self.fails_at(code, (self.place)(route), words);
    }

    fn fails_at(&mut self, code: Code, place: Place, words: String) {
        self.findings.push(
            Diagnostic::error(code, words)
                .at(place, "")
                .help("do not apply the objects: they do not say what the documents say; if the documents are right, please report it"),
        );
    }
}

/// A request as people write it.
fn request(host: &str, path: &str) -> String {
    format!("GET https://{host}{path}")
}

/// A request of a route.
fn first_request(host: &str, route: &Route) -> String {
    request(host, &requests::inside(&route.path).into_iter().next().unwrap_or_default())
}
