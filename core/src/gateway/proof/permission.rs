//! What a policy lets through: requests of its own route, from those who may use it, and nothing else.

use std::collections::{HashMap, HashSet};

use super::selectors::{is_gateway, named};
use super::sites::{Pattern, Site, Sites, without_port};
use super::{Proof, management, request, requests};
use crate::catalogue::{Access, Route, RouteTable, VirtualHost};
use crate::diagnostic::Place;
use crate::gateway::codes;
use crate::gateway::kind::{AuthorizationPolicySpec, From, Metadata, Object, Operation, Text};
use crate::name::Network;

type Policy<'o> = Object<'o, AuthorizationPolicySpec<'o>>;

/// The routes that policies are there for.
pub(super) struct Permissions<'o> {
    routes: HashMap<&'o str, (&'o VirtualHost, &'o Route)>,
    sites: &'o Sites<'o>,
    /// The hosts that have a route for management.
    guarded: HashSet<&'o str>,
}

/// A host that nobody has.
const ANY_HOST: &str = "any.example";

impl<'o> Permissions<'o> {
    pub(super) fn of(table: &'o RouteTable, sites: &'o Sites<'o>) -> Self {
        let routes = table.hosts().iter().flat_map(|host| host.routes.iter().map(move |route| (host, route)));
        let is_guarded = |host: &&VirtualHost| host.routes.iter().any(|route| route.access == Access::Management);
        Self {
            routes: routes.map(|(host, route)| (route.id.as_str(), (host, route))).collect(),
            sites,
            guarded: table.hosts().iter().filter(is_guarded).map(|host| host.origin.host().as_str()).collect(),
        }
    }

    /// Everything that one policy says.
    pub(super) fn judge(&self, policy: &Policy<'_>, proof: &mut Proof<'_>) {
        binds(policy, proof);
        let own = policy.routes.iter().next().and_then(|route| self.routes.get(route.id.as_str()));
        let Some((host, route)) = own else {
            let words = format!("policy `{}` lets `{}` through for no route", policy.metadata.name, asked(policy));
            proof.fails_at(codes::POLICY_WITHOUT_ROUTE, Place::named(&policy.metadata.name), words);
            return;
        };
        let none = Site::default();
        let name = host.origin.host().as_str();
        let permission = Permission {
            policy: &policy.metadata.name,
            own: route,
            host: name,
            site: self.sites.get(name).unwrap_or(&none),
            guards: self.guarded.contains(name),
            routes: &self.routes,
        };
        let AuthorizationPolicySpec { rules: [rule], .. } = &policy.spec;
        let [to] = &rule.to;
        permission.hosts(&to.operation, host, proof);
        permission.paths(&to.operation, proof);
        permission.withheld(&to.operation, proof);
        permission.clients(&rule.from, proof);
    }
}

/// Some request that a policy is about.
fn asked(policy: &Policy<'_>) -> String {
    let AuthorizationPolicySpec { rules: [rule], .. } = &policy.spec;
    let [to] = &rule.to;
    request(
        to.operation.hosts.first().map_or(ANY_HOST, |host| without_port(host)),
        to.operation.paths.first().map_or("/", |path| path.trim_end_matches('*')),
    )
}

/// A policy allows, and binds the gateway's pods and no others: there it would deny whatever it does not allow.
fn binds(policy: &Policy<'_>, proof: &mut Proof<'_>) {
    let AuthorizationPolicySpec { selector, action, .. } = &policy.spec;
    let name = &policy.metadata.name;
    let asked = asked(policy);
    let route = policy.routes.iter().next();
    let place = || route.map_or_else(|| Place::named(name), |route| (proof.place)(route));
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

/// A policy and its route.
struct Permission<'p, 'o> {
    policy: &'p str,
    own: &'o Route,
    host: &'o str,
    site: &'p Site<'o>,
    /// Whether its host has a route for management.
    guards: bool,
    routes: &'p HashMap<&'o str, (&'o VirtualHost, &'o Route)>,
}

impl Permission<'_, '_> {
    fn surplus(&self, asked: &str, why: &str, proof: &mut Proof<'_>) {
        let words = format!("policy `{}` lets `{asked}` through, {why}", self.policy);
        proof.fails(codes::POLICY_WITHOUT_ROUTE, self.own, words);
    }

    /// It is about the host of its route, with its port and without, and about no other.
    fn hosts(&self, operation: &Operation<'_>, host: &VirtualHost, proof: &mut Proof<'_>) {
        if operation.hosts.is_empty() {
            self.surplus(&request(ANY_HOST, "/"), "as it names no host", proof);
        }
        for stated in operation.hosts.iter() {
            let port = stated.strip_prefix(self.host).map(|rest| rest.strip_prefix(':'));
            let is_own = match port {
                Some(Some(port)) => port == host.origin.port().to_string(),
                Some(None) => stated.len() == self.host.len(),
                None => false,
            };
            if !is_own {
                let why = format!("and its route `{}` is one of `{}`", self.own.id, self.host);
                self.surplus(&request(&stated.replace('*', "any"), "/"), &why, proof);
            }
        }
    }

    /// Each of its paths is one of its route; and where a management route takes it, it is not for everybody.
    fn paths(&self, operation: &Operation<'_>, proof: &mut Proof<'_>) {
        if operation.paths.is_empty() {
            self.surplus(&request(self.host, "/"), "as it names no path", proof);
        }
        for stated in &operation.paths {
            let Some(pattern) = self.read(stated, proof) else { continue };
            let first = match pattern {
                Pattern::Exact(text) => (!self.own.path.takes(text)).then(|| text.to_owned()),
                Pattern::Beginning(text) => requests::beyond(text, &self.own.path),
            };
            if let Some(path) = first {
                let taker = self.site.route(&path).map(|taker| taker.name.as_ref());
                let why = match taker.filter(|taker| *taker != self.own.id.as_str()) {
                    Some(taker) => format!("which `{taker}` takes, and not its route `{}`", self.own.id),
                    None => "which no route takes".to_owned(),
                };
                self.surplus(&request(self.host, &path), &why, proof);
            }
            for path in samples(pattern).into_iter().filter(|_| self.guards) {
                let taker = self.site.route(&path).and_then(|taker| self.routes.get(taker.name.as_ref()));
                if let Some((_, taker)) = taker.filter(|(_, taker)| taker.access == Access::Management) {
                    management::closed(taker, self.host, &path, self.site, proof);
                }
            }
        }
    }

    /// What it withholds is not its own route's.
    fn withheld(&self, operation: &Operation<'_>, proof: &mut Proof<'_>) {
        for stated in &operation.not_paths {
            let Some(pattern) = self.read(stated, proof) else { continue };
            let is_kept = |path: &String| {
                let is_own = self.site.route(path).is_some_and(|taker| taker.name == self.own.id.as_str());
                is_own && !self.site.allowed(self.host, path).any(|allowed| allowed.is_for(self.own))
            };
            for path in samples(pattern).into_iter().filter(is_kept) {
                let asked = request(self.host, &path);
                let words = format!("policy `{}` keeps `{asked}` from its own route `{}`", self.policy, self.own.id);
                proof.fails(codes::ROUTE_WITHOUT_POLICY, self.own, words);
            }
        }
    }

    /// A pattern, if it is one that a route can have: a path, or the beginning of one.
    fn read<'t>(&self, stated: &'t Text<'_>, proof: &mut Proof<'_>) -> Option<Pattern<'t>> {
        let pattern = Pattern::read(stated);
        if pattern.is_none() {
            let asked =
                request(self.host, &stated.replace("{**}", "*").replace("{*}", "*").replace('*', requests::ANY));
            let why = format!("or keeps it back, by the pattern `{stated}`, which is none of a route's");
            self.surplus(&asked, &why, proof);
        }
        pattern
    }

    /// Everybody who may use the route is let through.
    fn clients(&self, sources: &[From<'_>], proof: &mut Proof<'_>) {
        if sources.is_empty() {
            return;
        }
        let settings = proof.settings;
        let who = match self.own.access {
            Access::Public => Some("most clients of a public route".to_owned()),
            Access::Management => {
                let clients = settings
                    .management
                    .iter()
                    .find(|net| !sources.iter().any(|one| within(net, &one.source.remote_ip_blocks)));
                let bearers = settings
                    .policy
                    .edges
                    .iter()
                    .find(|net| !sources.iter().any(|one| within(net, &one.source.ip_blocks)));
                clients.map(|net| format!("`{net}`")).or_else(|| bearers.map(|net| format!("edge `{net}`")))
            }
        };
        if let Some(who) = who {
            let path = requests::inside(&self.own.path).into_iter().next().unwrap_or_default();
            let asked = request(self.host, &path);
            let words = format!("policy `{}` turns `{asked}` away when it comes from {who}", self.policy);
            proof.fails(codes::ROUTE_WITHOUT_POLICY, self.own, words);
        }
    }
}

/// Whether a network is in one of the blocks; any is if there are none.
fn within(network: &Network, blocks: &[Text<'_>]) -> bool {
    blocks.is_empty()
        || blocks.iter().any(|block| management::parse(block).is_some_and(|block| block.contains(&network.net())))
}

/// Paths that stand for all that a pattern takes.
fn samples(pattern: Pattern<'_>) -> Vec<String> {
    match pattern {
        Pattern::Exact(text) => vec![text.to_owned()],
        Pattern::Beginning(text) => vec![text.to_owned(), format!("{text}{}", requests::ANY)],
    }
}
