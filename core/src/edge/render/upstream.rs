//! Upstreams: one a route, so that connections, TLS sessions and the record of failures are never shared by two routes. nginx would
//! hand a connection that was verified for one name to a location that asks for another, and mixes up HTTP and gRPC in one pool.

use super::build::directive;
use super::gateway::Gateway;
use crate::catalogue::{Route, RouteTable};
use crate::edge::nginx::{Directive, Word};

/// Idle connections to the gateway that each worker keeps for a route.
const KEPT: &str = "8";

/// The upstreams of all routes.
pub(super) fn blocks(table: &RouteTable, gateway: &Gateway<'_>) -> Vec<Directive> {
    let zone = zone_size(table.routes().count(), gateway.addresses.len());
    let servers: Vec<Directive> = gateway
        .addresses
        .iter()
        .map(|address| directive!("server", Word::from(address).shared(), "max_fails=3", "fail_timeout=10s"))
        .collect();
    table
        .routes()
        .map(|(_, route)| {
            let mut block = Vec::with_capacity(2 + servers.len());
            block.push(directive!("zone", "pharos_upstreams", zone.clone()));
            block.extend_from_slice(&servers);
            block.push(directive!("keepalive", KEPT));
            Directive::block("upstream", vec![name(route)], block)
        })
        .collect()
}

/// The upstream's name.
pub(super) fn name(route: &Route) -> Word {
    Word::concat(&[&"pharos_".into(), &Word::from(&route.id)])
}

/// The size of the one zone that all workers share, in KiB: nginx refuses to start if the upstreams do not fit.
fn zone_size(routes: usize, addresses: usize) -> Word {
    let kib = 64 + routes * (2 + 2 * addresses);
    Word::concat(&[&Word::from(&(kib as u64)), &"k".into()]).shared()
}
