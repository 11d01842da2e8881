//! Faults of who may use a route.

use std::sync::Arc;

use pharos_core::gateway::Objects;
use pharos_core::gateway::kind::{Map, Operation, Routes};

use super::{Fault, policy};

fn operation<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut Operation<'a> {
    &mut policy(objects, name).spec.rules[0].to[0].operation
}

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
    (
        "a policy that is wider than an exact path",
        |objects| operation(objects, "shop-audit").paths[0] = "/admin/help/audit*".into(),
        "gateway/policy-without-route",
        "policy `shop-audit` lets `GET https://shop.example.org/admin/help/audit(any)` through, which `shop-admin-help` takes",
    ),
    (
        "a policy that knows no segments",
        |objects| operation(objects, "shop-live").paths[1] = "/live*".into(),
        "gateway/policy-without-route",
        "policy `shop-live` lets `GET https://shop.example.org/live(any)` through, which `shop-web` takes",
    ),
    (
        "a policy for a path of another route",
        |objects| operation(objects, "shop-live").paths.push("/admin/secret".into()),
        "gateway/policy-without-route",
        "policy `shop-live` lets `GET https://shop.example.org/admin/secret` through, which `shop-admin` takes",
    ),
    (
        "a public policy for a part of a management route",
        |objects| {
            let mut second = policy(objects, "shop-web").clone();
            second.metadata.name = "second".into();
            second.spec.rules[0].to[0].operation.paths = vec!["/admin/secret*".into()];
            second.spec.rules[0].to[0].operation.not_paths.clear();
            objects.authorization_policies.push(second);
        },
        "gateway/management-reachable",
        "`shop-admin` is open to `GET https://shop.example.org/admin/secret` from anywhere, by policy `second`",
    ),
    (
        "a pattern by its end",
        |objects| operation(objects, "shop-live").paths.push("*/audit".into()),
        "gateway/policy-without-route",
        "by the pattern `*/audit`",
    ),
    (
        "a template",
        |objects| operation(objects, "shop-live").paths.push("/live/{*}/x".into()),
        "gateway/policy-without-route",
        "policy `shop-live` lets `GET https://shop.example.org/live/(any)/x` through",
    ),
    (
        "a policy for every path",
        |objects| operation(objects, "shop-live").paths.clear(),
        "gateway/policy-without-route",
        "policy `shop-live` lets `GET https://shop.example.org/` through, as it names no path",
    ),
    (
        "a policy for every host",
        |objects| operation(objects, "shop-web").hosts = Arc::from([]),
        "gateway/policy-without-route",
        "policy `shop-web` lets `GET https://any.example/` through, as it names no host",
    ),
    (
        "a policy for every port",
        |objects| operation(objects, "shop-web").hosts = Arc::from(["shop.example.org:*".into()]),
        "gateway/policy-without-route",
        "policy `shop-web` lets `GET https://shop.example.org:any/` through",
    ),
    (
        "a policy for another host",
        |objects| operation(objects, "shop-web").hosts = Arc::from(["calls.example.org".into()]),
        "gateway/policy-without-route",
        "policy `shop-web` lets `GET https://calls.example.org/` through, and its route `shop-web` is one of `shop.example.org`",
    ),
    (
        "a path that is withheld from its own route",
        |objects| operation(objects, "shop-web").not_paths.push("/cart/*".into()),
        "gateway/route-without-policy",
        "policy `shop-web` keeps `GET https://shop.example.org/cart/` from its own route `shop-web`",
    ),
    (
        "a public route for some",
        |objects| {
            let from = policy(objects, "vault-ui").spec.rules[0].from.clone();
            policy(objects, "shop-web").spec.rules[0].from = from;
        },
        "gateway/route-without-policy",
        "policy `shop-web` turns `GET https://shop.example.org/` away when it comes from most clients",
    ),
    (
        "a management network that is turned away",
        |objects| {
            let source = &mut policy(objects, "vault-ui").spec.rules[0].from[0].source;
            source.remote_ip_blocks = Arc::from(["127.0.0.0/8".into(), "::1/128".into()]);
        },
        "gateway/route-without-policy",
        "policy `vault-ui` turns `GET https://vault.example.org/ui/` away when it comes from `192.0.2.0/24`",
    ),
    (
        "an edge that is turned away",
        |objects| {
            let source = &mut policy(objects, "vault-ui").spec.rules[0].from[0].source;
            source.ip_blocks = Arc::from(["198.51.100.8/32".into()]);
        },
        "gateway/route-without-policy",
        "policy `vault-ui` turns `GET https://vault.example.org/ui/` away when it comes from edge `198.51.100.7/32`",
    ),
    (
        "a policy of no route",
        |objects| policy(objects, "shop-live").routes = Routes::NONE,
        "gateway/policy-without-route",
        "policy `shop-live` lets `GET https://shop.example.org/live` through for no route",
    ),
];
