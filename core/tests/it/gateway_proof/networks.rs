//! Faults of network policies.

use pharos_core::gateway::Objects;
use pharos_core::gateway::kind::{Direction, IpBlock, LabelSelector, Map, NetworkPolicySpec, Object, Peer};

use super::Fault;

fn named<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut Object<'a, NetworkPolicySpec<'a>> {
    objects.network_policies.iter_mut().find(|policy| policy.metadata.name == name).unwrap()
}

/// Adds a copy of a policy, under another name.
fn second<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut Object<'a, NetworkPolicySpec<'a>> {
    let mut copy = named(objects, name).clone();
    copy.metadata.name = "second".into();
    objects.network_policies.push(copy);
    named(objects, "second")
}

fn network(cidr: &str) -> Peer<'static> {
    Peer::Addresses { ip_block: IpBlock { cidr: cidr.parse().unwrap() } }
}

/// The namespaces and the pods of the one caller.
fn caller<'o, 'a>(objects: &'o mut Objects<'a>) -> (&'o mut LabelSelector<'a>, &'o mut LabelSelector<'a>) {
    match &mut named(objects, "front-ingress").spec.ingress[0].from[1] {
        Peer::Pods { namespace_selector, pod_selector } => (namespace_selector, pod_selector),
        Peer::Addresses { .. } => panic!("the caller comes after the edge"),
    }
}

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
    (
        "a second policy that lets everybody in to the gateway",
        |objects| {
            second(objects, "front-ingress").spec.ingress[0].from.clear();
        },
        "gateway/management-reachable",
        "`shop-audit` stands behind a gateway that is open: network policy `second` lets anybody ask for \
         `GET https://shop.example.org/admin/help/audit` without an edge",
    ),
    (
        "a second policy that lets a network in to the gateway",
        |objects| {
            second(objects, "front-ingress").spec.ingress[0].from = vec![network("198.51.100.0/24")];
        },
        "gateway/management-reachable",
        "network policy `second` lets `198.51.100.0/24` ask for `GET https://shop.example.org/admin/help/audit`",
    ),
    (
        "a second policy for all pods beside the gateway",
        |objects| {
            let second = second(objects, "front-ingress");
            second.spec.pod_selector = LabelSelector::default();
            second.spec.ingress[0].from = vec![network("10.0.0.0/8")];
        },
        "gateway/management-reachable",
        "network policy `second` lets `10.0.0.0/8` ask for",
    ),
    (
        "a second policy that may select the gateway's pods",
        |objects| {
            let second = second(objects, "front-ingress");
            second.spec.pod_selector.match_labels = Map::of("zone", "a").into();
            second.spec.ingress[0].from = vec![network("10.0.0.0/8")];
        },
        "gateway/management-reachable",
        "network policy `second` lets `10.0.0.0/8` ask for",
    ),
    (
        "a second policy for every port of the gateway",
        |objects| second(objects, "front-ingress").spec.ingress[0].ports.clear(),
        "gateway/policy-without-route",
        "lets `198.51.100.7/32` in to every port of the gateway, which takes \
         `GET https://shop.example.org/admin/help/audit` at port 10080",
    ),
    (
        "another port of the gateway",
        |objects| named(objects, "front-ingress").spec.ingress[0].ports[0].port = 15000,
        "gateway/policy-without-route",
        "lets `198.51.100.7/32` in to port 15000 of the gateway",
    ),
    (
        "callers of every namespace",
        |objects| *caller(objects).0 = LabelSelector::default(),
        "gateway/management-reachable",
        "network policy `front-ingress` lets pods `app=robot` of every namespace ask for",
    ),
    (
        "callers of namespaces with a label",
        |objects| caller(objects).0.match_labels = Map::of("team", "shop").into(),
        "gateway/management-reachable",
        "network policy `front-ingress` lets pods `app=robot` of every namespace with `team=shop` ask for",
    ),
    (
        "callers of another namespace",
        |objects| caller(objects).0.match_labels = Map::of("kubernetes.io/metadata.name", "lab").into(),
        "gateway/management-reachable",
        "network policy `front-ingress` lets pods `app=robot` of namespace `lab` ask for",
    ),
    (
        "callers that nobody named",
        |objects| caller(objects).1.match_labels = Map::of("app", "web").into(),
        "gateway/management-reachable",
        "network policy `front-ingress` lets pods `app=web` of namespace `shop` ask for",
    ),
    (
        "every pod of the callers' namespace",
        |objects| *caller(objects).1 = LabelSelector::default(),
        "gateway/management-reachable",
        "network policy `front-ingress` lets all pods of namespace `shop` ask for",
    ),
    (
        "a caller that is not let in",
        |objects| drop(named(objects, "front-ingress").spec.ingress[0].from.remove(1)),
        "gateway/route-without-policy",
        "`GET https://shop.example.org/admin/help/audit` does not arrive from pods `app=robot` of namespace `shop`",
    ),
    (
        "an edge that is not let in",
        |objects| drop(named(objects, "front-ingress").spec.ingress[0].from.remove(0)),
        "gateway/route-without-policy",
        "`GET https://shop.example.org/admin/help/audit` does not arrive from `198.51.100.7/32`",
    ),
    (
        "a gateway that leaves for everywhere",
        |objects| second(objects, "drive-all-egress").spec.egress[0].to = vec![network("0.0.0.0/0")],
        "gateway/policy-without-route",
        "network policy `second` lets the gateway out to port 8443 of `0.0.0.0/0`",
    ),
    (
        "a gateway that leaves for every port",
        |objects| named(objects, "drive-all-egress").spec.egress[0].ports.clear(),
        "gateway/policy-without-route",
        "network policy `drive-all-egress` lets the gateway out to every port of pods `app=drive` of namespace `drive`",
    ),
    (
        "a gateway without its control plane",
        |objects| named(objects, "front-egress").spec.egress.clear(),
        "gateway/route-without-policy",
        "no network policy lets the gateway out to port 15012 of pods `app=control` of namespace `mesh`",
    ),
    (
        "a backend that lets more than the gateway in",
        |objects| {
            second(objects, "drive-all-ingress").spec.ingress[0].from = vec![network("10.0.0.0/8")];
        },
        "gateway/policy-without-route",
        "network policy `second` lets `10.0.0.0/8` past the gateway to what answers `GET https://drive.example.org/`",
    ),
    (
        "a backend that lets the pods of every namespace in that are called as the gateway's",
        |objects| {
            let peer = &mut named(objects, "drive-all-ingress").spec.ingress[0].from[0];
            let Peer::Pods { namespace_selector, .. } = peer else { return };
            *namespace_selector = LabelSelector::default();
        },
        "gateway/policy-without-route",
        "lets pods `app=front` of every namespace past the gateway to what answers `GET https://drive.example.org/`",
    ),
    (
        "the backend of a management route that lets more than the gateway in",
        |objects| {
            second(objects, "shop-admin-ingress").spec.ingress[0].from.clear();
        },
        "gateway/management-reachable",
        "is open: network policy `second` lets anybody past the gateway to what answers `GET https://shop.example.org/admin",
    ),
    (
        "a policy for all pods of a backend's namespace",
        |objects| {
            let second = second(objects, "drive-all-ingress");
            second.spec.pod_selector = LabelSelector::default();
            second.spec.ingress[0].from.clear();
        },
        "gateway/policy-without-route",
        "network policy `second` lets anybody past the gateway to what answers `GET https://drive.example.org/`",
    ),
    (
        "a port of a backend that no route leads to",
        |objects| second(objects, "drive-all-ingress").spec.ingress[0].ports[0].port = 22,
        "gateway/policy-without-route",
        "lets the gateway in to port 22 of what answers `GET https://drive.example.org/`, where no route leads",
    ),
    (
        "a policy about what a backend reaches",
        |objects| {
            let second = second(objects, "drive-all-ingress");
            second.spec.policy_types = [Direction::Egress];
            second.spec.ingress.clear();
        },
        "gateway/policy-without-route",
        "network policy `second` decides what is reached by pods `app=drive` of namespace `drive`",
    ),
];

/// Of a laboratory's pods, of which the documents say no more than the name of their Service.
pub(super) const LABORATORY_FAULTS: &[Fault] = &[
    (
        "a gateway that does not leave for a laboratory",
        |objects| objects.network_policies.retain(|policy| policy.metadata.name != "icarus-web-egress"),
        "gateway/route-without-policy",
        "`GET https://icarus.lab.example/` does not arrive: no network policy lets the gateway out to port 8080",
    ),
    (
        "a laboratory that lets nobody in",
        |objects| objects.network_policies.retain(|policy| policy.metadata.name != "icarus-web-ingress"),
        "gateway/route-without-policy",
        "`GET https://icarus.lab.example/` does not arrive: no network policy of namespace `bench` lets the gateway in",
    ),
    (
        "a laboratory's policy for other pods",
        |objects| {
            named(objects, "icarus-web-ingress").spec.pod_selector.match_labels = Map::of("app", "bench").into();
        },
        "gateway/route-without-policy",
        "`GET https://icarus.lab.example/` does not arrive: no network policy of namespace `bench` lets the gateway in",
    ),
    (
        "a laboratory that lets everybody in",
        |objects| named(objects, "icarus-web-ingress").spec.ingress[0].from.clear(),
        "gateway/policy-without-route",
        "network policy `icarus-web-ingress` lets anybody past the gateway to what answers \
         `GET https://icarus.lab.example/`",
    ),
];
