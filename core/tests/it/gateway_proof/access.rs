//! Faults of who may use a route.

use std::sync::Arc;

use pharos_core::gateway::kind::Map;

use super::{Fault, policy};

pub(super) const FAULTS: &[Fault] = &[
    (
        "a route without a policy",
        |objects| objects.authorization_policies.retain(|policy| policy.metadata.name != "shop-live"),
        "gateway/route-without-policy",
        "`GET https://shop.example.org/live` through to route `shop-live`",
    ),
    (
        "a host without policies",
        |objects| objects.authorization_policies.retain(|policy| policy.metadata.name != "drive-all"),
        "gateway/route-without-policy",
        "`GET https://drive.example.org/`",
    ),
    (
        "a policy that knows the host without its port alone",
        |objects| {
            policy(objects, "calls-all").spec.rules[0].to[0].operation.hosts = Arc::from(["calls.example.org".into()]);
        },
        "gateway/route-without-policy",
        "`GET https://calls.example.org:8443/`",
    ),
    (
        "a path that is not withheld",
        |objects| policy(objects, "shop-web").spec.rules[0].to[0].operation.not_paths.truncate(2),
        "gateway/management-reachable",
        "`shop-admin` is open to `GET https://shop.example.org/admin/` from anywhere, by policy `shop-web`",
    ),
    (
        "a management policy for everybody",
        |objects| policy(objects, "vault-ui").spec.rules[0].from.clear(),
        "gateway/management-reachable",
        "`vault-ui` is open to `GET https://vault.example.org/ui/` from anywhere",
    ),
    (
        "a network too many",
        |objects| {
            let source = &mut policy(objects, "vault-ui").spec.rules[0].from[0].source;
            source.remote_ip_blocks = Arc::from(["192.0.2.0/23".into()]);
        },
        "gateway/management-reachable",
        "from 192.0.2.0, by policy `vault-ui`",
    ),
    (
        "anybody's word on the client",
        |objects| policy(objects, "vault-ui").spec.rules[0].from[0].source.ip_blocks = Arc::from([]),
        "gateway/management-reachable",
        "whoever brings it, an edge or not, by policy `vault-ui`",
    ),
    (
        "a Service that hides who connects",
        |objects| objects.services[0].spec.external_traffic_policy = "Cluster",
        "gateway/management-reachable",
        "its Service hides who connects",
    ),
    (
        "a second proxy that is believed",
        |objects| objects.mesh_config.default_config.gateway_topology.num_trusted_proxies = 2,
        "gateway/management-reachable",
        "it believes 2 proxies",
    ),
    (
        "a policy that binds no pods",
        |objects| policy(objects, "calls-all").spec.selector.match_labels = Map::of("app", "back").into(),
        "gateway/route-without-policy",
        "`GET https://calls.example.org/`",
    ),
    (
        "a policy that may bind no pods",
        |objects| policy(objects, "calls-all").spec.selector.match_labels = Map::of("zone", "a").into(),
        "gateway/route-without-policy",
        "`GET https://calls.example.org/`",
    ),
    (
        "a policy of another namespace",
        |objects| policy(objects, "calls-all").metadata.namespace = "shop".into(),
        "gateway/route-without-policy",
        "`GET https://calls.example.org/`",
    ),
    (
        "a policy for all pods",
        |objects| policy(objects, "calls-all").spec.selector.match_labels = Map::default().into(),
        "gateway/policy-without-route",
        "policy `calls-all` lets `GET https://calls.example.org/` through to all pods of namespace `mesh`",
    ),
    (
        "a policy that denies",
        |objects| policy(objects, "calls-all").spec.action = "DENY",
        "gateway/route-without-policy",
        "policy `calls-all` turns `GET https://calls.example.org/` away",
    ),
    (
        "a policy for what is not served",
        |objects| {
            policy(objects, "vault-ui").spec.rules[0].to[0].operation.paths.push("/sys/*".into());
        },
        "gateway/policy-without-route",
        "`GET https://vault.example.org/sys/`",
    ),
];
