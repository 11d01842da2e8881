//! The rules about laboratories: by themselves, among each other, against the catalogue and against an environment.

use std::collections::HashMap;

use super::{ExtensionDocument, codes};
use crate::catalogue::judge::{self, JoinedNames, LaboratoryAt, OwnerAt, RouteAt, first_of, taken};
use crate::catalogue::{CatalogueDocument, Destination, RouteDocument, codes as catalogue_codes};
use crate::diagnostic::{Code, Diagnostic, Findings, Place, suggest};
use crate::document::Document;
use crate::name::{HostName, KubernetesService, Namespace};
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
    let mut backends = HashMap::new();
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
                let there = Some((first.place("/host"), "the same host"));
                findings.push(host_refused(route, codes::HOST_SHARED, host, &first.owner.words(), there));
            }
        }
        for route in first_to_each_service(at) {
            if let Some(first) = first_of(&mut backends, service_of(route), route) {
                findings.push(backend_refused(route, first));
            }
        }
    }
}

/// Where a route is reached, for a message that tells it from another of its name.
fn there(route: RouteAt<'_>) -> String {
    let host = match route.owner {
        OwnerAt::Laboratory(at) => host_of(at, route).map_or("", HostName::as_str),
        OwnerAt::Service(_) => "",
    };
    format!("`{host}` with `{}`", route.route.path)
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
                        format_args!("has the name of the route on {}", there(first)),
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

/// The Service that a route leads to.
fn service_of(route: RouteAt<'_>) -> (&Namespace, &KubernetesService) {
    (&route.route.backend.namespace, &route.route.backend.service)
}

/// The first route to each of a laboratory's Services: what is wrong with a Service is said once.
fn first_to_each_service(at: LaboratoryAt<'_>) -> Vec<RouteAt<'_>> {
    let mut seen = HashMap::new();
    at.routes().filter(|route| first_of(&mut seen, service_of(*route), *route).is_none()).collect()
}

/// Namespaces may be shared, Services not: the mesh takes one rule for the whole of a Service, and each laboratory renders its own.
fn backend_refused(route: RouteAt<'_>, first: RouteAt<'_>) -> Diagnostic {
    let (namespace, service) = service_of(route);
    route
        .refuse(
            codes::BACKEND_SHARED,
            "/backend/service",
            format_args!("leads to `{service}.{namespace}`, a Service of {}", first.owner.words()),
            format!(
                "give each laboratory a Service of its own, or have one of them state all routes to `{service}`: how the gateway \
                 speaks to a Service is one object, which one laboratory applies"
            ),
        )
        .at(first.place("/backend/service"), "the same Service")
}

fn host_refused(
    route: RouteAt<'_>,
    code: Code,
    host: &HostName,
    owner: &str,
    there: Option<(Place, &str)>,
) -> Diagnostic {
    let own = format!("{}.{}", route.owner.name(), host.domain());
    let example = if own == host.as_str() { String::new() } else { format!(", for example `{own}`") };
    let finding = route.refuse(code, "/host", format_args!("is on `{host}`, a host of {owner}"), "");
    there
        .into_iter()
        .fold(finding, |finding, (there, why)| finding.at(there, why))
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
    let mut bundles = HashMap::new();
    let joined = JoinedNames::of(judge::services(catalogue).flat_map(judge::ServiceAt::routes));
    for at in laboratories(extensions, &written) {
        at.routes().for_each(|route| joined.judge(route, findings));
        at.routes().for_each(|route| {
            trust(&catalogue.value, route, findings);
            let brought = route.route.backend.trust.as_ref().filter(|trust| !catalogue.value.trust.contains(trust));
            let first = brought.and_then(|trust| first_of(&mut bundles, trust, route));
            if let Some(first) = first.filter(|first| first.owner.name() != route.owner.name()) {
                findings.push(bundle_refused(route, first));
            }
        });
        namespace(catalogue, at.extension, findings);
    }
}

/// A backend is verified with a bundle of the catalogue, or with one that the laboratory brings: its name begins with the laboratory's, as
/// every other name of the laboratory beside the gateway does. Anything else is a slip, or the name of somebody else's object.
fn trust(catalogue: &CatalogueDocument, route: RouteAt<'_>, findings: &mut Findings) {
    let Some(trust) = &route.route.backend.trust else { return };
    let published = || catalogue.mesh.iter().flat_map(|mesh| &mesh.trust);
    if let Some((reference, _)) =
        published().find(|(reference, bundle)| bundle.published == *trust && *reference != trust)
    {
        findings.push(route.refuse(
            codes::UNKNOWN_TRUST,
            "/backend/trust",
            format_args!("is verified with `{trust}`, the name that `{reference}` has beside the gateway"),
            format!("write `trust: {reference}`"),
        ));
        return;
    }
    if catalogue.trust.contains(trust) {
        if catalogue.mesh.is_some() && !published().any(|(reference, _)| reference == trust) {
            findings.push(route.refuse(
                crate::gateway::codes::UNPUBLISHED_TRUST,
                "/backend/trust",
                format_args!("is verified with `{trust}`, which is not published for the gateway"),
                format!(
                    "have `{trust}` added to `mesh.trust` of the catalogue, or bring a bundle of the laboratory's own"
                ),
            ));
        }
        return;
    }
    let own = format!("{}-", route.owner.name());
    if trust.as_str().strip_prefix(&own).is_none_or(str::is_empty) {
        let bring = format!("for a bundle that the laboratory brings write a name that begins with `{own}`");
        findings.push(route.refuse(
            codes::UNKNOWN_TRUST,
            "/backend/trust",
            format_args!("is verified with `{trust}`, which the catalogue does not have"),
            suggest::help(trust.as_str(), catalogue.trust.iter().map(AsRef::as_ref), &bring),
        ));
    }
}

/// Two laboratories that bring bundles of one name: one Secret would take the place of the other.
fn bundle_refused(route: RouteAt<'_>, first: RouteAt<'_>) -> Diagnostic {
    let trust = route.route.backend.trust.as_ref().map_or("", AsRef::as_ref);
    route
        .refuse(
            crate::gateway::codes::PUBLISHED_TWICE,
            "/backend/trust",
            format_args!("brings bundle `{trust}`, and so does {}", first.owner.words()),
            "give each bundle a name of its own: both are Secrets of the gateway's namespace",
        )
        .at(first.place("/backend/trust"), "the same name")
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
            if let Some((owner, there)) = has_host(catalogue, &selection, host) {
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

/// The name that is the Site API's on every site, by itself and below each domain of one.
const SITE_API: &str = "site.pharos";

/// Whose a host of the site is, with where it is said: a service's by its origin, something else's that the site names, the Site API's,
/// or a service's by the label that its host begins with in whatever domain of the site: its `host_label` or its name. The latter
/// holds for services that the environment does not bind, whatever their profile, too.
fn has_host(
    catalogue: &Document<CatalogueDocument>,
    selection: &Selection<'_>,
    host: &HostName,
) -> Option<(String, Option<(Place, &'static str)>)> {
    let of_service = |name: &dyn std::fmt::Display| format!("service `{name}`");
    let mut bound = selection.bound().iter();
    if let Some(bound) = bound.find(|bound| bound.origin.host() == host) {
        return Some((of_service(bound.service), Some((selection.place_of(bound), "the same host"))));
    }
    if let Some(other) = selection.others.iter().find(|other| other.host == host) {
        return Some((other.whose.to_owned(), Some((selection.place(other.pointer), "the same host"))));
    }
    let is_of_the_site = |domain: &str| selection.bound().iter().any(|bound| bound.origin.host().domain() == domain);
    let below = host.as_str().strip_prefix(SITE_API).and_then(|rest| rest.strip_prefix('.'));
    if host.as_str() == SITE_API || below.is_some_and(is_of_the_site) {
        return Some(("the Site API, which every site reserves".to_owned(), None));
    }
    if !is_of_the_site(host.domain()) {
        return None;
    }
    let label = host.first_label();
    let services = || judge::services(catalogue);
    if let Some(at) = services().find(|at| at.service.host_label.as_ref() == Some(&label)) {
        let there = (at.place("/host_label"), "its host begins so in each domain of the site");
        return Some((of_service(&at.service.name), Some(there)));
    }
    let at = services().find(|at| at.service.name.as_str() == label.as_str())?;
    Some((of_service(&at.service.name), Some((at.place("/name"), "its name, reserved in each domain of the site"))))
}
