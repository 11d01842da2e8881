//! No management route is open to anyone but its networks.

use std::net::IpAddr;

use ipnet::IpNet;

use super::sites::{Allowed, Site};
use super::{Proof, network, request};
use crate::catalogue::Route;
use crate::gateway::kind::{From, Text};
use crate::gateway::{Objects, codes};
use crate::name::Network;

/// Whatever lets a request of a management route through asks for its networks, and for an edge that says so.
pub(super) fn closed(route: &Route, header: &str, path: &str, site: &Site<'_>, proof: &mut Proof<'_>) {
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

pub(super) fn parse(block: &str) -> Option<IpNet> {
    block.parse().ok().or_else(|| block.parse::<IpAddr>().ok().map(IpNet::from))
}

/// The gateway believes one proxy and keeps the client's address, and policies say who reaches it.
pub(super) fn guarded(route: &Route, objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let trusted = objects.mesh_config.default_config.gateway_topology.num_trusted_proxies;
    let mut open = Vec::new();
    if trusted != 1 {
        open.push(format!("it believes {trusted} proxies about the client, not one"));
    }
    if objects.services.iter().any(|service| service.spec.external_traffic_policy != "Local") {
        open.push("its Service hides who connects".to_owned());
    }
    if !network::is_guarded(objects, proof.settings) {
        open.push("no network policy keeps others from it".to_owned());
    }
    for why in open {
        let words = format!("management route `{}` stands behind a gateway that is open: {why}", route.id);
        proof.fails(codes::MANAGEMENT_REACHABLE, route, words);
    }
}
