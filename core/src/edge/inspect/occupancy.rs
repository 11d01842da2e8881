//! Who else holds the ports: streams, mail, other nginx masters, other programs, and sockets that exclude each other.

use std::collections::BTreeMap;

use super::input::{ListeningSocket, Observed};
use super::site::{Listener, Site};
use super::socket::{BoundSocket, bound, socket};
use super::{Endpoint, Kind, Ours, Overview, Transport, at, codes};
use crate::diagnostic::{Diagnostic, Findings, Place};

/// `edge/foreign-listener` and `edge/socket-conflict`, within one configuration.
pub(super) fn judge(site: &Site<'_>, ours: &Ours, findings: &mut Findings) {
    for foreign in site.listeners.iter().filter(|listener| listener.kind != Kind::Http) {
        foreign_listener(site, foreign, ours, findings);
    }
    conflicts(site, findings);
}

/// Only sockets of one port can exclude each other, and one of the two is then on all addresses.
fn conflicts(site: &Site<'_>, findings: &mut Findings) {
    let mut by_port: BTreeMap<Option<u16>, Vec<(BoundSocket, &Listener)>> = BTreeMap::new();
    for one in bound(site) {
        let mut same_port = site.on(one.endpoint.port());
        if let Some(listener) = same_port.find(|l| l.endpoint == one.endpoint && l.transport == one.transport) {
            by_port.entry(one.endpoint.port()).or_default().push((one, listener));
        }
    }
    for group in by_port.values() {
        for (index, (one, first)) in group.iter().enumerate() {
            for (two, second) in group.iter().skip(index + 1) {
                if first.kind == second.kind && one.excludes(two) {
                    conflict(site, (one, first), (two, second), findings);
                }
            }
        }
    }
}

fn conflict(
    site: &Site<'_>,
    (one, first): (&BoundSocket, &Listener),
    (two, second): (&BoundSocket, &Listener),
    findings: &mut Findings,
) {
    let message = format!("`{}` and `{}` cannot be open at once", one.endpoint, two.endpoint);
    let dual = [one, two].iter().any(|socket| socket.endpoint.ip().is_some_and(|ip| ip.is_ipv6()) && !socket.ipv6only);
    let help = if dual {
        "remove `ipv6only=off`: an IPv6 socket without it leaves IPv4 to the other one"
    } else {
        "set no option of the socket (`bind`, `reuseport`, `backlog`, ...) on the specific address, or none on all addresses"
    };
    let diagnostic = Diagnostic::error(codes::SOCKET_CONFLICT, message);
    let diagnostic = at(diagnostic, site.place_of(second), "nginx -t accepts it, binding fails");
    findings.push(at(diagnostic, site.place_of(first), "the other one").help(help));
}

fn foreign_listener(site: &Site<'_>, foreign: &Listener, ours: &Ours, findings: &mut Findings) {
    // Two blocks that share a port by `reuseport` would each be given a part of the connections.
    let alone = |listener: &Listener| BoundSocket { reuseport: false, ..socket(site, listener) };
    let wanted = alone(foreign);
    let http = site.on(wanted.endpoint.port()).find(|other| other.kind == Kind::Http && alone(other).excludes(&wanted));
    let on_our_port =
        foreign.transport == Transport::Tcp && foreign.endpoint.port().is_some_and(|port| ours.ports.contains(&port));
    if http.is_none() && !on_our_port {
        return;
    }
    let message = format!("a `{}` server holds `{}`", foreign.kind.block(), foreign.endpoint);
    let mut diagnostic =
        at(Diagnostic::error(codes::FOREIGN_LISTENER, message), site.place_of(foreign), "it does not speak HTTP");
    if let Some(http) = http {
        diagnostic = at(diagnostic, site.place_of(http), "this server cannot be reached there");
    }
    findings.push(diagnostic.help(format!(
        "move the `{}` server to another port or address; nginx -t does not notice that both want this one",
        foreign.kind.block()
    )));
}

/// `edge/several-masters` and `edge/port-held`, on the running host. `wanted` are the sockets of all configurations.
pub(super) fn judge_host(observed: &Observed, ours: &Ours, wanted: &[BoundSocket], findings: &mut Findings) {
    if observed.masters.len() > 1 {
        let all: Vec<String> = observed.masters.iter().map(super::Master::to_text).collect();
        findings.push(
            Diagnostic::error(codes::SEVERAL_MASTERS, format!("{} nginx masters run on this host", all.len()))
                .at(Place::named("running processes"), all.join("; "))
                .help("stop all but the one of `nginx.service`: only one of them can hold the ports, and a reload reaches only one"),
        );
    }
    for socket in &observed.sockets {
        if socket.process.as_deref() == Some("nginx") || observed.masters.iter().any(|m| Some(m.pid) == socket.pid) {
            continue;
        }
        if let Some(taken) = taken(socket, ours, wanted) {
            let message = format!("`{}` is held by {}", socket.address, socket.holder());
            let help = match &socket.unit {
                Some(unit) => {
                    format!("stop and disable it (`systemctl disable --now {unit}`), or move it to another port")
                }
                None => "stop it or move it to another port".to_owned(),
            };
            findings.push(
                Diagnostic::error(codes::PORT_HELD, message)
                    .at(
                        Place::named("listening sockets"),
                        format!("nginx cannot open `{taken}`; nginx -t does not notice"),
                    )
                    .help(help),
            );
        }
    }
}

/// `edge/several-masters` where two configurations were passed that want the same socket.
pub(super) fn judge_pairs(overviews: &[Overview], findings: &mut Findings) {
    for (index, one) in overviews.iter().enumerate() {
        for two in overviews.iter().skip(index + 1) {
            let both = one.sockets.iter().find_map(|a| two.sockets.iter().find(|b| a.excludes(b)).map(|b| (a, b)));
            let Some((first, second)) = both else { continue };
            let message =
                format!("two configurations want the same socket: `{}` and `{}`", first.endpoint, second.endpoint);
            findings.push(
                Diagnostic::error(codes::SEVERAL_MASTERS, message)
                    .at(Place::named(&two.root), format!("listens on `{}`", second.endpoint))
                    .at(Place::named(&one.root), format!("listens on `{}`", first.endpoint))
                    .help("run both sites by one nginx, or give each its own addresses"),
            );
        }
    }
}

/// Which socket of ours this one excludes.
fn taken(socket: &ListeningSocket, ours: &Ours, wanted: &[BoundSocket]) -> Option<Endpoint> {
    let held = BoundSocket {
        endpoint: Endpoint::Ip(socket.address),
        transport: Transport::Tcp,
        ipv6only: socket.ipv6only,
        reuseport: false,
    };
    let assumed = ours
        .ports
        .iter()
        .flat_map(|port| [Endpoint::any_v4(*port), Endpoint::any_v6(*port)])
        .map(|endpoint| BoundSocket { endpoint, transport: Transport::Tcp, ipv6only: true, reuseport: false });
    wanted.iter().cloned().chain(assumed).find(|want| want.excludes(&held)).map(|want| want.endpoint)
}
