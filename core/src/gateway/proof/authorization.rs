//! Every route has its policy, and every policy its route.

use super::permission::Permissions;
use super::sites::{Site, Sites};
use super::{Proof, management, request, requests};
use crate::catalogue::{Access, Route, RouteTable};
use crate::gateway::{Objects, codes};

pub(super) fn prove(table: &RouteTable, objects: &Objects<'_>, sites: &Sites<'_>, proof: &mut Proof<'_>) {
    let none = Site::default();
    let mut guarded = None;
    for host in table.hosts() {
        let site = sites.get(host.origin.host().as_str()).unwrap_or(&none);
        let exact = requests::exact(host);
        let name = host.origin.host().as_str();
        let headers = [name.to_owned(), format!("{name}:{}", host.origin.port())];
        for route in &host.routes {
            for path in requests::own(route, &exact) {
                admitted(&headers, route, &path, site, proof);
            }
            if route.access == Access::Management {
                guarded.get_or_insert(route);
            }
        }
    }
    if let Some(route) = guarded {
        management::guarded(route, objects, proof);
    }
    let permissions = Permissions::of(table, sites);
    for policy in &objects.authorization_policies {
        permissions.judge(policy, proof);
    }
}

/// A request of a route is let through, with and without the port in its host, by the route's own policy; and if the route is for
/// management, by nothing that others could use.
fn admitted(headers: &[String; 2], route: &Route, path: &str, site: &Site<'_>, proof: &mut Proof<'_>) {
    for header in headers {
        if !site.allowed(header, path).any(|allowed| allowed.is_for(route)) {
            let words = format!("no policy lets `{}` through to route `{}`", request(header, path), route.id);
            proof.fails(codes::ROUTE_WITHOUT_POLICY, route, words);
        }
        if route.access == Access::Management {
            management::closed(route, header, path, site, proof);
        }
    }
}
