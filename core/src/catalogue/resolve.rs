//! From a catalogue and an environment to the routes of a site.

use super::{
    Backend, BackendProtocol, BodyLimit, CatalogueDocument, Owner, Protocol, Route, RouteDocument, RouteTable,
    ServiceDocument, Stream, Transport, VirtualHost, judge,
};
use crate::diagnostic::{Diagnostic, Findings, Report};
use crate::document::Document;
use crate::policy::{Environment, PolicyDocument, Selection, smtp};

/// Judges a catalogue together with any number of policies: every fault of all of them, in file order.
pub fn check(catalogue: &Document<CatalogueDocument>, policies: &[Document<PolicyDocument>]) -> Report {
    let mut findings = Findings::new();
    judge_catalogue(catalogue, &mut findings);
    for policy in policies {
        policy.judge(&mut findings);
        judge_policy(catalogue, policy, &mut findings);
    }
    findings.into_report()
}

/// The rules that a catalogue can be held against by itself.
pub(crate) fn judge_catalogue(catalogue: &Document<CatalogueDocument>, findings: &mut Findings) {
    judge::judge(catalogue, findings);
}

/// The rules about an environment that only the catalogue brings to light.
pub(crate) fn judge_environment(
    catalogue: &Document<CatalogueDocument>,
    environment: &impl Environment,
    findings: &mut Findings,
) {
    judge::judge_selection(catalogue, &environment.selection(), findings);
}

/// The same about a policy, which says more than what is selected.
pub(crate) fn judge_policy(
    catalogue: &Document<CatalogueDocument>,
    policy: &Document<PolicyDocument>,
    findings: &mut Findings,
) {
    judge_environment(catalogue, policy, findings);
    public_api(&catalogue.value, policy, findings);
}

/// The routes of a site: those of the services that the environment binds to an origin and whose profile it selects.
///
/// # Errors
/// Every fault of the catalogue and of the environment, in file order.
pub fn resolve(
    catalogue: &Document<CatalogueDocument>,
    environment: &impl Environment,
) -> Result<(RouteTable, Report), Report> {
    let selection = environment.selection();
    let mut findings = Findings::new();
    judge::judge(catalogue, &mut findings);
    environment.judge(&mut findings);
    judge::judge_selection(catalogue, &selection, &mut findings);
    let table = if findings.refused() { RouteTable::new(Vec::new()) } else { table(&catalogue.value, &selection) };
    findings.conclude(table)
}

fn table(catalogue: &CatalogueDocument, selection: &Selection<'_>) -> RouteTable {
    let hosts = judge::selected(catalogue, selection).map(|(service, bound)| VirtualHost {
        origin: bound.origin.clone(),
        routes: service.routes.iter().filter_map(|route| resolved(service, route)).collect(),
    });
    RouteTable::new(hosts.collect())
}

/// A route that was judged; `None` if its joined name or its backend's TLS would be unsound, which the rules refused.
fn resolved(service: &ServiceDocument, route: &RouteDocument) -> Option<Route> {
    Some(Route {
        id: judge::joined_name(service.name.as_str(), &route.name)?,
        owner: Owner::Service(service.name.clone()),
        name: route.name.clone(),
        path: route.path.clone(),
        access: route.access,
        transport: route.transport,
        backend: backend(route)?,
        websocket: route.websocket,
        timeout: route.timeout,
        connect_timeout: route.connect_timeout,
        body: route.body,
        stream: stream(route),
        encoded_slashes: route.encoded_slashes,
    })
}

fn backend(route: &RouteDocument) -> Option<Backend> {
    let stated = &route.backend;
    let protocol = match stated.protocol {
        Protocol::Http => BackendProtocol::Http,
        Protocol::Grpc => BackendProtocol::Grpc,
        Protocol::Https => BackendProtocol::Https { sni: stated.sni.clone()?, trust: stated.trust.clone()? },
    };
    Some(Backend { service: stated.service.clone(), namespace: stated.namespace.clone(), port: stated.port, protocol })
}

/// What is streamed: as stated, and always what cannot be buffered: gRPC both ways, an unlimited body on its way in.
fn stream(route: &RouteDocument) -> Stream {
    let stated = route.stream.unwrap_or_default();
    match (route.transport, route.body) {
        (Transport::Grpc, _) => Stream::Both,
        (Transport::Http, Some(BodyLimit::Unlimited)) if stated.response() => Stream::Both,
        (Transport::Http, Some(BodyLimit::Unlimited)) => Stream::Request,
        (Transport::Http, _) => stated,
    }
}

/// The public API that mails name is the origin of the service that says it serves it.
fn public_api(catalogue: &CatalogueDocument, policy: &Document<PolicyDocument>, findings: &mut Findings) {
    let Some(stated) = policy.value.smtp.as_ref().and_then(|smtp| smtp.public_api.as_ref()) else { return };
    let selection = policy.selection();
    for service in catalogue.services.iter().filter(|service| service.public_api) {
        let bound = selection.bound().iter().find(|bound| *bound.service == service.name);
        match bound {
            Some(bound) if bound.origin == stated => {}
            Some(bound) => findings.push(
                Diagnostic::error(
                    smtp::codes::PUBLIC_API,
                    format!("`{stated}` is not the origin of service `{}`", service.name),
                )
                .at(policy.place("/smtp/public_api"), "")
                .at(selection.place_of(bound), "its origin")
                .help(format!("write `{}`", bound.origin)),
            ),
            None => findings.push(
                Diagnostic::error(
                    smtp::codes::PUBLIC_API,
                    format!("service `{}`, the public API, has no origin", service.name),
                )
                .at(policy.place("/smtp/public_api"), "")
                .help(format!("add `{}: {stated}` to the origins", service.name)),
            ),
        }
    }
}
