//! Each host is listened for where the edge asks, on the gateway's pods, and nothing else is.

use std::collections::{HashMap, HashSet};

use super::selectors::{is_gateway, named};
use super::sites::{Site, Sites};
use super::{Proof, first_request, request};
use crate::catalogue::{Route, RouteTable, VirtualHost};
use crate::diagnostic::Place;
use crate::gateway::kind::{GatewaySpec, Object, Server, ServicePort};
use crate::gateway::{GatewaySettings, Objects, codes};
use crate::policy::GatewayProtocol;

/// Where the gateway takes the requests of the edge.
#[derive(Clone, Copy)]
pub(super) struct Listener<'s> {
    /// The port of its Service.
    port: u16,
    /// The port that its pods listen on.
    pub(super) pod: u16,
    protocol: &'static str,
    certificate: Option<&'s str>,
}

impl<'s> Listener<'s> {
    pub(super) fn of(settings: &'s GatewaySettings) -> Self {
        let mesh = &settings.mesh;
        let (ports, protocol) = match settings.protocol {
            GatewayProtocol::Http => (mesh.http, "HTTP"),
            GatewayProtocol::Https => (mesh.https.unwrap_or(mesh.http), "HTTPS"),
        };
        let certificate = settings.policy.certificate.as_ref().filter(|_| protocol == "HTTPS");
        let certificate = certificate.map(crate::name::DnsLabel::as_str);
        Self { port: ports.service.get(), pod: ports.pod.get(), protocol, certificate }
    }

    /// How a server differs from it.
    fn difference(&self, server: &Server<'_>) -> Option<String> {
        let port = server.port;
        if (port.number, port.protocol) != (self.port, self.protocol) {
            let Self { port: own, protocol, .. } = self;
            return Some(format!("at port {} ({}), not at {own} ({protocol})", port.number, port.protocol));
        }
        let tls = server.tls.as_ref();
        if tls.map(|tls| tls.credential_name.as_ref()) != self.certificate {
            let shown = tls.map_or("none", |tls| tls.credential_name.as_ref());
            return Some(format!("with certificate `{shown}`, not `{}`", self.certificate.unwrap_or("none")));
        }
        tls.filter(|tls| tls.mode != "SIMPLE").map(|tls| format!("in TLS mode `{}`", tls.mode))
    }

    /// The host that each of the gateway's objects is there for; over TLS one is there for all, since the edge names the gateway in its
    /// SNI and the host in its request.
    fn is_shared(&self) -> bool {
        self.protocol == "HTTPS"
    }
}

/// Every host, over TLS.
const ALL: &str = "*";

pub(super) fn prove(table: &RouteTable, objects: &Objects<'_>, sites: &Sites<'_>, proof: &mut Proof<'_>) {
    let listener = Listener::of(proof.settings);
    services(table, objects, listener, proof);
    let mut heard = Heard { known: HashMap::new(), by: HashSet::new(), first: HashMap::new() };
    for host in table.hosts() {
        heard.known.insert(host.origin.host().as_str(), host);
    }
    for gateway in &objects.gateways {
        if !is_gateway(&gateway.metadata, &gateway.spec.selector, proof.settings) {
            let asked = request(asked_of(gateway), "/");
            let pods = named(&gateway.spec.selector);
            let Object { metadata, .. } = gateway;
            let words = format!(
                "Gateway `{}` of namespace `{}` has `{asked}` answered by {pods}, which are not the gateway's alone",
                metadata.name, metadata.namespace
            );
            proof.fails_at(codes::WRONG_LISTENER, Place::named(&metadata.name), words);
            continue;
        }
        for server in &gateway.spec.servers {
            heard.add(gateway, server, listener, proof);
        }
    }
    let none = Site::default();
    for host in table.hosts() {
        served(host, sites.get(host.origin.host().as_str()).unwrap_or(&none), objects, &heard, listener, proof);
    }
}

/// Some host that a gateway's object is about.
fn asked_of<'o>(gateway: &'o Object<'_, GatewaySpec<'_>>) -> &'o str {
    let host = gateway.spec.servers.first().and_then(|server| server.hosts.first());
    host.map_or("any.example", |host| host.rsplit_once('/').map_or(host.as_ref(), |(_, host)| host))
}

/// What is listened for.
struct Heard<'o> {
    known: HashMap<&'o str, &'o VirtualHost>,
    /// A gateway's object, and a host that it listens for.
    by: HashSet<(&'o str, &'o str)>,
    first: HashMap<&'o str, &'o str>,
}

impl<'o> Heard<'o> {
    fn add(
        &mut self,
        gateway: &'o Object<'o, GatewaySpec<'o>>,
        server: &'o Server<'o>,
        listener: Listener<'_>,
        proof: &mut Proof<'_>,
    ) {
        let name = gateway.metadata.name.as_ref();
        let place = |proof: &Proof<'_>| {
            gateway.routes.iter().next().map_or_else(|| Place::named(name), |route| (proof.place)(route))
        };
        if let Some(how) = listener.difference(server) {
            let asked = request(asked_of(gateway), "/");
            let words = format!("Gateway `{name}` listens for `{asked}` {how}");
            proof.fails_at(codes::WRONG_LISTENER, place(proof), words);
            return;
        }
        for stated in &server.hosts {
            let Some(host) = self.own(stated, listener, proof.settings) else {
                let words = format!("Gateway `{name}` listens for {}", beyond(stated));
                proof.fails_at(codes::WRONG_LISTENER, place(proof), words);
                continue;
            };
            self.by.insert((name, host));
            if let Some(other) = self.first.insert(host, name) {
                let asked = request(if host == ALL { "any.example" } else { host }, "/");
                let words = format!("`{asked}` is listened for by Gateway `{other}` and by Gateway `{name}`");
                proof.fails_at(codes::LABORATORY_CONFLICT, place(proof), words);
            }
        }
    }

    /// The host of the table that an entry is about, of virtual services of the gateway's own namespace alone.
    fn own(&self, stated: &'o str, listener: Listener<'_>, settings: &GatewaySettings) -> Option<&'o str> {
        let (namespace, host) = stated.split_once('/')?;
        let is_own = namespace == "." || namespace == settings.mesh.namespace.as_str();
        let is_served = if listener.is_shared() { host == ALL } else { self.known.contains_key(host) };
        (is_own && is_served).then_some(host)
    }
}

/// A request of an entry that is there for more than a host of the table.
fn beyond(stated: &str) -> String {
    let (namespace, host) = stated.split_once('/').unwrap_or(("*", stated));
    let asked = match host.strip_prefix('*') {
        Some("") => "any.example".to_owned(),
        Some(rest) => format!("any{rest}"),
        None => host.to_owned(),
    };
    let asked = request(&asked, "/");
    match namespace {
        "." => format!("`{asked}`, which no route takes so"),
        "*" => format!("`{asked}`, and lets every namespace say where it goes"),
        other => format!("`{asked}`, and lets namespace `{other}` say where it goes"),
    }
}

/// A host is listened for by an object that its virtual service names, and its virtual service names no other.
fn served(
    host: &VirtualHost,
    site: &Site<'_>,
    objects: &Objects<'_>,
    heard: &Heard<'_>,
    listener: Listener<'_>,
    proof: &mut Proof<'_>,
) {
    // That there is no virtual service is said of its routes.
    let (Some(service), Some(route)) = (site.services.first(), host.routes.last()) else { return };
    let name = host.origin.host().as_str();
    let asked = first_request(name, route);
    let key = if listener.is_shared() { ALL } else { name };
    let (ours, others): (Vec<_>, Vec<_>) =
        service.spec.gateways.iter().partition(|gateway| heard.by.contains(&(gateway.as_ref(), key)));
    if ours.is_empty() {
        let words =
            format!("route `{}` does not get `{asked}`: no Gateway that it is bound to listens for it", route.id);
        proof.fails(codes::SHADOWED_ROUTE, route, words);
    }
    for other in others.into_iter().filter(|other| !is_known(objects, other)) {
        let words = format!("virtual service `{}` has `{asked}` answered by `{other}` as well", service.metadata.name);
        proof.fails(codes::WRONG_LISTENER, route, words);
    }
}

/// Whether an object is there at all: what is wrong with it is said of it.
fn is_known(objects: &Objects<'_>, name: &str) -> bool {
    objects.gateways.iter().any(|gateway| gateway.metadata.name == name)
}

/// The port of every node leads to the pods' listener, and nothing else leads to the gateway's pods.
fn services(table: &RouteTable, objects: &Objects<'_>, listener: Listener<'_>, proof: &mut Proof<'_>) {
    let Some((asked, route)) = first(table) else { return };
    let node_port = proof.settings.policy.node_port.get();
    let is_ours = |port: &ServicePort| {
        (port.protocol, port.port, port.target_port, port.node_port) == ("TCP", listener.port, listener.pod, node_port)
    };
    let mut leads = false;
    for service in &objects.services {
        let pods = named(&service.spec.selector);
        let is_gateway = is_gateway(&service.metadata, &service.spec.selector, proof.settings);
        for port in &service.spec.ports {
            if is_gateway && is_ours(port) {
                leads = true;
                continue;
            }
            let words = format!(
                "Service `{}` leads node port {} to port {} of {pods}, where no edge asks for `{asked}`",
                service.metadata.name, port.node_port, port.target_port
            );
            proof.fails_at(codes::WRONG_LISTENER, Place::named(&service.metadata.name), words);
        }
    }
    if !leads {
        let words = format!(
            "`{asked}` does not arrive: no Service leads node port {node_port} to port {} of the gateway's pods",
            listener.pod
        );
        proof.fails(codes::WRONG_LISTENER, route, words);
    }
}

/// A request of the first route, which stands for all where all fare alike.
fn first(table: &RouteTable) -> Option<(String, &Route)> {
    table.routes().next().map(|(origin, route)| (first_request(origin.host().as_str(), route), route))
}
