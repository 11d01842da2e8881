//! The rules about what a site states of its gateway.

use std::collections::{BTreeMap, HashSet};

use super::{RouteAt, routes};
use crate::catalogue::{Access, CatalogueDocument, RecognisedBy};
use crate::diagnostic::{Diagnostic, Findings, suggest};
use crate::document::Document;
use crate::gateway::codes;
use crate::name::DnsLabel;
use crate::policy::{Environment, GatewayPolicy, GatewayProtocol, PolicyDocument, too_wide};

/// The node ports that Kubernetes gives unless it is told otherwise.
const NODE_PORTS: std::ops::RangeInclusive<u16> = 30_000..=32_767;

pub(super) fn judge(
    catalogue: &Document<CatalogueDocument>,
    policy: &Document<PolicyDocument>,
    gateway: &GatewayPolicy,
    findings: &mut Findings,
) {
    node_port(policy, gateway, findings);
    certificate(catalogue, policy, gateway, findings);
    half_stated(catalogue, policy, findings);
    for wide in too_wide(&gateway.edges) {
        let who = if wide.everyone { "everyone who reaches the gateway" } else { wide.who() };
        findings.push(
            Diagnostic::error(codes::EDGE_EVERYONE, format!("this makes an edge of {who}"))
                .at(policy.place(&format!("/gateway/edges{}", wide.pointer)), wide.what())
                .help("write the addresses of the edges, as the gateway's pods see them"),
        );
    }
    let selection = policy.selection();
    let selected: HashSet<&str> = selection.bound().iter().map(|bound| bound.service.as_str()).collect();
    let is_selected = |route: &RouteAt<'_>| {
        catalogue.value.services.get(route.service).is_some_and(|service| selected.contains(service.name.as_str()))
    };
    let routes: Vec<RouteAt<'_>> = routes(catalogue).filter(is_selected).collect();
    unguarded(policy, gateway, &routes, findings);
    fingerprints(catalogue, policy, gateway, &routes, findings);
}

/// A gateway serves what the edge sends it, and stands where the catalogue says.
fn half_stated(catalogue: &Document<CatalogueDocument>, policy: &Document<PolicyDocument>, findings: &mut Findings) {
    let stated = policy.key_place("/gateway");
    if policy.value.edge.is_none() {
        findings.push(
            Diagnostic::error(codes::NOT_STATED, "a gateway is stated, and no edge that it would serve")
                .at(stated.clone().with_key("/edge"), "")
                .help("add an `edge` block, or leave `gateway` out"),
        );
    }
    if catalogue.value.mesh.is_none() {
        let at = if catalogue.is_written("/mesh") { "/mesh" } else { "/gateways" };
        findings.push(
            Diagnostic::error(codes::NOT_STATED, "the catalogue does not say where its gateway runs")
                .at(
                    catalogue.key_place(at).with_key("/mesh"),
                    if at == "/mesh" { "nothing is stated here" } else { "" },
                )
                .at(stated, "a site that has one")
                .help("state the gateway's place in `mesh`"),
        );
    }
}

fn node_port(policy: &Document<PolicyDocument>, gateway: &GatewayPolicy, findings: &mut Findings) {
    let port = gateway.node_port;
    if !NODE_PORTS.contains(&port.get()) {
        findings.push(
            Diagnostic::error(codes::NODE_PORT, format!("{port} is no node port"))
                .at(policy.place("/gateway/node_port"), "")
                .help(format!("write a port from {} to {}", NODE_PORTS.start(), NODE_PORTS.end())),
        );
    }
    let upstreams = policy.value.edge.iter().flat_map(|edge| edge.gateway.upstreams.iter().enumerate());
    for (index, upstream) in upstreams.filter(|(_, upstream)| upstream.get().port() != port.get()) {
        findings.push(
            Diagnostic::error(
                codes::UPSTREAM_PORT,
                format!("the edge asks `{upstream}`, and the gateway is at port {port}"),
            )
            .at(policy.place(&format!("/edge/gateway/upstreams/{index}")), "")
            .at(policy.place("/gateway/node_port"), "its node port")
            .help("write one port in both places"),
        );
    }
}

fn certificate(
    catalogue: &Document<CatalogueDocument>,
    policy: &Document<PolicyDocument>,
    gateway: &GatewayPolicy,
    findings: &mut Findings,
) {
    let Some(edge) = &policy.value.edge else { return };
    let refuse = |words: &str, place, help: &str| {
        Diagnostic::error(codes::CERTIFICATE, words).at(place, "").help(help.to_owned())
    };
    match (edge.gateway.protocol, &gateway.certificate) {
        (GatewayProtocol::Https, None) => findings.push(refuse(
            "the gateway takes HTTPS, and no certificate of its own is stated",
            policy.place("/edge/gateway/protocol").with_key("/gateway/certificate"),
            "state `gateway.certificate`, the Secret that holds it in the gateway's namespace",
        )),
        (GatewayProtocol::Http, Some(_)) => findings.push(refuse(
            "the gateway takes plain HTTP, and a certificate of its own is stated",
            policy.place("/gateway/certificate"),
            "leave it out, or write `protocol: https` in `edge.gateway`",
        )),
        _ => {}
    }
    let mesh = catalogue.value.mesh.as_ref();
    let published = mesh.into_iter().flat_map(|mesh| &mesh.trust);
    for (reference, bundle) in published.filter(|(_, bundle)| gateway.certificate.as_ref() == Some(&bundle.published)) {
        let words =
            format!("the gateway's certificate and bundle `{reference}` are both in Secret `{}`", bundle.published);
        findings.push(
            Diagnostic::error(codes::PUBLISHED_TWICE, words)
                .at(policy.place("/gateway/certificate"), "")
                .at(catalogue.place(&format!("/mesh/trust/{reference}/published")), "the same name")
                .help("name the Secret that holds the gateway's own certificate and key"),
        );
    }
    if edge.gateway.protocol == GatewayProtocol::Https && mesh.is_some_and(|mesh| mesh.https.is_none()) {
        findings.push(
            refuse(
                "the gateway takes HTTPS, and the catalogue does not say where",
                policy.place("/edge/gateway/protocol"),
                "add `https` with the ports of Service and pods to `mesh`",
            )
            .at(catalogue.place("/mesh/http"), "the plain ports"),
        );
    }
}

/// Whoever reaches the gateway can name any client: management routes need to know who may.
fn unguarded(
    policy: &Document<PolicyDocument>,
    gateway: &GatewayPolicy,
    routes: &[RouteAt<'_>],
    findings: &mut Findings,
) {
    if !gateway.edges.is_empty() {
        return;
    }
    for route in routes.iter().filter(|route| route.route.access == Access::Management) {
        findings.push(
            Diagnostic::error(
                codes::MANAGEMENT_UNPROTECTED,
                format!("{} is for management, behind a gateway that is not told its edges", route.words()),
            )
            .at(policy.place("/gateway").with_key("/gateway/edges"), "")
            .at(route.place("/access"), "the route")
            .help("state `gateway.edges`: whoever else reaches the gateway could name any client address"),
        );
    }
}

fn fingerprints(
    catalogue: &Document<CatalogueDocument>,
    policy: &Document<PolicyDocument>,
    gateway: &GatewayPolicy,
    routes: &[RouteAt<'_>],
    findings: &mut Findings,
) {
    let Some(mesh) = &catalogue.value.mesh else { return };
    let by_fingerprint =
        |trust: &DnsLabel| mesh.trust.get(trust).is_some_and(|it| it.recognised_by == RecognisedBy::Fingerprint);
    let mut needed: BTreeMap<&DnsLabel, &RouteAt<'_>> = BTreeMap::new();
    for route in routes {
        if let Some(trust) = route.route.backend.trust.as_ref().filter(|trust| by_fingerprint(trust)) {
            needed.entry(trust).or_insert(route);
        }
    }
    for (trust, route) in needed {
        if gateway.fingerprints.get(trust).is_none_or(Vec::is_empty) {
            let key = format!("/gateway/fingerprints/{trust}");
            findings.push(
                Diagnostic::error(
                    codes::FINGERPRINT_MISSING,
                    format!("backends of `{trust}` are recognised by fingerprint, and none is stated"),
                )
                .at(policy.place("/gateway").with_key(&key), "")
                .at(route.place("/backend/trust"), "such a backend")
                .help(format!("add `{trust}: [...]` with the SHA-256 of its certificate to `gateway.fingerprints`")),
            );
        }
    }
    for trust in gateway.fingerprints.keys().filter(|trust| !by_fingerprint(trust)) {
        let known = mesh.trust.keys().filter(|trust| by_fingerprint(trust)).map(AsRef::as_ref);
        findings.push(
            Diagnostic::error(
                codes::FINGERPRINT_SURPLUS,
                format!("no backend is recognised by a fingerprint of `{trust}`"),
            )
            .at(policy.key_place(&format!("/gateway/fingerprints/{trust}")), "")
            .help(suggest::help(trust.as_str(), known, "leave it out")),
        );
    }
}
