//! The rules about laboratories: by themselves, among each other, against the catalogue and against an environment.

use std::collections::HashMap;

use super::{ExtensionDocument, codes};
use crate::catalogue::judge::{self, JoinedNames, LaboratoryAt, RouteAt, first_of, taken};
use crate::catalogue::{CatalogueDocument, Destination, RouteDocument, ServiceDocument, codes as catalogue_codes};
use crate::diagnostic::{Code, Diagnostic, Findings, Place};
use crate::document::Document;
use crate::name::{HostName, Namespace};
use crate::policy::{Environment, Selection};

type Extension = Document<ExtensionDocument>;

/// The routes of each laboratory as the catalogue would write them: what the rules about routes look at.
fn written(extensions: &[Extension]) -> Vec<Vec<RouteDocument>> {
    extensions.iter().map(|extension| extension.value.as_catalogue_routes()).collect()
}

fn laboratories<'a>(
    extensions: &'a [Extension],
    written: &'a [Vec<RouteDocument>],
) -> impl Iterator<Item = LaboratoryAt<'a>> {
    extensions.iter().zip(written).map(|(extension, routes)| LaboratoryAt { extension, routes })
}

/// The host that a route of a laboratory is on.
fn host_of<'a>(at: LaboratoryAt<'a>, route: RouteAt<'_>) -> Option<&'a HostName> {
    at.extension.value.routes.get(route.index).map(|route| &route.host)
}

/// The rules that each laboratory can be held against by itself, and all of them together.
pub(in crate::catalogue) fn judge_set(extensions: &[Extension], findings: &mut Findings) {
    let written = written(extensions);
    let mut names = HashMap::new();
    let mut hosts: HashMap<&HostName, RouteAt<'_>> = HashMap::new();
    let mut joined = JoinedNames::with_capacity(written.iter().map(Vec::len).sum());
    for at in laboratories(extensions, &written) {
        by_itself(at, findings);
        let name = &at.extension.value.name;
        if let Some(first) = first_of(&mut names, name.as_str(), at) {
            findings.push(
                Diagnostic::error(codes::DUPLICATE_LABORATORY, format!("there are two laboratories `{name}`"))
                    .at(at.extension.place("/name"), "")
                    .at(first.extension.place("/name"), "the first one")
                    .help("rename one of them: a laboratory's name is that of its file in the registry of an edge"),
            );
            // Their routes would collide for this one reason: one finding is enough.
            continue;
        }
        // A second route of one name is refused for that already.
        let mut own = HashMap::with_capacity(at.routes.len());
        let named_once = at.routes().filter(|route| first_of(&mut own, route.route.name.as_str(), *route).is_none());
        named_once.for_each(|route| joined.add(route, findings));
        for route in first_on_each_host(at) {
            let Some(host) = host_of(at, route) else { continue };
            if let Some(first) = first_of(&mut hosts, host, route) {
                let there = (first.place("/host"), "the same host");
                findings.push(host_refused(route, codes::HOST_SHARED, host, &first.owner.words(), there));
            }
        }
    }
}

fn by_itself(at: LaboratoryAt<'_>, findings: &mut Findings) {
    let mut names = HashMap::with_capacity(at.routes.len());
    let mut paths = HashMap::with_capacity(at.routes.len());
    for route in at.routes() {
        judge::judge_route(route, findings);
        judge::judge_length(route, findings);
        if let Some(first) = first_of(&mut names, route.route.name.as_str(), route) {
            findings.push(
                route
                    .refuse(
                        catalogue_codes::DUPLICATE_ROUTE,
                        "/name",
                        "has the name of another route of it",
                        "give each route of a laboratory a name of its own",
                    )
                    .at(first.place("/name"), "the first one"),
            );
        }
        let Some(host) = host_of(at, route) else { continue };
        if let Some(first) = first_of(&mut paths, (host, taken(&route.route.path)), route) {
            findings.push(
                route
                    .refuse(
                        catalogue_codes::DUPLICATE_PATH,
                        "/match",
                        format_args!("takes the same path of `{host}` as `{}`", first.route.name),
                        "leave one of them out, or give them different paths",
                    )
                    .at(first.place("/match"), "taken here"),
            );
        }
    }
}

/// The first route on each of a laboratory's hosts: what is wrong with a host is said once.
fn first_on_each_host(at: LaboratoryAt<'_>) -> Vec<RouteAt<'_>> {
    let mut seen = HashMap::new();
    at.routes().filter(|route| first_of(&mut seen, host_of(at, *route), *route).is_none()).collect()
}

fn host_refused(
    route: RouteAt<'_>,
    code: Code,
    host: &HostName,
    owner: &str,
    (there, why): (Place, &str),
) -> Diagnostic {
    let own = format!("{}.{}", route.owner.name(), host.domain());
    let example = if own == host.as_str() { String::new() } else { format!(", for example `{own}`") };
    route
        .refuse(code, "/host", format_args!("is on `{host}`, a host of {owner}"), "")
        .at(there, why)
        .help(format!("give the laboratory a host name of its own{example}"))
}

/// The rules about laboratories that the catalogue brings to light.
pub(in crate::catalogue) fn judge_catalogue(
    catalogue: &Document<CatalogueDocument>,
    extensions: &[Extension],
    findings: &mut Findings,
) {
    if extensions.is_empty() {
        return;
    }
    let written = written(extensions);
    let joined = JoinedNames::of(judge::services(catalogue).flat_map(judge::ServiceAt::routes));
    for at in laboratories(extensions, &written) {
        at.routes().for_each(|route| joined.judge(route, findings));
        namespace(catalogue, at.extension, findings);
    }
}

fn namespace(catalogue: &Document<CatalogueDocument>, extension: &Extension, findings: &mut Findings) {
    let ExtensionDocument { name, namespace, .. } = &extension.value;
    let Some((owner, place)) = whose(catalogue, namespace) else { return };
    let finding = Diagnostic::error(
        codes::NAMESPACE_TAKEN,
        format!("laboratory `{name}` is in namespace `{namespace}`, which {owner}"),
    );
    let finding = finding.at(extension.place("/namespace"), "");
    let finding = match place {
        Some((place, words)) => finding.at(place, words),
        None => finding,
    };
    findings.push(finding.help("give the laboratory a namespace of its own"));
}

/// Whose a namespace is already, in words, and the place that says so.
fn whose(
    catalogue: &Document<CatalogueDocument>,
    namespace: &Namespace,
) -> Option<(String, Option<(Place, &'static str)>)> {
    if let Some(route) = leads_to(catalogue, namespace) {
        let place = (route.place("/backend/namespace"), "a route of the catalogue");
        return Some((format!("{} leads to", route.words()), Some(place)));
    }
    let mesh = catalogue.value.mesh.as_ref();
    if mesh.is_some_and(|mesh| mesh.namespace == *namespace) {
        let place = (catalogue.place("/mesh/namespace"), "the gateway's own");
        return Some(("the gateway of the mesh is in".to_owned(), Some(place)));
    }
    let reached = mesh.into_iter().flat_map(|mesh| mesh.egress.iter().enumerate());
    for (index, egress) in reached {
        if matches!(&egress.to, Destination::Pods(pods) if pods.namespace == *namespace) {
            let place = catalogue.place(&format!("/mesh/egress/{index}/to/pods/namespace"));
            return Some((
                "the gateway's own surroundings are in".to_owned(),
                Some((place, "what the gateway reaches")),
            ));
        }
    }
    namespace.as_str().starts_with("kube-").then(|| ("is reserved for Kubernetes".to_owned(), None))
}

fn leads_to<'a>(catalogue: &'a Document<CatalogueDocument>, namespace: &Namespace) -> Option<RouteAt<'a>> {
    let mut routes = judge::services(catalogue).flat_map(judge::ServiceAt::routes);
    routes.find(|route| route.route.backend.namespace == *namespace)
}

/// The rules about laboratories that an environment brings to light.
pub(in crate::catalogue) fn judge_environment(
    catalogue: &Document<CatalogueDocument>,
    environment: &impl Environment,
    extensions: &[Extension],
    findings: &mut Findings,
) {
    let selection = environment.selection();
    let written = written(extensions);
    for at in laboratories(extensions, &written) {
        if selection.edge.is_none() {
            findings.push(no_gateway(at.extension, &selection));
            continue;
        }
        for route in first_on_each_host(at) {
            let Some(host) = host_of(at, route) else { continue };
            if let Some((service, there)) = has_host(catalogue, &selection, host) {
                let owner = format!("service `{}`", service.name);
                findings.push(host_refused(route, codes::HOST_TAKEN, host, &owner, there));
            }
        }
    }
}

fn no_gateway(extension: &Extension, selection: &Selection<'_>) -> Diagnostic {
    let name = &extension.value.name;
    Diagnostic::error(
        codes::NO_GATEWAY,
        format!("the environment has no gateway for laboratory `{name}` to be reached by"),
    )
    .at(extension.key_place("/routes"), "")
    .at(selection.place("/environment"), "a foundation alone")
    .help("give the policy of a site that has an edge")
}

/// The service of the catalogue that has a host, with where it is said: by its origin, or by the label that its host begins with in
/// whatever domain of the site. The latter holds for services that the environment does not bind, too.
fn has_host<'a>(
    catalogue: &'a Document<CatalogueDocument>,
    selection: &Selection<'_>,
    host: &HostName,
) -> Option<(&'a ServiceDocument, (Place, &'static str))> {
    let mut bound = selection.bound().iter();
    if let Some(bound) = bound.find(|bound| bound.origin.host() == host) {
        let service = catalogue.value.services.iter().find(|service| service.name == *bound.service)?;
        return Some((service, (selection.place_of(bound), "the same host")));
    }
    let label = host.first_label();
    let of_the_site = selection.bound().iter().any(|bound| bound.origin.host().domain() == host.domain());
    let mut services = judge::services(catalogue).filter(|_| of_the_site);
    let reserved = services.find(|at| at.service.host_label.as_ref() == Some(&label))?;
    Some((reserved.service, (reserved.place("/host_label"), "its host begins so in each domain of the site")))
}
