//! The rules about an environment that only the catalogue brings to light.

use std::collections::{HashMap, HashSet};

use crate::catalogue::{CatalogueDocument, HostBinding, ServiceDocument};
use crate::diagnostic::{Diagnostic, Findings, suggest};
use crate::document::Document;
use crate::name::DnsLabel;
use crate::policy::{Bound, List, Selection, codes};

/// Holds an environment against the catalogue.
pub(in crate::catalogue) fn judge(
    catalogue: &Document<CatalogueDocument>,
    selection: &Selection<'_>,
    findings: &mut Findings,
) {
    profiles(catalogue, selection, findings);
    let services = by_name(&catalogue.value);
    let profiles: HashSet<&str> = selection.profiles.iter().map(AsRef::as_ref).collect();
    let mut has_origin: HashSet<&str> = HashSet::with_capacity(selection.bound().len());
    for bound in selection.bound() {
        has_origin.insert(bound.service.as_str());
        match services.get(bound.service.as_str()) {
            Some((index, service)) => {
                Binding { catalogue, selection, bound, index: *index, service }.judge(&profiles, findings);
            }
            None => unknown_service(catalogue, selection, bound, findings),
        }
    }
    if let Some(edge) = &selection.edge {
        let list = edge.bound.first().map_or(List::Environment, |bound| bound.list);
        let absent = |service: &ServiceDocument| !has_origin.contains(service.name.as_str());
        for (index, service) in catalogue.value.services.iter().enumerate().filter(|(_, service)| absent(service)) {
            Absent { catalogue, selection, list, index, service }.judge(findings);
        }
    }
}

/// The services that the environment selects, each with its origin: those that it binds and whose profile it selects.
pub(in crate::catalogue) fn selected<'a>(
    catalogue: &'a CatalogueDocument,
    selection: &'a Selection<'a>,
) -> impl Iterator<Item = (&'a ServiceDocument, &'a Bound<'a>)> {
    let services = by_name(catalogue);
    selection.bound().iter().filter_map(move |bound| {
        let (_, service) = services.get(bound.service.as_str())?;
        let chosen = service.profile.as_ref().is_none_or(|profile| selection.profiles.contains(profile));
        chosen.then_some((*service, bound))
    })
}

fn by_name(catalogue: &CatalogueDocument) -> HashMap<&str, (usize, &ServiceDocument)> {
    let services = catalogue.services.iter().enumerate();
    services.map(|(index, service)| (service.name.as_str(), (index, service))).collect()
}

fn profiles(catalogue: &Document<CatalogueDocument>, selection: &Selection<'_>, findings: &mut Findings) {
    let known = &catalogue.value.profiles;
    for (index, profile) in selection.profiles.iter().enumerate() {
        let place = selection.place(&format!("/profiles/{index}"));
        match known.get(profile) {
            None => findings.push(
                Diagnostic::error(codes::UNKNOWN_PROFILE, format!("the catalogue has no profile `{profile}`"))
                    .at(place, "")
                    .help(suggest::help(profile.as_str(), known.keys().map(AsRef::as_ref), "leave it out")),
            ),
            Some(found) if !found.modes.contains(&selection.mode) => findings.push(
                Diagnostic::error(
                    codes::PROFILE_MODE,
                    format!("profile `{profile}` is not for sites of mode `{}`", selection.mode),
                )
                .at(place, "")
                .at(catalogue.place(&format!("/profiles/{profile}/modes")), "the modes that may select it")
                .help(format!("leave `{profile}` and the origins of its services out")),
            ),
            Some(_) => {}
        }
    }
}

fn unknown_service(
    catalogue: &Document<CatalogueDocument>,
    selection: &Selection<'_>,
    bound: &Bound<'_>,
    findings: &mut Findings,
) {
    let names = catalogue.value.services.iter().map(|service| service.name.as_ref());
    findings.push(
        Diagnostic::error(codes::UNKNOWN_SERVICE, format!("the catalogue has no service `{}`", bound.service))
            .at(selection.place_of_name(bound), "")
            .help(suggest::help(bound.service.as_str(), names, "leave it out, or add the service to the catalogue")),
    );
}

/// A service that the environment binds.
struct Binding<'a> {
    catalogue: &'a Document<CatalogueDocument>,
    selection: &'a Selection<'a>,
    bound: &'a Bound<'a>,
    index: usize,
    service: &'a ServiceDocument,
}

impl Binding<'_> {
    fn judge(&self, profiles: &HashSet<&str>, findings: &mut Findings) {
        self.profile(profiles, findings);
        self.host_label(findings);
        self.list(findings);
    }

    fn rule(&self, key: &str) -> crate::diagnostic::Place {
        self.catalogue.place(&format!("/services/{}/{key}", self.index))
    }

    fn profile(&self, profiles: &HashSet<&str>, findings: &mut Findings) {
        let Some(profile) = self.service.profile.as_ref().filter(|profile| !profiles.contains(profile.as_str())) else {
            return;
        };
        let allowed =
            self.catalogue.value.profiles.get(profile).is_some_and(|it| it.modes.contains(&self.selection.mode));
        let help = if allowed {
            format!("add `{profile}` to `profiles`, or leave the origin out")
        } else {
            "leave the origin out".to_owned()
        };
        findings.push(
            Diagnostic::error(
                codes::PROFILE_NOT_SELECTED,
                format!("service `{}` belongs to profile `{profile}`, which is not selected", self.service.name),
            )
            .at(self.selection.place_of(self.bound), "")
            .at(self.rule("profile"), "its profile")
            .help(help),
        );
    }

    fn host_label(&self, findings: &mut Findings) {
        let host = self.bound.origin.host();
        let first = host.as_str().split('.').next().unwrap_or_default();
        let Some(label) = self.service.host_label.as_ref().filter(|label| label.as_str() != first) else { return };
        findings.push(
            Diagnostic::error(
                codes::HOST_LABEL,
                format!("the host of service `{}` begins with `{first}`, not with `{label}`", self.service.name),
            )
            .at(self.selection.place_of(self.bound), "")
            .at(self.rule("host_label"), "the rule")
            .help(format!("write `{label}.{}`, or `{label}.` with another domain", host.domain())),
        );
    }

    fn list(&self, findings: &mut Findings) {
        let right = match (self.bound.list, self.service.binding) {
            (List::Origins, HostBinding::Separate) => List::Bindings,
            (List::Bindings, HostBinding::Application) => List::Origins,
            _ => return,
        };
        findings.push(
            Diagnostic::error(
                codes::BINDING_LIST,
                format!("the origin of service `{}` does not belong in `{}`", self.service.name, self.bound.list.key()),
            )
            .at(self.selection.place_of_name(self.bound), "")
            .help(format!("move it to `{}`", right.key())),
        );
    }
}

/// A service that an environment with an edge does not bind.
struct Absent<'a> {
    catalogue: &'a Document<CatalogueDocument>,
    selection: &'a Selection<'a>,
    /// The first list of the environment.
    list: List,
    index: usize,
    service: &'a ServiceDocument,
}

impl Absent<'_> {
    /// Whether the mode may select the profile; where it may not, its origins are not missed either.
    fn allowed(&self, profile: &DnsLabel) -> bool {
        self.catalogue.value.profiles.get(profile).is_some_and(|found| found.modes.contains(&self.selection.mode))
    }

    fn judge(&self, findings: &mut Findings) {
        let name = &self.service.name;
        let list = match (self.list, self.service.binding) {
            (List::Environment, _) => List::Environment,
            (_, HostBinding::Application) => List::Origins,
            (_, HostBinding::Separate) => List::Bindings,
        };
        let host = self.service.host_label.as_ref().map_or(name.as_str(), AsRef::as_ref);
        let help = format!("add `{name}: https://{host}.` with the site's domain to `{}`", list.key());
        let mode = self.selection.mode;
        if let Some(rule) = self.service.required_in.iter().position(|required| *required == mode) {
            let rule = self.catalogue.place(&format!("/services/{}/required_in/{rule}", self.index));
            findings.push(
                Diagnostic::error(
                    codes::REQUIRED_SERVICE,
                    format!("a site of mode `{mode}` has an origin for service `{name}`; this one has none"),
                )
                .at(self.selection.place(list.pointer()), "")
                .at(rule, "the rule")
                .help(help),
            );
            return;
        }
        let Some(profile) = self.service.profile.as_ref().filter(|profile| self.allowed(profile)) else { return };
        let Some(index) = self.selection.profiles.iter().position(|selected| selected == profile) else { return };
        findings.push(
            Diagnostic::error(
                codes::PROFILE_WITHOUT_ORIGIN,
                format!("profile `{profile}` is selected, and its service `{name}` has no origin"),
            )
            .at(self.selection.place(&format!("/profiles/{index}")), "")
            .help(format!("{help}, or leave the profile out")),
        );
    }
}
