//! Who may use which route: one policy a route. What no policy allows is denied.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::Site;
use crate::catalogue::{Access, Route, VirtualHost};
use crate::gateway::kind::{
    AuthorizationPolicySpec, AuthorizationRule, From, Object, Operation, Routes, Source, Text, To,
};
use crate::name::{PathMatch, folders};

/// The policies of a host, a route after the other.
pub(super) fn policies<'a>(host: &'a VirtualHost, site: &Site<'a>) -> Vec<Object<'a, AuthorizationPolicySpec<'a>>> {
    let name = host.origin.host().as_str();
    // Envoy compares the whole header: the edge sends the port where it is not HTTPS's own, other clients may send it always.
    let hosts: Arc<[Text<'a>]> = [name.into(), format!("{name}:{}", host.origin.port()).into()].into();
    let mut withheld = withheld(host);
    let policies = host.routes.iter().enumerate().map(|(index, route)| {
        let rule = AuthorizationRule {
            from: from(route, site),
            to: [To {
                operation: Operation {
                    hosts: Arc::clone(&hosts),
                    paths: paths(&route.path),
                    not_paths: withheld.remove(&index).unwrap_or_default(),
                },
            }],
        };
        let spec = AuthorizationPolicySpec { selector: site.pod_selector(), action: "ALLOW", rules: [rule] };
        site.object(route.id.as_str(), Routes::Slice(std::slice::from_ref(route)), Some(route), spec)
    });
    policies.collect()
}

/// A management route takes the requests of its networks alone, and believes the edges alone about where a request comes from: others
/// that reach the gateway could name any address.
fn from<'a>(route: &Route, site: &Site<'a>) -> Vec<From<'a>> {
    match route.access {
        Access::Public => Vec::new(),
        Access::Management => vec![From {
            source: Source { remote_ip_blocks: Arc::clone(&site.management), ip_blocks: Arc::clone(&site.edges) },
        }],
    }
}

/// The paths of a route, as a policy writes them: a final `*` takes everything that begins so.
fn paths(path: &PathMatch) -> Vec<Text<'_>> {
    let text = path.path().as_str();
    match path {
        PathMatch::Exact(_) => vec![text.into()],
        PathMatch::Prefix(_) if text.ends_with('/') => vec![format!("{text}*").into()],
        PathMatch::Prefix(_) => vec![text.into(), format!("{text}/*").into()],
    }
}

/// By the index of a public route, the paths of the management routes below it. Policies add up: without the exception the public
/// route would open them.
fn withheld(host: &VirtualHost) -> HashMap<usize, Vec<Text<'_>>> {
    let mut withheld: HashMap<usize, Vec<Text<'_>>> = HashMap::new();
    if !host.routes.iter().any(|route| route.access == Access::Management) {
        return withheld;
    }
    let prefixes: HashMap<Cow<'_, str>, usize> = host
        .routes
        .iter()
        .enumerate()
        .filter(|(_, route)| route.access == Access::Public && matches!(route.path, PathMatch::Prefix(_)))
        .map(|(index, route)| (route.path.path().as_folder(), index))
        .collect();
    for route in host.routes.iter().filter(|route| route.access == Access::Management) {
        let path = route.path.path();
        let above = folders(path.as_str()).map(Cow::Borrowed);
        for folder in std::iter::once(path.as_folder()).chain(above) {
            let Some(index) = prefixes.get(&folder) else { continue };
            // The public prefix of a management route's own folder takes it only if it is no more specific.
            if host.routes.get(*index).is_some_and(|public| public.path.takes(path.as_str())) {
                withheld.entry(*index).or_default().extend(paths(&route.path));
            }
        }
    }
    withheld
}
