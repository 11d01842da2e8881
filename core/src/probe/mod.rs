//! Whether a live site serves its routes: what is asked of each, and what the answers say.
//!
//! [`questions`] makes one request a route, [`judge`] says what an answer shows. A status alone does not tell who gave it: a 404 may be
//! the application's own. The gateway adds [`BACKEND_HEADER`] to what a backend answered, and to nothing else.

pub mod codes;
mod judge;
mod outcome;

pub use judge::judge;
pub use outcome::{Outcome, Verdict, junit, report, table};

use std::net::IpAddr;

use serde::Serialize;

use crate::catalogue::{Access, Owner, Route, RouteTable, Transport};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::name::{DnsLabel, HostName, Network, PathMatch, Port, address_help};
use crate::policy::admitted;

/// The header by which a gateway of Envoy's says how long the backend took. What the gateway answers itself has none.
pub const BACKEND_HEADER: &str = "x-envoy-upstream-service-time";

/// How a route is asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Manner {
    /// A GET.
    Get,
    /// A GET that asks for the upgrade to a WebSocket.
    WebSocket,
    /// An empty gRPC call: a POST over HTTP/2.
    Grpc,
}

/// What an answer must show.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// That the backend was reached.
    Backend,
    /// That whoever asks from here is refused.
    Refusal,
    /// One of both: it is not known where the question comes from.
    Either,
}

/// One request.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Question {
    /// The route that it is about.
    pub route: DnsLabel,
    /// Whether a laboratory states the route.
    pub laboratory: bool,
    /// The host that is asked.
    pub host: HostName,
    /// Its port.
    pub port: Port,
    /// A path that the route takes.
    pub path: String,
    /// How.
    pub manner: Manner,
    /// What must be seen.
    pub expected: Expected,
}

impl Question {
    /// The address that is asked.
    pub fn url(&self) -> String {
        let port = if self.port.get() == 443 { String::new() } else { format!(":{}", self.port) };
        format!("https://{}{port}{}", self.host, self.path)
    }
}

/// The one edge that is asked, and where it sees the questions come from, as they are written for the options of these names.
///
/// # Errors
/// `probe/standpoint` for each that is no address.
pub fn standpoint(address: Option<&str>, from: Option<&str>) -> Result<(Option<IpAddr>, Option<Network>), Report> {
    let mut findings = Findings::new();
    let edge = address.map(str::parse::<IpAddr>).transpose().map_err(|_| {
        let words = format!("`{}` is no IP address", address.unwrap_or_default().escape_debug());
        let form =
            "give `--address` the address of an edge, for example `192.0.2.10`: a port or a name is the route's own";
        let help = address_help(address.unwrap_or_default(), form);
        findings.push(Diagnostic::error(codes::STANDPOINT, words).at(Place::named("--address"), "").help(help));
    });
    let from = from.map(Network::of_sender).transpose().map_err(|error| {
        findings
            .push(Diagnostic::error(codes::STANDPOINT, error.message).at(Place::named("--from"), "").help(error.help));
    });
    findings.conclude((edge.ok().flatten(), from.ok().flatten())).map(|(found, _)| found)
}

/// Where the questions come from.
#[derive(Clone, Copy, Debug)]
pub struct Standpoint<'a> {
    /// The network that the edge sees them come from, if it is known.
    pub from: Option<&'a Network>,
    /// The networks that may use management routes, beside the edge host itself.
    pub management: &'a [Network],
}

impl Standpoint<'_> {
    /// What is to be seen of a route from here. A network that is partly inside is not known to be inside.
    fn expected(&self, access: Access) -> Expected {
        let Some(from) = self.from.filter(|_| access == Access::Management) else {
            return if access == Access::Public { Expected::Backend } else { Expected::Either };
        };
        let admitted = admitted(self.management);
        let inside = |network: &Network| network.net().contains(&from.net());
        let apart = |network: &Network| !network.net().contains(&from.net()) && !from.net().contains(&network.net());
        match () {
            () if admitted.iter().any(inside) => Expected::Backend,
            () if admitted.iter().all(apart) => Expected::Refusal,
            () => Expected::Either,
        }
    }
}

/// A question for each route, in the order of the table.
pub fn questions(table: &RouteTable, standpoint: &Standpoint<'_>) -> Vec<Question> {
    table
        .routes()
        .map(|(origin, route)| Question {
            route: route.id.clone(),
            laboratory: matches!(route.owner, Owner::Laboratory(_)),
            host: origin.host().clone(),
            port: origin.port(),
            path: path(route),
            manner: manner(route),
            expected: standpoint.expected(route.access),
        })
        .collect()
}

fn path(route: &Route) -> String {
    let (PathMatch::Exact(path) | PathMatch::Prefix(path)) = &route.path;
    path.as_str().to_owned()
}

/// A route that may be upgraded is asked for that where nothing else goes over it: an application answers an upgrade at its root as it
/// likes.
fn manner(route: &Route) -> Manner {
    match (route.transport, route.websocket, path(route).as_str()) {
        (Transport::Grpc, ..) => Manner::Grpc,
        (Transport::Http, true, path) if path != "/" => Manner::WebSocket,
        (Transport::Http, ..) => Manner::Get,
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Expected, Network, Standpoint};

    #[test]
    fn what_is_seen_of_a_management_route_depends_on_where_one_stands() {
        let network = |text: &str| text.parse::<Network>().unwrap();
        let office = [network("10.1.0.0/16")];
        let seen = |from: Option<&str>, management: &[Network]| {
            let from = from.map(network);
            Standpoint { from: from.as_ref(), management }.expected(Access::Management)
        };
        assert_eq!(seen(Some("10.1.2.3/32"), &office), Expected::Backend);
        assert_eq!(seen(Some("10.0.0.0/8"), &office), Expected::Either);
        assert_eq!(seen(Some("192.0.2.1/32"), &office), Expected::Refusal);
        assert_eq!(seen(Some("2001:db8::1/128"), &office), Expected::Refusal);
        assert_eq!(seen(Some("127.0.0.1/32"), &[]), Expected::Backend);
        assert_eq!(seen(Some("10.1.2.3/32"), &[]), Expected::Refusal);
        assert_eq!(seen(Some("127.0.0.1/32"), &office), Expected::Backend);
        assert_eq!(seen(None, &office), Expected::Either);
        let outside = Standpoint { from: Some(&network("192.0.2.1/32")), management: &office };
        assert_eq!(outside.expected(Access::Public), Expected::Backend);
    }
}
