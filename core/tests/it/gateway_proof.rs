//! Each proof over the objects of a gateway finds the fault that it is there for, and nothing in sound ones.

use std::sync::Arc;

use pharos_core::catalogue::{Owner, RouteTable};
use pharos_core::diagnostic::{Findings, Place, Report};
use pharos_core::gateway::kind::{AuthorizationPolicySpec, HttpRoute, Object, StringMatch};
use pharos_core::gateway::{self, GatewaySettings, Objects};

use crate::committed;
use crate::gateway::Site;

fn proven(table: &RouteTable, objects: &Objects<'_>, settings: &GatewaySettings) -> Report {
    let mut findings = Findings::new();
    gateway::prove(table, objects, settings, &|route| Place::named(route.id.as_str()), &mut findings);
    findings.into_report()
}

#[test]
fn every_committed_site_is_proven() {
    for environment in committed::environments() {
        let Ok((table, settings)) = Site::committed(&environment).resolved() else { continue };
        let (objects, _) = gateway::render(&table, &settings).unwrap();
        let report = proven(&table, &objects, &settings);
        assert!(report.is_empty(), "{environment}: {report}");
    }
}

/// A fault of the rendering, the code that finds it, and words of the counterexample.
type Fault = (&'static str, fn(&mut Objects<'_>), &'static str, &'static str);

fn policy<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut Object<'a, AuthorizationPolicySpec<'a>> {
    objects.authorization_policies.iter_mut().find(|policy| policy.metadata.name == name).unwrap()
}

fn http_route<'o, 'a>(objects: &'o mut Objects<'a>, name: &str) -> &'o mut HttpRoute<'a> {
    let mut routes = objects.virtual_services.iter_mut().flat_map(|service| &mut service.spec.http);
    routes.find(|route| route.name == name).unwrap()
}

const FAULTS: &[Fault] = &[
    (
        "the routes of a host in another order",
        |objects| objects.virtual_services[2].spec.http.reverse(),
        "gateway/shadowed-route",
        "`GET https://shop.example.org/admin`: `shop-web` does",
    ),
    (
        "a prefix that knows no segments",
        |objects| {
            http_route(objects, "shop-live").matches[1].uri = StringMatch::Prefix("/live".into());
        },
        "gateway/shadowed-route",
        "`shop-live` takes `GET https://shop.example.org/live~any`",
    ),
    (
        "a route to another Service",
        |objects| http_route(objects, "shop-web").route[0].destination.host = "admin.shop.svc.corp.internal".into(),
        "gateway/wrong-destination",
        "`GET https://shop.example.org/` to port 80 of `admin.shop.svc.corp.internal`, not to port 80 of `web.shop`",
    ),
    (
        "a route to another namespace",
        |objects| http_route(objects, "vault-ui").route[0].destination.host = "vault.shop.svc.corp.internal".into(),
        "gateway/wrong-destination",
        "`GET https://vault.example.org/ui/` to port 8200 of `vault.shop.svc.corp.internal`",
    ),
    (
        "a route to a Service of another cluster",
        |objects| http_route(objects, "vault-ui").route[0].destination.host = "vault.vault.svc.cluster.local".into(),
        "gateway/wrong-destination",
        "`GET https://vault.example.org/ui/` to port 8200 of `vault.vault.svc.cluster.local`",
    ),
    (
        "a route to a Service of the gateway's own namespace",
        |objects| http_route(objects, "vault-ui").route[0].destination.host = "vault".into(),
        "gateway/wrong-destination",
        "`GET https://vault.example.org/ui/` to port 8200 of `vault`",
    ),
    (
        "a route to another port",
        |objects| http_route(objects, "drive-all").route[0].destination.port.number = 80,
        "gateway/wrong-destination",
        "`GET https://drive.example.org/` to port 80 of `drive.drive.svc.corp.internal`, not to port 443 of `drive.drive`",
    ),
    (
        "a second route of the same name, to another Service",
        |objects| {
            let mut second = http_route(objects, "calls-all").clone();
            second.matches[0].uri = StringMatch::Prefix("/~".into());
            second.route[0].destination.host = "web.shop.svc.corp.internal".into();
            objects.virtual_services[0].spec.http.insert(0, second);
        },
        "gateway/wrong-destination",
        "`GET https://calls.example.org/~any` to port 9000 of `web.shop.svc.corp.internal`",
    ),
    (
        "a route that takes everything",
        |objects| http_route(objects, "shop-live").matches.clear(),
        "gateway/shadowed-route",
        "`shop-live` takes `GET https://shop.example.org/`, which is not its own",
    ),
    (
        "a route that nobody stated",
        |objects| {
            let mut second = http_route(objects, "shop-web").clone();
            second.name = "shop-debug".into();
            second.matches[0].uri = StringMatch::Exact("/debug".into());
            objects.virtual_services[2].spec.http.insert(0, second);
        },
        "gateway/shadowed-route",
        "`shop-debug` takes `GET https://shop.example.org/debug`, which no route of the documents does",
    ),
    (
        "a route that takes from another before its turn",
        |objects| {
            let mut second = http_route(objects, "shop-web").clone();
            second.matches[0].uri = StringMatch::Exact("/live/news".into());
            objects.virtual_services[2].spec.http.insert(0, second);
        },
        "gateway/shadowed-route",
        "`shop-web` stands twice, and takes `GET https://shop.example.org/live/news` before its turn",
    ),
    (
        "a host that nobody stated",
        |objects| {
            let mut second = objects.virtual_services[0].clone();
            second.metadata.name = "debug".into();
            second.spec.hosts = ["debug.example.org".into()];
            objects.virtual_services.push(second);
        },
        "gateway/shadowed-route",
        "`calls-all` takes `GET https://debug.example.org/`, which no route of the documents does",
    ),
    (
        "a host without a virtual service",
        |objects| drop(objects.virtual_services.remove(0)),
        "gateway/shadowed-route",
        "`GET https://calls.example.org/`: nobody does",
    ),
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
        "no policy before the gateway",
        |objects| objects.network_policies.retain(|policy| policy.metadata.name != "front-ingress"),
        "gateway/management-reachable",
        "no network policy keeps others from it",
    ),
    (
        "a second proxy that is believed",
        |objects| objects.mesh_config.default_config.gateway_topology.num_trusted_proxies = 2,
        "gateway/management-reachable",
        "it believes 2 proxies",
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
        "no rule for an HTTPS backend",
        |objects| objects.destination_rules.retain(|rule| rule.metadata.name != "vault-ui"),
        "gateway/backend-without-trust",
        "`GET https://vault.example.org/ui/` reaches `vault.vault` in plain text",
    ),
    (
        "a name that is not verified",
        |objects| {
            let rule = objects.destination_rules.iter_mut().find(|rule| rule.metadata.name == "vault-ui").unwrap();
            rule.spec.traffic_policy.port_level_settings[0].tls.as_mut().unwrap().subject_alt_names.clear();
        },
        "gateway/backend-without-trust",
        "neither name nor fingerprint",
    ),
    (
        "a fingerprint for another cluster",
        |objects| {
            objects.envoy_filters[0].spec.config_patches[0].matches.cluster.name = String::from("outbound|443||drive");
        },
        "gateway/backend-without-trust",
        "`GET https://drive.example.org/` reaches `drive.drive`",
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
            let gateway::kind::Peer::Pods { pod_selector, .. } = &egress.spec.egress[0].to[0] else { return };
            second.spec.pod_selector = pod_selector.clone();
            second.spec.ingress[0].ports.clone_from(&egress.spec.egress[0].ports);
            objects.network_policies.push(second);
        },
        "gateway/route-without-policy",
        "here is a second one",
    ),
    (
        "a host that is served twice",
        |objects| {
            let mut second = objects.virtual_services[0].clone();
            second.metadata.name = "another".into();
            objects.virtual_services.push(second);
        },
        "gateway/laboratory-conflict",
        "`GET https://calls.example.org/` is asked of service `calls` and of service `calls`",
    ),
    (
        "an object that is there twice",
        |objects| objects.gateways.push(objects.gateways[0].clone()),
        "gateway/laboratory-conflict",
        "both have Gateway `calls-all` of namespace `mesh`",
    ),
    (
        "an object without its mark",
        |objects| objects.gateways[0].metadata.labels = gateway::kind::Map::default(),
        "gateway/laboratory-conflict",
        "Gateway `calls-all` of service `calls` lacks the label `shop.example/route`",
    ),
];

#[test]
fn each_fault_is_found() {
    let (table, settings) = Site::workshop().resolved().unwrap_or_else(|report| panic!("{report}"));
    let (sound, _) = gateway::render(&table, &settings).unwrap();
    assert!(proven(&table, &sound, &settings).is_empty());
    for (what, spoil, code, words) in FAULTS {
        let mut objects = sound.clone();
        spoil(&mut objects);
        let report = proven(&table, &objects, &settings);
        let found =
            report.diagnostics().iter().any(|finding| finding.code.name() == *code && finding.message.contains(words));
        assert!(found, "{what} is not found as {code}, but:\n{report}");
    }
}

#[test]
fn an_object_of_all_has_no_owner() {
    let (table, settings) = Site::workshop().resolved().unwrap_or_else(|report| panic!("{report}"));
    let (objects, _) = gateway::render(&table, &settings).unwrap();
    let shared: Vec<String> = objects
        .manifests()
        .filter(|manifest| manifest.owner.is_none())
        .map(|manifest| format!("{} {}", manifest.kind, manifest.name))
        .collect();
    assert_eq!(shared, ["Service front", "NetworkPolicy front-ingress", "NetworkPolicy front-egress"]);
    assert!(objects.manifests().all(|manifest| !matches!(manifest.owner, Some(Owner::Laboratory(_)))));
}
