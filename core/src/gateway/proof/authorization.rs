//! Every route has its policy, every policy its route, and no management route is open to anyone but its networks.

use std::net::IpAddr;

use ipnet::IpNet;

use super::selectors::{is_gateway, named};
use super::sites::{Allowed, Site, Sites, without_port};
use super::{Proof, request, requests};
use crate::catalogue::{Access, Route, RouteTable, VirtualHost};
use crate::diagnostic::Place;
use crate::gateway::kind::{AuthorizationPolicySpec, From, Metadata, Object, Text};
use crate::gateway::{Objects, codes};
use crate::name::Network;

pub(super) fn prove(table: &RouteTable, objects: &Objects<'_>, sites: &Sites<'_>, proof: &mut Proof<'_>) {
    let none = Site::default();
    let mut management = None;
    for host in table.hosts() {
        let site = sites.get(host.origin.host().as_str()).unwrap_or(&none);
        let exact = requests::exact(host);
        for route in &host.routes {
            for path in requests::own(route, &exact) {
                admitted(host, route, &path, site, proof);
            }
            if route.access == Access::Management {
                management.get_or_insert(route);
            }
        }
    }
    if let Some(route) = management {
        guarded(route, objects, proof);
    }
    for policy in &objects.authorization_policies {
        binds(policy, proof);
        for operation in policy.spec.rules.iter().flat_map(|rule| &rule.to).map(|to| &to.operation) {
            for (host, path) in
                operation.hosts.iter().flat_map(|host| operation.paths.iter().map(move |path| (host, path)))
            {
                lets_nothing_else_through(policy.metadata.name.as_ref(), table_route(policy), host, path, sites, proof);
            }
        }
    }
}

/// A request of a route is let through, with and without the port in its host, by the route's own policy; and if the route is for
/// management, by nothing that others could use.
fn admitted(host: &VirtualHost, route: &Route, path: &str, site: &Site<'_>, proof: &mut Proof<'_>) {
    let name = host.origin.host().as_str();
    for header in [name.to_owned(), format!("{name}:{}", host.origin.port())] {
        let is_own =
            |allowed: &Allowed<'_>| allowed.surely && allowed.policy.routes.iter().any(|own| own.id == route.id);
        if !site.allowed(&header, path).any(is_own) {
            let words = format!("no policy lets `{}` through to route `{}`", request(&header, path), route.id);
            proof.fails(codes::ROUTE_WITHOUT_POLICY, route, words);
        }
        if route.access == Access::Management {
            closed(route, &header, path, site, proof);
        }
    }
}

/// A policy allows, and binds the gateway's pods and no others: there it would deny whatever it does not allow.
fn binds(policy: &Object<'_, AuthorizationPolicySpec<'_>>, proof: &mut Proof<'_>) {
    let AuthorizationPolicySpec { selector, action, rules: [rule] } = &policy.spec;
    let name = &policy.metadata.name;
    let [to] = &rule.to;
    let asked = request(
        to.operation.hosts.first().map_or("any.example", |host| without_port(host)),
        to.operation.paths.first().map_or("/", |path| path.trim_end_matches('*')),
    );
    let place = || table_route(policy).map_or_else(|| Place::named(name), |route| (proof.place)(route));
    if *action != "ALLOW" {
        let words = format!("policy `{name}` turns `{asked}` away: its action is `{action}`");
        proof.fails_at(codes::ROUTE_WITHOUT_POLICY, place(), words);
    }
    if !is_gateway(&policy.metadata, &selector.match_labels, proof.settings) {
        let Metadata { namespace, .. } = &policy.metadata;
        let pods = named(&selector.match_labels);
        let words = format!(
            "policy `{name}` lets `{asked}` through to {pods} of namespace `{namespace}`, which are not the gateway's alone"
        );
        proof.fails_at(codes::POLICY_WITHOUT_ROUTE, place(), words);
    }
}

fn table_route<'o, S>(object: &Object<'o, S>) -> Option<&'o Route> {
    object.routes.iter().next()
}

/// Whatever lets a request of a management route through asks for its networks, and for an edge that says so.
fn closed(route: &Route, header: &str, path: &str, site: &Site<'_>, proof: &mut Proof<'_>) {
    for allowed in site.allowed(header, path) {
        let Some(who) = outsider(allowed, proof.settings.management.as_slice(), &proof.settings.policy.edges) else {
            continue;
        };
        let words = format!(
            "management route `{}` is open to `{}` {who}, by policy `{}`",
            route.id,
            request(header, path),
            allowed.policy.metadata.name
        );
        proof.fails(codes::MANAGEMENT_REACHABLE, route, words);
    }
}

/// Somebody that a policy lets through, and who is neither in the management networks nor brought by an edge.
fn outsider(allowed: &Allowed<'_>, management: &[Network], edges: &[Network]) -> Option<String> {
    let rules = &allowed.policy.spec.rules;
    let sources: Vec<&From<'_>> = rules.iter().flat_map(|rule| &rule.from).collect();
    if sources.is_empty() {
        return Some("from anywhere".to_owned());
    }
    sources.into_iter().find_map(|from| {
        let client = beyond(&from.source.remote_ip_blocks, management).map(|who| format!("from {who}"));
        let bearer = beyond(&from.source.ip_blocks, edges).map(|who| match who.as_str() {
            ANYWHERE => "whoever brings it, an edge or not".to_owned(),
            _ => format!("brought by {who}, which is no edge"),
        });
        client.or(bearer)
    })
}

const ANYWHERE: &str = "anywhere";

/// An address of the blocks that is in none of the networks; anybody's if there are no blocks.
fn beyond(blocks: &[Text<'_>], networks: &[Network]) -> Option<String> {
    if blocks.is_empty() {
        return Some(ANYWHERE.to_owned());
    }
    blocks.iter().find_map(|block| {
        let Some(net) = parse(block) else { return Some(format!("`{block}`")) };
        let within = networks.iter().any(|network| network.net().contains(&net));
        (!within).then(|| net.addr().to_string())
    })
}

fn parse(block: &str) -> Option<IpNet> {
    block.parse().ok().or_else(|| block.parse::<IpAddr>().ok().map(IpNet::from))
}

/// The gateway believes one proxy, keeps the client's address, and lets nobody else near.
fn guarded(route: &Route, objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let trusted = objects.mesh_config.default_config.gateway_topology.num_trusted_proxies;
    let mut open = Vec::new();
    if trusted != 1 {
        open.push(format!("it believes {trusted} proxies about the client, not one"));
    }
    if objects.services.iter().any(|service| service.spec.external_traffic_policy != "Local") {
        open.push("its Service hides who connects".to_owned());
    }
    if !objects.network_policies.iter().any(|policy| super::backend::guards(policy, proof.settings)) {
        open.push("no network policy keeps others from it".to_owned());
    }
    for why in open {
        let words = format!("management route `{}` stands behind a gateway that is open: {why}", route.id);
        proof.fails(codes::MANAGEMENT_REACHABLE, route, words);
    }
}

/// What a policy lets through ends at one of our routes, and at its own: every path of it does.
fn lets_nothing_else_through(
    policy: &str,
    route: Option<&Route>,
    host: &str,
    pattern: &str,
    sites: &Sites<'_>,
    proof: &mut Proof<'_>,
) {
    let path = pattern.trim_end_matches('*');
    let taker = sites.get(without_port(host)).and_then(|site| site.route(path));
    let place = route.map_or_else(|| Place::named(policy), |route| (proof.place)(route));
    if taker.is_none() {
        let words = format!("policy `{policy}` lets `{}` through, which no route takes", request(host, path));
        proof.fails_at(codes::POLICY_WITHOUT_ROUTE, place, words);
    }
}
