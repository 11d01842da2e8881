//! The policies between pods: the gateway leaves for what routes and the site need, its backends let it in, and nobody lets anyone
//! else in. Policies add up, so that each is held against what is stated, and all of them together against what is needed.

mod targets;
mod ways;

use std::collections::HashSet;

use super::listener::Listener;
use super::selectors::{Takes, named, takes_gateway};
use super::{Proof, first_request};
use crate::catalogue::{Access, IpProtocol, Route, RouteTable};
use crate::diagnostic::Place;
use crate::gateway::kind::{Direction, NetworkPolicyPort, NetworkPolicySpec, Object};
use crate::gateway::{GatewaySettings, Objects, codes};
use crate::name::Network;

use targets::{Target, Targets};
use ways::{End, Way, asked, port_words, stated, ways};

pub(super) fn prove(table: &RouteTable, objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let settings = proof.settings;
    let targets = Targets::of(table, settings);
    for asked in &targets.unknown {
        let words =
            format!("`{}` does not arrive: nobody knows the pods of its backend, or their port", asked.request());
        proof.fails(codes::ROUTE_WITHOUT_POLICY, asked.route, words);
    }
    let Some(mut opened) = Opened::of(table, &targets, settings) else { return };
    for policy in &objects.network_policies {
        opened.add(policy, proof);
    }
    opened.arrive(proof);
}

/// Whether a policy keeps anybody at all from the gateway.
pub(super) fn is_guarded(objects: &Objects<'_>, settings: &GatewaySettings) -> bool {
    objects.network_policies.iter().any(|policy| {
        policy.spec.policy_types == [Direction::Ingress]
            && takes_gateway(&policy.metadata, &policy.spec.pod_selector.match_labels, settings) == Takes::Surely
    })
}

type Policy<'o> = Object<'o, NetworkPolicySpec<'o>>;

/// What the policies open.
struct Opened<'o> {
    settings: &'o GatewaySettings,
    targets: &'o Targets<'o>,
    /// The port that the gateway is asked at.
    listener: Option<NetworkPolicyPort>,
    /// What is asked of the gateway: a route for management if there is one.
    asked: (String, &'o Route),
    /// The ways that routes and the site need from the gateway.
    needed: HashSet<Way<'o>>,
    /// Those that are open.
    leaves: HashSet<Way<'o>>,
    /// Who is let in to the gateway.
    enters: HashSet<End<'o>>,
    /// The ports of targets that the gateway is let in to.
    lets_in: HashSet<(usize, u16)>,
}

impl<'o> Opened<'o> {
    fn of(table: &'o RouteTable, targets: &'o Targets<'o>, settings: &'o GatewaySettings) -> Option<Self> {
        let is_management = |route: &Route| route.access == Access::Management;
        let (origin, route) =
            table.routes().find(|(_, route)| is_management(route)).or_else(|| table.routes().next())?;
        let backends = targets.list.iter().flat_map(|target| target.ports.keys().map(|port| target.way(*port)));
        Some(Self {
            settings,
            targets,
            listener: Some(NetworkPolicyPort { protocol: "TCP", port: Listener::of(settings).pod }),
            asked: (first_request(origin.host().as_str(), route), route),
            needed: backends.chain(site_needs(settings)).collect(),
            leaves: HashSet::new(),
            enters: HashSet::new(),
            lets_in: HashSet::new(),
        })
    }

    fn add(&mut self, policy: &'o Policy<'o>, proof: &mut Proof<'_>) {
        let [direction] = policy.spec.policy_types;
        let (namespace, pods) = (policy.metadata.namespace.as_ref(), asked(&policy.spec.pod_selector));
        let is_gateway =
            (namespace, &pods) == (self.settings.mesh.namespace.as_str(), &stated(&self.settings.mesh.pods));
        let target = self.targets.number(namespace, pods.clone()).filter(|_| !is_gateway);
        let takes = takes_gateway(&policy.metadata, &policy.spec.pod_selector.match_labels, self.settings);
        match (direction, target) {
            (Direction::Ingress, Some(number)) => self.backend(policy, number, proof),
            (Direction::Egress, None) if takes != Takes::Never => self.egress(policy, takes, proof),
            (Direction::Ingress, None) if takes != Takes::Never => self.ingress(policy, takes, proof),
            _ => self.others(policy, direction, proof),
        }
    }

    /// The gateway leaves for what is needed, and for nothing else.
    fn egress(&mut self, policy: &'o Policy<'o>, takes: Takes, proof: &mut Proof<'_>) {
        for way in policy.spec.egress.iter().flat_map(|rule| ways(&rule.to, &rule.ports)) {
            if !self.is_needed(&way) {
                let (end, port) = &way;
                let words = format!(
                    "network policy `{}` lets the gateway out to {} of {end}, where neither `{}` nor any other request leads",
                    policy.metadata.name,
                    port_words(*port),
                    self.asked.0
                );
                proof.fails_at(codes::POLICY_WITHOUT_ROUTE, Place::named(&policy.metadata.name), words);
            } else if takes == Takes::Surely {
                self.leaves.insert(way);
            }
        }
    }

    fn is_needed(&self, way: &Way<'_>) -> bool {
        let within = |network: &Network| {
            self.needed.iter().any(|(end, port)| {
                matches!(end, End::Network(wider) if wider.net().contains(&network.net())) && *port == way.1
            })
        };
        self.needed.contains(way) || matches!(&way.0, End::Network(network) if within(network))
    }

    /// The gateway lets the edges and the named callers in, to its listener, and nobody else.
    fn ingress(&mut self, policy: &'o Policy<'o>, takes: Takes, proof: &mut Proof<'_>) {
        for (end, port) in policy.spec.ingress.iter().flat_map(|rule| ways(&rule.from, &rule.ports)) {
            let name = policy.metadata.name.as_ref();
            let (asked, route) = &self.asked;
            if !self.is_caller(&end) {
                let opens = format!("network policy `{name}` lets {end} ask for `{asked}` without an edge");
                if route.access == Access::Management {
                    let words =
                        format!("management route `{}` stands behind a gateway that is open: {opens}", route.id);
                    proof.fails(codes::MANAGEMENT_REACHABLE, route, words);
                } else {
                    proof.fails_at(codes::POLICY_WITHOUT_ROUTE, Place::named(name), opens);
                }
            } else if port != self.listener {
                let words = format!(
                    "network policy `{name}` lets {end} in to {} of the gateway, which takes `{asked}` at {}",
                    port_words(port),
                    port_words(self.listener)
                );
                proof.fails_at(codes::POLICY_WITHOUT_ROUTE, Place::named(name), words);
            } else if takes == Takes::Surely {
                self.enters.insert(end);
            }
        }
    }

    /// Whether somebody is an edge, or a caller that the policy names.
    fn is_caller(&self, end: &End<'_>) -> bool {
        let policy = &self.settings.policy;
        match end {
            End::Open(_) => false,
            End::Network(network) => policy.edges.iter().any(|edge| edge.net().contains(&network.net())),
            End::Pods(namespace, labels) => policy
                .callers
                .iter()
                .any(|caller| caller.namespace.as_str() == *namespace && stated(&caller.labels) == *labels),
        }
    }

    /// The pods of a backend let the gateway in, and nobody else.
    fn backend(&mut self, policy: &'o Policy<'o>, number: usize, proof: &mut Proof<'_>) {
        let Some(target) = self.targets.list.get(number) else { return };
        let mesh = &self.settings.mesh;
        let gateway = End::Pods(mesh.namespace.as_str(), stated(&mesh.pods));
        for (end, port) in policy.spec.ingress.iter().flat_map(|rule| ways(&rule.from, &rule.ports)) {
            let at = port.filter(|port| port.protocol == "TCP").map(|port| port.port);
            match at.and_then(|at| Some((at, target.ports.get(&at)?))) {
                Some((at, asked)) if end == gateway && asked.ours => {
                    self.lets_in.insert((number, at));
                }
                Some((_, asked)) if end == gateway => {
                    let words = format!(
                        "`{}` does not arrive: its application keeps the policy of namespace `{}`, and here is a second one",
                        asked.request(),
                        target.namespace
                    );
                    proof.fails(codes::ROUTE_WITHOUT_POLICY, asked.route, words);
                }
                _ if end == gateway => {
                    let Some(asked) = target.asked() else { continue };
                    let words = format!(
                        "network policy `{}` lets the gateway in to {} of what answers `{}`, where no route leads",
                        policy.metadata.name,
                        port_words(port),
                        asked.request()
                    );
                    proof.fails(codes::POLICY_WITHOUT_ROUTE, asked.route, words);
                }
                _ => past(policy, &end, target, proof),
            }
        }
    }

    /// No policy is about pods that no route leads to, nor about what the pods of backends reach.
    fn others(&self, policy: &Policy<'_>, direction: Direction, proof: &mut Proof<'_>) {
        let Object { metadata, spec, .. } = policy;
        let among = self.targets.among(&metadata.namespace, &asked(&spec.pod_selector));
        let mut ways = spec.ingress.iter().flat_map(|rule| ways(&rule.from, &rule.ports));
        if let (Direction::Ingress, Some(target), Some((end, _))) = (direction, among, ways.next()) {
            past(policy, &end, target, proof);
            return;
        }
        let what = match direction {
            Direction::Ingress => "who reaches",
            Direction::Egress => "what is reached by",
        };
        let words = format!(
            "network policy `{}` decides {what} {} of namespace `{}`, and neither `{}` nor any other request needs that",
            metadata.name,
            named(&spec.pod_selector.match_labels),
            metadata.namespace,
            self.asked.0
        );
        proof.fails_at(codes::POLICY_WITHOUT_ROUTE, Place::named(&metadata.name), words);
    }

    /// What is needed is open.
    fn arrive(&self, proof: &mut Proof<'_>) {
        for (number, target) in self.targets.list.iter().enumerate() {
            for (port, asked) in &target.ports {
                let mut missing = Vec::new();
                if !self.leaves.contains(&target.way(*port)) {
                    missing.push(format!("no network policy lets the gateway out to port {port} of its pods"));
                }
                if asked.ours && !self.lets_in.contains(&(number, *port)) {
                    let namespace = target.namespace;
                    missing.push(format!(
                        "no network policy of namespace `{namespace}` lets the gateway in to port {port}"
                    ));
                }
                for why in missing {
                    let words = format!("`{}` does not arrive: {why}", asked.request());
                    proof.fails(codes::ROUTE_WITHOUT_POLICY, asked.route, words);
                }
            }
        }
        let (asked, route) = &self.asked;
        for (end, port) in site_needs(self.settings).filter(|way| !self.leaves.contains(way)) {
            let port = port_words(port);
            let words = format!("`{asked}` is not answered: no network policy lets the gateway out to {port} of {end}");
            proof.fails(codes::ROUTE_WITHOUT_POLICY, route, words);
        }
        let policy = &self.settings.policy;
        let callers = policy.callers.iter().map(|caller| End::Pods(caller.namespace.as_str(), stated(&caller.labels)));
        for end in policy.edges.iter().copied().map(End::Network).chain(callers) {
            if !self.enters.contains(&end) {
                let words =
                    format!("`{asked}` does not arrive from {end}: no network policy lets it in to the gateway");
                proof.fails(codes::ROUTE_WITHOUT_POLICY, route, words);
            }
        }
    }
}

/// What the gateway needs besides its backends.
fn site_needs(settings: &GatewaySettings) -> impl Iterator<Item = Way<'_>> {
    settings.mesh.egress.iter().flat_map(|egress| {
        egress.ports.iter().flat_map(move |port| {
            egress.protocols.iter().map(move |protocol| {
                let protocol = match protocol {
                    IpProtocol::Tcp => "TCP",
                    IpProtocol::Udp => "UDP",
                };
                (End::stated(&egress.to), Some(NetworkPolicyPort { protocol, port: port.get() }))
            })
        })
    })
}

/// Somebody besides the gateway is let in to a backend.
fn past(policy: &Policy<'_>, who: &End<'_>, target: &Target<'_>, proof: &mut Proof<'_>) {
    let Some(asked) = target.asked() else { return };
    let name = &policy.metadata.name;
    let opens = format!("network policy `{name}` lets {who} past the gateway to what answers `{}`", asked.request());
    if asked.is_management() {
        let words = format!("management route `{}` is open: {opens}", asked.route.id);
        proof.fails(codes::MANAGEMENT_REACHABLE, asked.route, words);
    } else {
        proof.fails(codes::POLICY_WITHOUT_ROUTE, asked.route, opens);
    }
}
