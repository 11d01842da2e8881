//! What all routes share: how the gateway is reached, and what it reaches besides its backends.

use std::sync::Arc;

use super::Site;
use super::pods::peer;
use crate::catalogue::{Destination, EgressDocument, IpProtocol, PodSet};
use crate::gateway::kind::{
    Direction, EgressRule, IngressRule, IpBlock, LabelSelector, Map, NetworkPolicyPort, NetworkPolicySpec, Object,
    Peer, Routes, ServicePort, ServiceSpec,
};
use crate::policy::GatewayProtocol;

/// The port of every node. A node hands connections to its own gateway alone, so that the client's address stays what it was.
pub(super) fn service<'a>(site: &Site<'a>) -> Object<'a, ServiceSpec<'a>> {
    let settings = site.settings;
    let (name, ports) = match (settings.protocol, settings.mesh.https) {
        (GatewayProtocol::Https, Some(https)) => ("https", https),
        _ => ("http", settings.mesh.http),
    };
    let port = ServicePort {
        name,
        protocol: "TCP",
        port: ports.service.get(),
        target_port: ports.pod.get(),
        node_port: settings.policy.node_port.get(),
    };
    let spec = ServiceSpec {
        type_name: "NodePort",
        external_traffic_policy: "Local",
        selector: Arc::clone(&site.pods),
        ports: vec![port],
    };
    site.object(settings.mesh.gateway.as_str(), Routes::NONE, None, spec)
}

/// Who reaches the gateway, where the site says so, and what the gateway reaches.
pub(super) fn policies<'a>(site: &Site<'a>) -> Vec<Object<'a, NetworkPolicySpec<'a>>> {
    let settings = site.settings;
    let gateway = &settings.mesh.gateway;
    let mut policies = Vec::new();
    let from: Vec<Peer<'a>> = settings
        .policy
        .edges
        .iter()
        .map(|cidr| Peer::Addresses { ip_block: IpBlock { cidr: *cidr } })
        .chain(settings.policy.callers.iter().map(pods))
        .collect();
    if !from.is_empty() {
        let ports = match (settings.protocol, settings.mesh.https) {
            (GatewayProtocol::Https, Some(https)) => https,
            _ => settings.mesh.http,
        };
        let spec = NetworkPolicySpec {
            pod_selector: site.pod_selector(),
            policy_types: [Direction::Ingress],
            ingress: vec![IngressRule {
                from,
                ports: vec![NetworkPolicyPort { protocol: "TCP", port: ports.pod.get() }],
            }],
            egress: Vec::new(),
        };
        policies.push(site.object(format!("{gateway}-ingress"), Routes::NONE, None, spec));
    }
    let egress: Vec<EgressRule<'a>> = settings.mesh.egress.iter().map(egress_rule).collect();
    let spec = NetworkPolicySpec {
        pod_selector: site.pod_selector(),
        policy_types: [Direction::Egress],
        ingress: Vec::new(),
        egress,
    };
    policies.push(site.object(format!("{gateway}-egress"), Routes::NONE, None, spec));
    policies
}

fn pods(pods: &PodSet) -> Peer<'_> {
    peer(&pods.namespace, LabelSelector { match_labels: Arc::new(Map::from(&pods.labels)) })
}

fn egress_rule(stated: &EgressDocument) -> EgressRule<'_> {
    let to = match &stated.to {
        Destination::Pods(set) => pods(set),
        Destination::Network(cidr) => Peer::Addresses { ip_block: IpBlock { cidr: *cidr } },
    };
    let ports = stated.ports.iter().flat_map(|port| {
        stated.protocols.iter().map(|protocol| NetworkPolicyPort {
            protocol: match protocol {
                IpProtocol::Tcp => "TCP",
                IpProtocol::Udp => "UDP",
            },
            port: port.get(),
        })
    });
    EgressRule { to: vec![to], ports: ports.collect() }
}
