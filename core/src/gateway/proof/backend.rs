//! Every HTTPS backend is verified, and the pods of every backend are reached by the gateway.

use std::collections::{HashMap, HashSet};

use super::{Proof, request, requests};
use crate::catalogue::{BackendPods, BackendProtocol, IngressOwner, Route, RouteTable};
use crate::gateway::kind::{
    ClientTls, DestinationRuleSpec, Direction, LabelSelector, NetworkPolicyPort, NetworkPolicySpec, Object, Peer,
};
use crate::gateway::{GatewaySettings, Objects, codes};
use crate::name::Network;

pub(super) fn prove(table: &RouteTable, objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let rules: HashMap<&str, &DestinationRuleSpec<'_>> =
        objects.destination_rules.iter().map(|rule| (rule.spec.host.as_ref(), &rule.spec)).collect();
    let hashed: HashSet<&str> = objects
        .envoy_filters
        .iter()
        .flat_map(|filter| &filter.spec.config_patches)
        .filter(|patch| {
            let context = &patch.patch.value.transport_socket.typed_config.common_tls_context;
            !context.combined_validation_context.default_validation_context.verify_certificate_hash.is_empty()
        })
        .map(|patch| patch.matches.cluster.name.as_str())
        .collect();
    let pods = Pods::of(objects);
    let mut seen = HashSet::new();
    for (origin, route) in table.routes() {
        let backend = &route.backend;
        if !seen.insert((&backend.namespace, &backend.service, backend.port, &backend.protocol)) {
            continue;
        }
        let asked = requests::inside(&route.path).into_iter().next().unwrap_or_default();
        let asked = request(origin.host().as_str(), &asked);
        if let Some(why) = unverified(route, proof.settings, &rules, &hashed) {
            let words = format!("`{asked}` reaches `{}.{}` {why}", backend.service, backend.namespace);
            proof.fails(codes::BACKEND_WITHOUT_TRUST, route, words);
        }
        if let Some(stated) = proof.settings.pods(&backend.namespace, &backend.service) {
            for why in pods.missing(route, stated, proof.settings) {
                proof.fails(codes::ROUTE_WITHOUT_POLICY, route, format!("`{asked}` does not arrive: {why}"));
            }
        }
    }
}

/// How a route's backend is reached in a way that its route does not say.
fn unverified(
    route: &Route,
    settings: &GatewaySettings,
    rules: &HashMap<&str, &DestinationRuleSpec<'_>>,
    hashed: &HashSet<&str>,
) -> Option<String> {
    let backend = &route.backend;
    let host = format!("{}.{}.svc.{}", backend.service, backend.namespace, settings.mesh.cluster_domain);
    let ports = rules.get(host.as_str()).into_iter().flat_map(|rule| &rule.traffic_policy.port_level_settings);
    let tls: Vec<&ClientTls<'_>> = ports
        .filter(|policy| policy.port.number == backend.port.get())
        .filter_map(|policy| policy.tls.as_ref())
        .collect();
    match (&backend.protocol, tls.as_slice()) {
        (BackendProtocol::Http | BackendProtocol::Grpc, []) => None,
        (BackendProtocol::Http | BackendProtocol::Grpc, _) => Some("over TLS, which it does not speak".to_owned()),
        (BackendProtocol::Https { .. }, []) => Some("in plain text".to_owned()),
        (BackendProtocol::Https { sni, .. }, [tls, ..]) => {
            let by_name = tls.subject_alt_names.iter().any(|name| name == sni.as_str());
            let by_hash = hashed.contains(format!("outbound|{}||{host}", backend.port).as_str());
            if tls.mode != "SIMPLE" || tls.credential_name.is_empty() {
                Some("without the certificates to verify it by".to_owned())
            } else if tls.sni != sni.as_str() {
                Some(format!("by the name `{}`, not `{sni}`", tls.sni))
            } else if !by_name && !by_hash {
                Some("whoever of its authority it is: neither name nor fingerprint is verified".to_owned())
            } else {
                None
            }
        }
    }
}

/// Whether a policy keeps everyone but the edges and the named callers away from the gateway.
pub(super) fn guards(policy: &Object<'_, NetworkPolicySpec<'_>>, settings: &GatewaySettings) -> bool {
    let spec = &policy.spec;
    let is_edge = |cidr: &Network| settings.policy.edges.iter().any(|edge| edge.net().contains(&cidr.net()));
    let from = || spec.ingress.iter().flat_map(|rule| &rule.from);
    policy.metadata.namespace == settings.mesh.namespace.as_str()
        && spec.policy_types == [Direction::Ingress]
        && is_gateway(&spec.pod_selector, settings)
        && spec.ingress.iter().all(|rule| !rule.from.is_empty())
        && from().all(|peer| match peer {
            Peer::Addresses { ip_block } => is_edge(&ip_block.cidr),
            Peer::Pods { pod_selector, .. } => !pod_selector.match_labels.is_empty(),
        })
}

fn is_gateway(selector: &LabelSelector<'_>, settings: &GatewaySettings) -> bool {
    selects(selector, &settings.mesh.pods)
}

/// Whether a selector says exactly these labels.
fn selects(selector: &LabelSelector<'_>, labels: &crate::catalogue::PodLabels) -> bool {
    let stated = &selector.match_labels;
    stated.0.len() == labels.len() && labels.iter().all(|(key, value)| stated.get(key.as_str()) == Some(value.as_str()))
}

/// From which pods, to which ports, of which pods.
type Way<'o> = (&'o LabelSelector<'o>, &'o [NetworkPolicyPort], &'o LabelSelector<'o>);

/// The policies between pods, by the namespace of the backend's side.
struct Pods<'o> {
    egress: HashMap<&'o str, Vec<Way<'o>>>,
    ingress: HashMap<&'o str, Vec<&'o NetworkPolicySpec<'o>>>,
}

const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

impl<'o> Pods<'o> {
    fn of(objects: &'o Objects<'o>) -> Self {
        let mut pods = Self { egress: HashMap::new(), ingress: HashMap::new() };
        for policy in &objects.network_policies {
            for rule in &policy.spec.egress {
                for peer in &rule.to {
                    let Peer::Pods { namespace_selector, pod_selector } = peer else { continue };
                    let Some(namespace) = namespace_selector.match_labels.get(NAMESPACE_NAME) else { continue };
                    let entry = (&policy.spec.pod_selector, rule.ports.as_slice(), pod_selector);
                    pods.egress.entry(namespace).or_default().push(entry);
                }
            }
            if policy.spec.policy_types == [Direction::Ingress] {
                pods.ingress.entry(policy.metadata.namespace.as_ref()).or_default().push(&policy.spec);
            }
        }
        pods
    }

    /// What keeps the gateway from the pods of a route's backend.
    fn missing(&self, route: &Route, stated: &BackendPods, settings: &GatewaySettings) -> Vec<String> {
        let backend = &route.backend;
        let target = stated.ports.iter().find(|port| port.service == backend.port).map(|port| port.pod.get());
        let Some(port) = target else { return vec![format!("nobody knows the pods' port for {}", backend.port)] };
        let has_port = |ports: &[NetworkPolicyPort]| ports.iter().any(|one| one.port == port && one.protocol == "TCP");
        let namespace = backend.namespace.as_str();
        let mut missing = Vec::new();
        let leaves = self
            .egress
            .get(namespace)
            .into_iter()
            .flatten()
            .any(|(from, ports, to)| is_gateway(from, settings) && has_port(ports) && selects(to, &stated.pods));
        if !leaves {
            missing.push(format!("no network policy lets the gateway out to port {port} of its pods"));
        }
        let ours = stated.ingress == IngressOwner::Routes;
        let let_in = self.ingress.get(namespace).into_iter().flatten().any(|spec| {
            selects(&spec.pod_selector, &stated.pods)
                && spec
                    .ingress
                    .iter()
                    .any(|rule| has_port(&rule.ports) && rule.from.iter().any(|peer| is_peer(peer, settings)))
        });
        if ours && !let_in {
            missing.push(format!("no network policy of namespace `{namespace}` lets the gateway in to port {port}"));
        }
        if !ours && let_in {
            missing
                .push(format!("its application keeps the policy of namespace `{namespace}`, and here is a second one"));
        }
        missing
    }
}

fn is_peer(peer: &Peer<'_>, settings: &GatewaySettings) -> bool {
    match peer {
        Peer::Addresses { .. } => false,
        Peer::Pods { namespace_selector, pod_selector } => {
            namespace_selector.match_labels.get(NAMESPACE_NAME) == Some(settings.mesh.namespace.as_str())
                && is_gateway(pod_selector, settings)
        }
    }
}
