//! Faults of network policies.

use pharos_core::gateway::kind::Peer;

use super::Fault;

pub(super) const FAULTS: &[Fault] = &[
    (
        "no policy before the gateway",
        |objects| objects.network_policies.retain(|policy| policy.metadata.name != "front-ingress"),
        "gateway/management-reachable",
        "no network policy keeps others from it",
    ),
    (
        "a gateway that may not leave",
        |objects| objects.network_policies.retain(|policy| policy.metadata.name != "drive-all-egress"),
        "gateway/route-without-policy",
        "lets the gateway out to port 8443",
    ),
    (
        "a backend that lets nobody in",
        |objects| objects.network_policies.retain(|policy| policy.metadata.name != "drive-all-ingress"),
        "gateway/route-without-policy",
        "lets the gateway in to port 8443",
    ),
    (
        "a second policy beside the application's",
        |objects| {
            let egress =
                objects.network_policies.iter().find(|policy| policy.metadata.name == "vault-ui-egress").unwrap();
            let drive =
                objects.network_policies.iter().find(|policy| policy.metadata.name == "drive-all-ingress").unwrap();
            let mut second = drive.clone();
            second.metadata.namespace = "vault".into();
            let Peer::Pods { pod_selector, .. } = &egress.spec.egress[0].to[0] else { return };
            second.spec.pod_selector = pod_selector.clone();
            second.spec.ingress[0].ports.clone_from(&egress.spec.egress[0].ports);
            objects.network_policies.push(second);
        },
        "gateway/route-without-policy",
        "here is a second one",
    ),
];
