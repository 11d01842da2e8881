//! From a catalogue, an environment and the laboratories to the routes of a site.

use std::collections::BTreeMap;

use super::{
    Backend, BackendProtocol, BodyLimit, CatalogueDocument, ExtensionDocument, Owner, Protocol, Route, RouteDocument,
    RouteTable, Stream, Transport, VirtualHost, extension, judge,
};
use crate::diagnostic::{Diagnostic, Findings, Report};
use crate::document::Document;
use crate::name::{HostName, Origin};
use crate::policy::{Environment, PolicyDocument, Selection, smtp};

/// Judges a catalogue together with any number of policies: every fault of all of them, in file order.
pub fn check(catalogue: &Document<CatalogueDocument>, policies: &[Document<PolicyDocument>]) -> Report {
    check_with(catalogue, policies, &[])
}

/// The same with the laboratories of the site.
pub fn check_with(
    catalogue: &Document<CatalogueDocument>,
    policies: &[Document<PolicyDocument>],
    laboratories: &[Document<ExtensionDocument>],
) -> Report {
    let mut findings = Findings::new();
    judge_catalogue(catalogue, &mut findings);
    judge_laboratories(laboratories, &mut findings);
    judge_laboratories_by_catalogue(catalogue, laboratories, &mut findings);
    for policy in policies {
        policy.judge(&mut findings);
        judge_policy(catalogue, policy, &mut findings);
        judge_laboratories_by_environment(catalogue, policy, laboratories, &mut findings);
    }
    findings.into_report()
}

/// The rules that laboratories can be held against by themselves and among each other.
pub(crate) fn judge_laboratories(laboratories: &[Document<ExtensionDocument>], findings: &mut Findings) {
    extension::judge_set(laboratories, findings);
}

/// The rules about laboratories that the catalogue brings to light.
pub(crate) fn judge_laboratories_by_catalogue(
    catalogue: &Document<CatalogueDocument>,
    laboratories: &[Document<ExtensionDocument>],
    findings: &mut Findings,
) {
    extension::judge_catalogue(catalogue, laboratories, findings);
}

/// The rules about laboratories that an environment brings to light.
pub(crate) fn judge_laboratories_by_environment(
    catalogue: &Document<CatalogueDocument>,
    environment: &impl Environment,
    laboratories: &[Document<ExtensionDocument>],
    findings: &mut Findings,
) {
    extension::judge_environment(catalogue, environment, laboratories, findings);
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
    resolve_with(catalogue, environment, &[])
}

/// The same, and the routes of the site's laboratories.
///
/// # Errors
/// Every fault of the catalogue, of the environment and of the laboratories, in file order.
pub fn resolve_with(
    catalogue: &Document<CatalogueDocument>,
    environment: &impl Environment,
    laboratories: &[Document<ExtensionDocument>],
) -> Result<(RouteTable, Report), Report> {
    let selection = environment.selection();
    let mut findings = Findings::new();
    judge::judge(catalogue, &mut findings);
    environment.judge(&mut findings);
    judge::judge_selection(catalogue, &selection, &mut findings);
    extension::judge_set(laboratories, &mut findings);
    extension::judge_catalogue(catalogue, laboratories, &mut findings);
    extension::judge_environment(catalogue, environment, laboratories, &mut findings);
    let hosts = if findings.refused() { Vec::new() } else { hosts(&catalogue.value, &selection, laboratories) };
    findings.conclude(RouteTable::new(hosts))
}

fn hosts(
    catalogue: &CatalogueDocument,
    selection: &Selection<'_>,
    laboratories: &[Document<ExtensionDocument>],
) -> Vec<VirtualHost> {
    let of_services = judge::selected(catalogue, selection).map(|(service, bound)| {
        let owner = Owner::Service(service.name.clone());
        VirtualHost {
            origin: bound.origin.clone(),
            routes: service.routes.iter().filter_map(|route| resolved(&owner, route)).collect(),
        }
    });
    let of_laboratories = laboratories.iter().flat_map(|laboratory| laboratory_hosts(&laboratory.value, selection));
    of_services.chain(of_laboratories).collect()
}

/// The hosts of a laboratory: each is reached as the site's own are.
fn laboratory_hosts(laboratory: &ExtensionDocument, selection: &Selection<'_>) -> Vec<VirtualHost> {
    let owner = Owner::Laboratory(laboratory.name.clone());
    let mut hosts: BTreeMap<&HostName, Vec<Route>> = BTreeMap::new();
    for (stated, route) in laboratory.routes.iter().zip(laboratory.as_catalogue_routes()) {
        hosts.entry(&stated.host).or_default().extend(resolved(&owner, &route));
    }
    let origin = |host: &HostName| match selection.bound().first() {
        Some(bound) => bound.origin.of_host(host),
        None => Origin::https(host),
    };
    hosts.into_iter().map(|(host, routes)| VirtualHost { origin: origin(host), routes }).collect()
}

/// A route that was judged; `None` if its joined name or its backend's TLS would be unsound, which the rules refused.
fn resolved(owner: &Owner, route: &RouteDocument) -> Option<Route> {
    Some(Route {
        id: judge::joined_name(owner.name(), &route.name)?,
        owner: owner.clone(),
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
