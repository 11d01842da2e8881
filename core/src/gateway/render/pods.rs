//! The policies between pods, in pairs: the gateway may leave for a backend, and the backend lets it in.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Site;
use super::backend::{Reached, of_laboratory};
use crate::catalogue::{BackendPods, IngressOwner};
use crate::gateway::kind::{
    Direction, EgressRule, IngressRule, LabelSelector, Map, NetworkPolicyPort, NetworkPolicySpec, Object, Peer, Routes,
};
use crate::name::Namespace;

/// The label that Kubernetes gives each namespace.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";
/// The label by which the pods of a laboratory's Service are known where nothing else is stated: its name.
const LABORATORY_POD: &str = "app.kubernetes.io/name";

/// Pods of a namespace.
pub(super) fn peer<'a>(namespace: &'a Namespace, pods: LabelSelector<'a>) -> Peer<'a> {
    let namespace = LabelSelector { match_labels: Arc::new(Map::of(NAMESPACE_NAME, namespace.as_str())) };
    Peer::Pods { namespace_selector: namespace, pod_selector: pods }
}

/// Both policies of a backend; the second is left to its application where it keeps one.
pub(super) fn policies<'a>(reached: &Reached<'a>, site: &Site<'a>) -> Vec<Object<'a, NetworkPolicySpec<'a>>> {
    let Some(label) = reached.representative() else { return Vec::new() };
    let stated = site.settings.pods(reached.namespace, reached.service);
    if stated.is_none() && !of_laboratory(reached) {
        return Vec::new();
    }
    let pods = LabelSelector {
        match_labels: Arc::new(
            stated.map_or_else(|| Map::of(LABORATORY_POD, reached.service.as_str()), |stated| Map::from(&stated.pods)),
        ),
    };
    let ports = ports(reached, stated);
    let routes = || Routes::List(reached.routes.clone());
    let egress = NetworkPolicySpec {
        pod_selector: site.pod_selector(),
        policy_types: [Direction::Egress],
        ingress: Vec::new(),
        egress: vec![EgressRule { to: vec![peer(reached.namespace, pods.clone())], ports: ports.clone() }],
    };
    let mut policies = vec![site.object(format!("{}-egress", label.id), routes(), Some(label), egress)];
    if stated.is_none_or(|stated| stated.ingress == IngressOwner::Routes) {
        let ingress = NetworkPolicySpec {
            pod_selector: pods,
            policy_types: [Direction::Ingress],
            ingress: vec![IngressRule { from: vec![peer(&site.settings.mesh.namespace, site.pod_selector())], ports }],
            egress: Vec::new(),
        };
        let name = format!("{}-ingress", label.id);
        policies.push(site.object_in(reached.namespace.as_str(), name, routes(), Some(label), ingress));
    }
    policies
}

/// The ports of the pods. A laboratory that states nothing else has its pods listen on the port of their Service.
fn ports(reached: &Reached<'_>, stated: Option<&BackendPods>) -> Vec<NetworkPolicyPort> {
    let target = |port: &crate::name::Port| {
        let known = stated.and_then(|pods| pods.ports.iter().find(|target| target.service == *port));
        known.map_or(*port, |target| target.pod).get()
    };
    let ports: BTreeSet<u16> = reached.ports.keys().map(target).collect();
    ports.into_iter().map(|port| NetworkPolicyPort { protocol: "TCP", port }).collect()
}
