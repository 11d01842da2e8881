//! The objects by host, as Istio reads them.

use std::collections::HashMap;

use super::paths::Paths;
use super::selectors::{Takes, takes_gateway};
use crate::catalogue::Route;
use crate::gateway::kind::{
    AuthorizationPolicySpec, HttpRoute, Object, Operation, StringMatch, Text, VirtualServiceSpec,
};
use crate::gateway::{GatewaySettings, Objects};

/// A pattern of a policy.
#[derive(Clone, Copy)]
pub(super) enum Pattern<'o> {
    /// This path alone.
    Exact(&'o str),
    /// Every path that begins so.
    Beginning(&'o str),
}

impl<'o> Pattern<'o> {
    /// `None` for the ends (`*x`) and templates (`{*}`) that Istio knows as well, and no route.
    pub(super) fn read(text: &'o str) -> Option<Self> {
        let (path, pattern) = match text.strip_suffix('*') {
            Some(beginning) => (beginning, Self::Beginning(beginning)),
            None => (text, Self::Exact(text)),
        };
        (!path.contains(['*', '{'])).then_some(pattern)
    }
}

/// A policy with one of the operations that it allows.
pub(super) struct Allowed<'o> {
    /// Whether it binds the gateway's pods for sure.
    surely: bool,
    pub(super) policy: &'o Object<'o, AuthorizationPolicySpec<'o>>,
    operation: &'o Operation<'o>,
    /// What it does not allow of that.
    withheld: Paths<'o>,
}

impl Allowed<'_> {
    /// Whether it is the policy of a route, and binds the gateway's pods for sure.
    pub(super) fn is_for(&self, route: &Route) -> bool {
        self.surely && self.policy.routes.iter().any(|own| own.id == route.id)
    }
}

/// Whether an object is seen in its own namespace: Istio knows a word for nowhere as well.
pub(super) fn is_exported(to: [&str; 1]) -> bool {
    matches!(to, ["." | "*"])
}

/// What there is for a host.
#[derive(Default)]
pub(super) struct Site<'o> {
    pub(super) services: Vec<&'o Object<'o, VirtualServiceSpec<'o>>>,
    /// The routes of its first virtual service: the second would never be asked.
    routes: Paths<'o>,
    /// What policies allow.
    pub(super) allowed: Vec<Allowed<'o>>,
    paths: Paths<'o>,
}

/// All hosts.
pub(super) struct Sites<'o>(HashMap<&'o str, Site<'o>>);

/// The host of a `Host` header.
pub(super) fn without_port(header: &str) -> &str {
    header.split_once(':').map_or(header, |(host, _)| host)
}

impl<'o> Sites<'o> {
    /// What the gateway is told: of virtual services those of its own namespace, of policies those that may bind its pods.
    pub(super) fn of(objects: &'o Objects<'o>, settings: &GatewaySettings) -> Self {
        let mut sites: HashMap<&'o str, Site<'o>> = HashMap::with_capacity(objects.virtual_services.len());
        let own = settings.mesh.namespace.as_str();
        let is_told = |service: &&Object<'_, VirtualServiceSpec<'_>>| {
            service.metadata.namespace == own && is_exported(service.spec.export_to)
        };
        for service in objects.virtual_services.iter().filter(is_told) {
            for host in &service.spec.hosts {
                let site = sites.entry(host.as_ref()).or_default();
                if site.services.is_empty() {
                    for (number, route) in service.spec.http.iter().enumerate() {
                        add_route(&mut site.routes, route, number);
                    }
                }
                site.services.push(service);
            }
        }
        for policy in objects.authorization_policies.iter().filter(|policy| policy.spec.action == "ALLOW") {
            let binds = takes_gateway(&policy.metadata, &policy.spec.selector.match_labels, settings);
            if binds == Takes::Never {
                continue;
            }
            let operations = policy.spec.rules.iter().flat_map(|rule| &rule.to).map(|to| &to.operation);
            for operation in operations {
                add_policy(&mut sites, policy, operation, binds == Takes::Surely);
            }
        }
        Self(sites)
    }

    pub(super) fn get(&self, host: &str) -> Option<&Site<'o>> {
        self.0.get(host)
    }
}

fn add_route<'o>(paths: &mut Paths<'o>, route: &'o HttpRoute<'o>, number: usize) {
    if route.matches.is_empty() {
        paths.add_beginning("", number);
    }
    for matcher in &route.matches {
        match &matcher.uri {
            StringMatch::Exact(text) => paths.add_exact(text, number),
            StringMatch::Prefix(text) => paths.add_beginning(text, number),
        }
    }
}

fn add_policy<'o>(
    sites: &mut HashMap<&'o str, Site<'o>>,
    policy: &'o Object<'o, AuthorizationPolicySpec<'o>>,
    operation: &'o Operation<'o>,
    surely: bool,
) {
    let mut hosts: Vec<&str> = operation.hosts.iter().map(|host| without_port(host)).collect();
    hosts.dedup();
    for host in hosts {
        let site = sites.entry(host).or_default();
        let number = site.allowed.len();
        let mut withheld = Paths::default();
        add_patterns(&mut withheld, &operation.not_paths, 0);
        site.allowed.push(Allowed { surely, policy, operation, withheld });
        add_patterns(&mut site.paths, &operation.paths, number);
    }
}

/// Patterns that are none of a route's are a fault of their own.
fn add_patterns<'o>(paths: &mut Paths<'o>, patterns: &'o [Text<'o>], number: usize) {
    for pattern in patterns.iter().filter_map(|text| Pattern::read(text)) {
        match pattern {
            Pattern::Exact(text) => paths.add_exact(text, number),
            Pattern::Beginning(text) => paths.add_beginning(text, number),
        }
    }
}

impl<'o> Site<'o> {
    /// The route that takes a path: the first that matches.
    pub(super) fn route(&self, path: &str) -> Option<&'o HttpRoute<'o>> {
        let first = self.routes.matching(path).min()?;
        self.services.first()?.spec.http.get(first)
    }

    /// What allows a request, whoever sends it.
    pub(super) fn allowed<'s>(&'s self, header: &'s str, path: &'s str) -> impl Iterator<Item = &'s Allowed<'o>> + 's {
        self.paths
            .matching(path)
            .filter_map(|number| self.allowed.get(number))
            .filter(move |allowed| allowed.operation.hosts.iter().any(|host| host.eq_ignore_ascii_case(header)))
            .filter(move |allowed| allowed.withheld.matching(path).next().is_none())
    }
}
