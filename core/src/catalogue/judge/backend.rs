//! The rules about where a route leads: reviewed backends, and how a backend is verified.

use std::collections::HashSet;

use super::RouteAt;
use crate::catalogue::{CatalogueDocument, Protocol, Transport, codes};
use crate::diagnostic::{Findings, suggest};

/// What the catalogue reviewed.
pub(super) struct Reviewed<'a> {
    catalogue: &'a CatalogueDocument,
    trust: HashSet<&'a str>,
}

impl<'a> Reviewed<'a> {
    pub(super) fn new(catalogue: &'a CatalogueDocument) -> Self {
        Self { catalogue, trust: catalogue.trust.iter().map(AsRef::as_ref).collect() }
    }

    pub(super) fn judge(&self, route: RouteAt<'_>, findings: &mut Findings) {
        self.reviewed(route, findings);
        self.trusted(route, findings);
    }

    fn reviewed(&self, route: RouteAt<'_>, findings: &mut Findings) {
        let backend = &route.route.backend;
        let namespaces = &self.catalogue.backends;
        let Some(services) = namespaces.get(&backend.namespace) else {
            findings.push(route.refuse(
                codes::UNKNOWN_NAMESPACE,
                "/backend/namespace",
                format_args!("leads to namespace `{}`, which the catalogue does not have", backend.namespace),
                suggest::help(
                    backend.namespace.as_str(),
                    namespaces.keys().map(AsRef::as_ref),
                    "have the backend reviewed and added to `backends`",
                ),
            ));
            return;
        };
        let Some(ports) = services.0.get(&backend.service) else {
            findings.push(route.refuse(
                codes::UNREVIEWED_BACKEND,
                "/backend/service",
                format_args!("leads to `{}.{}`, which was not reviewed", backend.service, backend.namespace),
                suggest::help(
                    backend.service.as_str(),
                    services.0.keys().map(AsRef::as_ref),
                    "have the backend reviewed and added to `backends`",
                ),
            ));
            return;
        };
        if !ports.contains(&backend.port) {
            let known: Vec<String> = ports.iter().map(ToString::to_string).collect();
            let help = match known.as_slice() {
                [] => "no port of it is reviewed yet: have this one reviewed and added to `backends`".to_owned(),
                known => format!("reviewed is {}", known.join(", ")),
            };
            findings.push(route.refuse(
                codes::UNREVIEWED_BACKEND,
                "/backend/port",
                format_args!(
                    "leads to port {} of `{}.{}`, which was not reviewed",
                    backend.port, backend.service, backend.namespace
                ),
                help,
            ));
        }
    }

    fn trusted(&self, route: RouteAt<'_>, findings: &mut Findings) {
        let backend = &route.route.backend;
        if let Some(trust) = backend.trust.as_ref().filter(|trust| !self.trust.contains(trust.as_str())) {
            findings.push(route.refuse(
                codes::UNKNOWN_TRUST,
                "/backend/trust",
                format_args!("is verified with `{trust}`, which the catalogue does not have"),
                suggest::help(trust.as_str(), self.trust.iter().copied(), "add it to `trust`"),
            ));
        }
    }
}

/// What holds of every backend, whoever reviewed it.
pub(super) fn judge(route: RouteAt<'_>, findings: &mut Findings) {
    tls(route, findings);
    let speaks = match (route.route.transport, route.route.backend.protocol) {
        (Transport::Grpc, Protocol::Http) => "grpc",
        (Transport::Http, Protocol::Grpc) => "http",
        _ => return,
    };
    findings.push(route.refuse(
        codes::BACKEND_PROTOCOL,
        "/backend/protocol",
        format_args!("carries {speaks}, which its backend does not speak"),
        format!("write `protocol: {speaks}`, or `https` with `sni` and `trust`"),
    ));
}

fn tls(route: RouteAt<'_>, findings: &mut Findings) {
    let backend = &route.route.backend;
    for (key, stated) in [("sni", backend.sni.is_some()), ("trust", backend.trust.is_some())] {
        match (backend.protocol, stated) {
            (Protocol::Https, false) => findings.push(route.refuse(
                codes::BACKEND_TLS_MISSING,
                "/backend",
                format_args!("has an HTTPS backend without `{key}`"),
                "state `sni`, the name in the backend's certificate, and `trust`, the CA bundle to verify it with",
            )),
            (Protocol::Http | Protocol::Grpc, true) => findings.push(route.refuse(
                codes::BACKEND_TLS_SURPLUS,
                &format!("/backend/{key}"),
                format_args!("states `{key}` for a plain backend"),
                format!("write `protocol: https`, or leave `{key}` out"),
            )),
            _ => {}
        }
    }
}
