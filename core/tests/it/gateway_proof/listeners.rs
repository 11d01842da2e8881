//! Faults of what listens: `Gateway` objects, the gateway's Service, and what names them.

use pharos_core::gateway::kind::Map;

use super::Fault;

pub(super) const FAULTS: &[Fault] = &[
    (
        "a second Gateway for a host",
        |objects| {
            let mut second = objects.gateways[0].clone();
            second.metadata.name = "second".into();
            objects.gateways.push(second);
        },
        "gateway/laboratory-conflict",
        "`GET https://calls.example.org/` is listened for by Gateway `calls-all` and by Gateway `second`",
    ),
    (
        "a Gateway that no pods answer for",
        |objects| objects.gateways[0].spec.selector = Map::of("app", "back").into(),
        "gateway/shadowed-route",
        "`calls-all` does not get `GET https://calls.example.org/`: no Gateway that it is bound to listens for it",
    ),
    (
        "a Gateway on other pods",
        |objects| objects.gateways[0].spec.selector = Map::of("app", "back").into(),
        "gateway/wrong-listener",
        "Gateway `calls-all` of namespace `mesh` has `GET https://calls.example.org/` answered by pods `app=back`",
    ),
    (
        "a Gateway on all pods",
        |objects| objects.gateways[0].spec.selector = Map::default().into(),
        "gateway/wrong-listener",
        "Gateway `calls-all` of namespace `mesh` has `GET https://calls.example.org/` answered by all pods",
    ),
    (
        "a Gateway of another namespace",
        |objects| objects.gateways[0].metadata.namespace = "shop".into(),
        "gateway/wrong-listener",
        "Gateway `calls-all` of namespace `shop`",
    ),
    (
        "a Gateway for hosts that nobody has",
        |objects| objects.gateways[0].spec.servers[0].hosts.push("./*.example.org".into()),
        "gateway/wrong-listener",
        "Gateway `calls-all` listens for `GET https://any.example.org/`, which no route takes",
    ),
    (
        "a Gateway that hears every namespace",
        |objects| objects.gateways[0].spec.servers[0].hosts[0] = "*/calls.example.org".into(),
        "gateway/wrong-listener",
        "listens for `GET https://calls.example.org/`, and lets every namespace say where it goes",
    ),
    (
        "a Gateway that hears whoever names it",
        |objects| objects.gateways[0].spec.servers[0].hosts[0] = "calls.example.org".into(),
        "gateway/wrong-listener",
        "listens for `GET https://calls.example.org/`, and lets every namespace say where it goes",
    ),
    (
        "a Gateway without its host",
        |objects| objects.gateways[0].spec.servers[0].hosts.clear(),
        "gateway/shadowed-route",
        "`calls-all` does not get `GET https://calls.example.org/`",
    ),
    (
        "a Gateway at another port",
        |objects| objects.gateways[0].spec.servers[0].port.number = 8080,
        "gateway/wrong-listener",
        "listens for `GET https://calls.example.org/` at port 8080 (HTTP), not at 80 (HTTP)",
    ),
    (
        "a host that another Gateway serves",
        |objects| objects.virtual_services[0].spec.gateways = vec!["shop-web".into()],
        "gateway/shadowed-route",
        "`calls-all` does not get `GET https://calls.example.org/`: no Gateway",
    ),
    (
        "a host that every sidecar serves too",
        |objects| objects.virtual_services[0].spec.gateways.push("mesh".into()),
        "gateway/wrong-listener",
        "virtual service `calls-all` has `GET https://calls.example.org/` answered by `mesh` as well",
    ),
    (
        "a Service that leads elsewhere",
        |objects| objects.services[0].spec.ports[0].target_port = 15000,
        "gateway/wrong-listener",
        "Service `front` leads node port 31080 to port 15000 of pods `app=front`, where no edge asks for \
         `GET https://calls.example.org/`",
    ),
    (
        "no Service",
        |objects| objects.services.clear(),
        "gateway/wrong-listener",
        "`GET https://calls.example.org/` does not arrive: no Service leads node port 31080 to port 10080",
    ),
];

/// Of a gateway that takes HTTPS: one Gateway listens for all hosts.
pub(super) const TLS_FAULTS: &[Fault] = &[
    (
        "a second Gateway",
        |objects| {
            let mut second = objects.gateways[0].clone();
            second.metadata.name = "second".into();
            objects.gateways.push(second);
        },
        "gateway/laboratory-conflict",
        "`GET https://any.example/` is listened for by Gateway `front` and by Gateway `second`",
    ),
    (
        "a Gateway for one host, which no edge names in its SNI",
        |objects| objects.gateways[0].spec.servers[0].hosts[0] = "./calls.example.org".into(),
        "gateway/shadowed-route",
        "`shop-web` does not get `GET https://shop.example.org/`",
    ),
    (
        "a Gateway that hears every namespace",
        |objects| objects.gateways[0].spec.servers[0].hosts[0] = "*/*".into(),
        "gateway/wrong-listener",
        "Gateway `front` listens for `GET https://any.example/`, and lets every namespace say where it goes",
    ),
    (
        "a Gateway without TLS",
        |objects| objects.gateways[0].spec.servers[0].tls = None,
        "gateway/wrong-listener",
        "with certificate `none`, not `front-tls`",
    ),
    (
        "another certificate",
        |objects| {
            objects.gateways[0].spec.servers[0].tls.as_mut().unwrap().credential_name = "shop-vault-ca".into();
        },
        "gateway/wrong-listener",
        "with certificate `shop-vault-ca`, not `front-tls`",
    ),
    (
        "a plain listener",
        |objects| objects.gateways[0].spec.servers[0].port.protocol = "HTTP",
        "gateway/wrong-listener",
        "at port 443 (HTTP), not at 443 (HTTPS)",
    ),
];
