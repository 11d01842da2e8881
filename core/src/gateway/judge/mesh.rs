//! The rules about the mesh itself: where the gateway is, what it reaches, and what is published beside it.

use std::collections::HashMap;

use crate::catalogue::{CatalogueDocument, Destination, MeshDocument};
use crate::diagnostic::{Diagnostic, Findings, suggest};
use crate::document::Document;
use crate::gateway::codes;
use crate::policy::too_wide;

pub(super) fn judge(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    gateway(catalogue, mesh, findings);
    namespace(catalogue, mesh, findings);
    listeners(catalogue, mesh, findings);
    egress(catalogue, mesh, findings);
    trust(catalogue, mesh, findings);
    unreviewed(catalogue, mesh, findings);
    target_ports(catalogue, mesh, findings);
}

fn gateway(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    let known = &catalogue.value.gateways;
    if !known.contains(&mesh.gateway) {
        let words = format!("the mesh is about gateway `{}`, which the catalogue does not have", mesh.gateway);
        findings.push(
            Diagnostic::error(codes::UNKNOWN_GATEWAY, words)
                .at(catalogue.place("/mesh/gateway"), "not one of `gateways`")
                .help(suggest::help(mesh.gateway.as_str(), known.iter().map(AsRef::as_ref), "add it to `gateways`")),
        );
    }
}

/// Whoever may deploy to the gateway's namespace can change its routes and read its keys.
fn namespace(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    if catalogue.value.backends.contains_key(&mesh.namespace) {
        let words = format!("backends share namespace `{}` with the gateway", mesh.namespace);
        findings.push(
            Diagnostic::warning(codes::NAMESPACE_SHARED, words)
                .at(catalogue.place("/mesh/namespace"), "the gateway's")
                .at(catalogue.key_place(&format!("/backends/{}", mesh.namespace)), "the backends'")
                .help("keep applications in namespaces of their own: who deploys beside the gateway can change routes and read its keys"),
        );
    }
}

fn listeners(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    let Some(https) = mesh.https else { return };
    let both = [("service", mesh.http.service, https.service), ("pod", mesh.http.pod, https.pod)];
    for (key, http, _) in both.into_iter().filter(|(_, http, https)| http == https) {
        findings.push(
            Diagnostic::error(
                codes::LISTENER_PORTS,
                format!("port {http} of the gateway is for HTTPS and for plain HTTP"),
            )
            .at(catalogue.place(&format!("/mesh/https/{key}")), "")
            .at(catalogue.place(&format!("/mesh/http/{key}")), "the plain port")
            .help("give each a port of its own, or leave `https` out where the edge speaks plain HTTP"),
        );
    }
}

/// The gateway's pods may leave for what is stated and for nothing else, as soon as one policy selects them.
fn egress(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    if mesh.egress.is_empty() {
        findings.push(
            Diagnostic::error(codes::NO_EGRESS, "the gateway reaches neither its control plane nor a resolver")
                .at(catalogue.key_place("/mesh").with_key("/mesh/egress"), "")
                .help(
                    "add `egress` with the pods and ports of the control plane and of the resolver: network policies keep the \
                     gateway from all that is not stated",
                ),
        );
    }
    let stated = mesh.egress.iter().enumerate();
    let networks = stated.filter_map(|(index, egress)| match egress.to {
        Destination::Network(network) => Some((index, network)),
        Destination::Pods(_) => None,
    });
    for (index, network) in networks {
        for wide in too_wide(&[network]) {
            findings.push(
                Diagnostic::error(codes::EGRESS_EVERYONE, format!("this lets the gateway reach {}", wide.what()))
                    .at(catalogue.place(&format!("/mesh/egress/{index}/to/network")), "")
                    .help("write the networks of what the gateway needs, for example the addresses of a resolver"),
            );
        }
    }
}

/// Each bundle has a name of its own beside the gateway, and is one that the catalogue has.
fn trust(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    let known = &catalogue.value.trust;
    let mut first = HashMap::new();
    for (reference, published) in &mesh.trust {
        let key = format!("/mesh/trust/{reference}");
        if !known.contains(reference) {
            let help = suggest::help(reference.as_str(), known.iter().map(AsRef::as_ref), "add it to `trust`");
            findings.push(
                Diagnostic::error(
                    codes::UNKNOWN_TRUST,
                    format!("`{reference}` is published for the gateway, and the catalogue does not have it"),
                )
                .at(catalogue.key_place(&key), "not one of `trust`")
                .help(help),
            );
        }
        let place = catalogue.place(&format!("{key}/published"));
        if let Some(other) = first.insert(&published.published, reference) {
            let words = format!("`{other}` and `{reference}` are both published as `{}`", published.published);
            findings.push(
                Diagnostic::error(codes::PUBLISHED_TWICE, words)
                    .at(place.clone(), "")
                    .at(catalogue.place(&format!("/mesh/trust/{other}/published")), "the same name")
                    .help("give each bundle a name of its own: one object would take the other's place"),
            );
        }
        let source = published.source.as_ref();
        if source.is_some_and(|from| from.namespace == mesh.namespace && from.config_map == published.published) {
            findings.push(
                Diagnostic::error(codes::PUBLISHED_TWICE, format!("`{reference}` is published as its own source"))
                    .at(place, "")
                    .at(catalogue.place(&format!("{key}/source/config_map")), "the source")
                    .help(
                        "publish it under another name: the copy would take the place of the application's own object",
                    ),
            );
        }
    }
}

/// What is said of pods is said of reviewed backends: anything else is a slip of the name, and would be passed over.
fn unreviewed(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    let reviewed = &catalogue.value.backends;
    for (namespace, services) in &mesh.backends {
        for service in services.keys() {
            let known = reviewed.get(namespace);
            if known.is_some_and(|known| known.0.contains_key(service)) {
                continue;
            }
            let names = known.into_iter().flat_map(|known| known.0.keys()).map(AsRef::as_ref);
            findings.push(
                Diagnostic::error(
                    codes::UNREVIEWED_PODS,
                    format!("pods are stated for `{service}.{namespace}`, which is no reviewed backend"),
                )
                .at(catalogue.key_place(&format!("/mesh/backends/{namespace}/{service}")), "")
                .help(suggest::help(
                    service.as_str(),
                    names,
                    "leave it out, or add the Service to `backends`",
                )),
            );
        }
    }
}

/// A port of a Service leads to one port of its pods.
fn target_ports(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    let services = mesh.backends.iter().flat_map(|(namespace, all)| all.iter().map(move |one| (namespace, one)));
    for (namespace, (service, pods)) in services {
        let mut first = HashMap::new();
        for (index, port) in pods.ports.iter().enumerate() {
            let place =
                |index: usize| catalogue.place(&format!("/mesh/backends/{namespace}/{service}/ports/{index}/service"));
            let (earlier, pod) = *first.entry(port.service).or_insert((index, port.pod));
            if earlier == index {
                continue;
            }
            let words = if pod == port.pod {
                format!("port {} of `{service}.{namespace}` is stated twice", port.service)
            } else {
                format!("port {} of `{service}.{namespace}` leads to {pod} and to {}", port.service, port.pod)
            };
            findings.push(
                Diagnostic::error(codes::TARGET_PORT, words)
                    .at(place(index), "")
                    .at(place(earlier), "the first one")
                    .help("keep the one that the Service has"),
            );
        }
    }
}
