//! The rules about what the mesh knows of the catalogue's backends.

use std::collections::HashMap;

use super::{RouteAt, routes};
use crate::catalogue::{CatalogueDocument, MeshDocument, PathNormalization, Protocol, Transport};
use crate::diagnostic::{Diagnostic, Findings};
use crate::document::Document;
use crate::gateway::codes;
use crate::name::{DnsLabel, KubernetesService, Namespace, Port};

pub(super) fn judge(catalogue: &Document<CatalogueDocument>, mesh: &MeshDocument, findings: &mut Findings) {
    if mesh.path_normalization == PathNormalization::None {
        let help = "write `base`: without it `/public/../private` is a path below `/public/` to routes and policies";
        findings.push(normalization(catalogue, "leaves `..` to the backends").help(help));
    }
    let (mut spoken, mut listening) = (HashMap::new(), HashMap::new());
    for route in routes(catalogue) {
        encoded_slashes(route, mesh, findings);
        if is_reviewed(route) {
            pods(route, mesh, findings);
        }
        trust(route, mesh, findings);
        if is_sound(route) {
            disagreement(route, &mut spoken, findings);
            encryption(route, mesh, &mut listening, findings);
        }
    }
}

fn normalization(catalogue: &Document<CatalogueDocument>, what: &str) -> Diagnostic {
    Diagnostic::error(codes::PATH_NORMALIZATION, format!("this path normalisation {what}"))
        .at(catalogue.place("/mesh/path_normalization"), "")
}

/// A route that takes encoded slashes as they came needs a mesh that leaves them alone.
fn encoded_slashes(route: RouteAt<'_>, mesh: &MeshDocument, findings: &mut Findings) {
    let rewrites =
        matches!(mesh.path_normalization, PathNormalization::MergeSlashes | PathNormalization::DecodeAndMergeSlashes);
    if route.route.encoded_slashes && rewrites {
        let what = format!("rewrites the slashes that {} takes as they came", route.words());
        findings.push(
            normalization(route.catalogue, &what)
                .at(route.place("/encoded_slashes"), "as they came")
                .help("write `base`"),
        );
    }
}

/// Whether the catalogue knows the backend: where it does not, that is the fault, and the catalogue's to tell.
fn is_reviewed(route: RouteAt<'_>) -> bool {
    let backend = &route.route.backend;
    let services = route.catalogue.value.backends.get(&backend.namespace);
    services.and_then(|services| services.0.get(&backend.service)).is_some_and(|ports| ports.contains(&backend.port))
}

/// Whether a route says one thing of how its backend is spoken to: the same holds of what it does not.
fn is_sound(route: RouteAt<'_>) -> bool {
    let backend = &route.route.backend;
    let tls = backend.protocol == Protocol::Https;
    let speaks = !matches!(
        (route.route.transport, backend.protocol),
        (Transport::Grpc, Protocol::Http) | (Transport::Http, Protocol::Grpc)
    );
    speaks && backend.sni.is_some() == tls && backend.trust.is_some() == tls
}

/// The pods of every backend are known, and the port of theirs that the route's port leads to.
fn pods(route: RouteAt<'_>, mesh: &MeshDocument, findings: &mut Findings) {
    let backend = &route.route.backend;
    let key = format!("/mesh/backends/{}/{}", backend.namespace, backend.service);
    let Some(pods) = mesh.backends.get(&backend.namespace).and_then(|services| services.get(&backend.service)) else {
        findings.push(route.refuse(
            codes::BACKEND_PODS,
            "/backend/service",
            &format!("leads to `{}.{}`, whose pods are not stated", backend.service, backend.namespace),
            format!("add `{}` with `pods` and `ports` to `mesh.backends.{}`", backend.service, backend.namespace),
        ));
        return;
    };
    if !pods.ports.iter().any(|port| port.service == backend.port) {
        findings.push(
            route
                .refuse(
                    codes::BACKEND_PODS,
                    "/backend/port",
                    &format!("leads to port {}, and no port of the pods is stated for it", backend.port),
                    format!("add `{{service: {}, pod: ...}}` with the port that the pods listen on", backend.port),
                )
                .at(route.catalogue.place(&format!("{key}/ports")), "the ports that are stated"),
        );
    }
}

fn trust(route: RouteAt<'_>, mesh: &MeshDocument, findings: &mut Findings) {
    // One that the catalogue does not have is refused by it.
    let known = &route.catalogue.value.trust;
    let is_unpublished = |trust: &&DnsLabel| known.contains(trust) && !mesh.trust.contains_key(*trust);
    let Some(trust) = route.route.backend.trust.as_ref().filter(is_unpublished) else { return };
    findings.push(route.refuse(
        codes::UNPUBLISHED_TRUST,
        "/backend/trust",
        &format!("is verified with `{trust}`, which is not published for the gateway"),
        format!("add `{trust}` with `published`, its name beside the gateway, to `mesh.trust`"),
    ));
}

/// The first route that leads to a port of a Service.
type Spoken<'a> = HashMap<(&'a Namespace, &'a KubernetesService, Port), RouteAt<'a>>;

/// The gateway has one way to speak to each port of a Service.
fn disagreement<'a>(route: RouteAt<'a>, spoken: &mut Spoken<'a>, findings: &mut Findings) {
    let backend = &route.route.backend;
    let first = *spoken.entry((&backend.namespace, &backend.service, backend.port)).or_insert(route);
    let other = &first.route.backend;
    let agree = first.route.transport == route.route.transport
        && (other.protocol, &other.sni, &other.trust) == (backend.protocol, &backend.sni, &backend.trust);
    if !agree {
        findings.push(
            route
                .refuse(
                    codes::BACKEND_DISAGREEMENT,
                    "/backend",
                    &format!(
                        "speaks to port {} of `{}.{}` in another way than {}",
                        backend.port,
                        backend.service,
                        backend.namespace,
                        first.words()
                    ),
                    "give both the same `transport`, `protocol`, `sni` and `trust`".to_owned(),
                )
                .at(first.place("/backend"), "the other way"),
        );
    }
}

/// A port of pods takes TLS or it does not, whichever ports of their Service lead to it.
fn encryption<'a>(route: RouteAt<'a>, mesh: &MeshDocument, listening: &mut Spoken<'a>, findings: &mut Findings) {
    let backend = &route.route.backend;
    let pods = mesh.backends.get(&backend.namespace).and_then(|services| services.get(&backend.service));
    let target = pods.and_then(|pods| pods.ports.iter().find(|port| port.service == backend.port));
    let Some(target) = target.filter(|_| pods.is_some_and(|pods| pods.ports.len() > 1)) else { return };
    let first = *listening.entry((&backend.namespace, &backend.service, target.pod)).or_insert(route);
    let other = &first.route.backend;
    // Of one port of the Service it is said already.
    if other.port != backend.port && (other.protocol == Protocol::Https) != (backend.protocol == Protocol::Https) {
        let what = format!(
            "speaks to port {} of the pods of `{}.{}` in another way than {}: one with TLS, one without",
            target.pod,
            backend.service,
            backend.namespace,
            first.words()
        );
        let help =
            "state the port of the pods that each port of the Service leads to in `mesh.backends`, or one protocol";
        findings.push(
            route
                .refuse(codes::BACKEND_DISAGREEMENT, "/backend", &what, help.to_owned())
                .at(first.place("/backend"), "the other way"),
        );
    }
}
