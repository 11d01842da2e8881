//! The pods that routes lead to.

use std::collections::{BTreeMap, HashMap};

use super::ways::{End, Labels, Way, stated};
use crate::catalogue::{Access, IngressOwner, Owner, Route, RouteTable};
use crate::gateway::GatewaySettings;
use crate::gateway::kind::NetworkPolicyPort;
use crate::gateway::proof::first_request;

/// Pods that routes lead to.
pub(super) struct Target<'t> {
    pub(super) namespace: &'t str,
    pub(super) labels: Labels<'t>,
    /// The ports that they are asked at.
    pub(super) ports: BTreeMap<u16, Asked<'t>>,
}

/// What is asked of a port.
pub(super) struct Asked<'t> {
    host: &'t str,
    /// A route that leads there; one for management if there is one.
    pub(super) route: &'t Route,
    /// Whether the policy that lets the gateway in is one of the routes, and not the application's.
    pub(super) ours: bool,
}

impl Asked<'_> {
    /// Such a request.
    pub(super) fn request(&self) -> String {
        first_request(self.host, self.route)
    }

    /// Whether it is for the management networks alone.
    pub(super) fn is_management(&self) -> bool {
        self.route.access == Access::Management
    }
}

impl<'t> Target<'t> {
    /// The way to a port of theirs.
    pub(super) fn way(&self, port: u16) -> Way<'_> {
        (End::Pods(self.namespace, self.labels.clone()), Some(NetworkPolicyPort { protocol: "TCP", port }))
    }

    /// Some request that they answer, of a management route if there is one.
    pub(super) fn asked(&self) -> Option<&Asked<'t>> {
        self.ports.values().find(|asked| asked.is_management()).or_else(|| self.ports.values().next())
    }
}

/// All of them, in the order of the table.
pub(super) struct Targets<'t> {
    pub(super) list: Vec<Target<'t>>,
    index: HashMap<(&'t str, Labels<'t>), usize>,
    /// Routes of whose backend the pods or their port are stated nowhere.
    pub(super) unknown: Vec<Asked<'t>>,
}

/// The label by which the pods of a laboratory's Service are known where nothing else is stated: its name.
const LABORATORY_POD: &str = "app.kubernetes.io/name";

impl<'t> Targets<'t> {
    pub(super) fn of(table: &'t RouteTable, settings: &'t GatewaySettings) -> Self {
        let mut targets = Self { list: Vec::new(), index: HashMap::new(), unknown: Vec::new() };
        let mut known = HashMap::new();
        for (origin, route) in table.routes() {
            let backend = &route.backend;
            let asked = |ours| Asked { host: origin.host().as_str(), route, ours };
            let pods = settings.pods(&backend.namespace, &backend.service);
            let found = match pods {
                Some(pods) => {
                    let port = pods.ports.iter().find(|port| port.service == backend.port);
                    port.map(|port| (port.pod.get(), pods.ingress == IngressOwner::Routes))
                }
                // A laboratory's pods listen on the port of their Service where nothing else is stated.
                None => matches!(route.owner, Owner::Laboratory(_)).then(|| (backend.port.get(), true)),
            };
            let Some((port, ours)) = found else {
                targets.unknown.push(asked(true));
                continue;
            };
            let number = *known.entry((&backend.namespace, &backend.service)).or_insert_with(|| {
                let labels =
                    pods.map_or_else(|| vec![(LABORATORY_POD, backend.service.as_str())], |pods| stated(&pods.pods));
                targets.add(backend.namespace.as_str(), labels)
            });
            let Some(target) = targets.list.get_mut(number) else { continue };
            let entry = target.ports.entry(port).or_insert_with(|| asked(ours));
            entry.ours |= ours;
            if route.access == Access::Management && !entry.is_management() {
                entry.host = origin.host().as_str();
                entry.route = route;
            }
        }
        targets
    }

    /// Two Services may have the same pods.
    fn add(&mut self, namespace: &'t str, labels: Labels<'t>) -> usize {
        let next = self.list.len();
        let number = *self.index.entry((namespace, labels.clone())).or_insert(next);
        if number == next {
            self.list.push(Target { namespace, labels, ports: BTreeMap::new() });
        }
        number
    }

    /// Those that exactly these labels tell.
    pub(super) fn number(&self, namespace: &'t str, labels: Labels<'t>) -> Option<usize> {
        self.index.get(&(namespace, labels)).copied()
    }

    /// Those that a selector takes along with others.
    pub(super) fn among(&self, namespace: &str, labels: &Labels<'_>) -> Option<&Target<'t>> {
        let disagree = |target: &Target<'t>| {
            labels.iter().any(|(key, value)| target.labels.iter().any(|(known, other)| known == key && other != value))
        };
        self.list.iter().find(|target| target.namespace == namespace && !disagree(target))
    }
}
