//! Faults of virtual services: who takes a request, and where it goes.

use pharos_core::gateway::kind::StringMatch;

use super::{Fault, http_route};

pub(super) const FAULTS: &[Fault] = &[
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
        "`shop-live` takes `GET https://shop.example.org/live(any)`",
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
            second.matches[0].uri = StringMatch::Prefix("/(".into());
            second.route[0].destination.host = "web.shop.svc.corp.internal".into();
            objects.virtual_services[0].spec.http.insert(0, second);
        },
        "gateway/wrong-destination",
        "`GET https://calls.example.org/(any)` to port 9000 of `web.shop.svc.corp.internal`",
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
        "a virtual service that is seen nowhere",
        |objects| objects.virtual_services[0].spec.export_to = ["~"],
        "gateway/shadowed-route",
        "`GET https://calls.example.org/`: nobody does",
    ),
    (
        "a virtual service of another namespace",
        |objects| objects.virtual_services[0].metadata.namespace = "shop".into(),
        "gateway/shadowed-route",
        "`GET https://calls.example.org/`: nobody does",
    ),
];
