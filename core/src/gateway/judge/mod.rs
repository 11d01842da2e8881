//! The rules about a gateway, with the places of what breaks them.

mod backend;
mod mesh;
mod site;

use crate::catalogue::{CatalogueDocument, RouteDocument};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::document::Document;
use crate::policy::PolicyDocument;

/// Judges what a catalogue and a policy say of the gateway. A site whose policy states none needs none.
pub fn judge(catalogue: &Document<CatalogueDocument>, policy: &Document<PolicyDocument>, findings: &mut Findings) {
    judge_catalogue(catalogue, findings);
    judge_policy(catalogue, policy, findings);
}

/// The rules that a catalogue can be held against by itself.
pub(crate) fn judge_catalogue(catalogue: &Document<CatalogueDocument>, findings: &mut Findings) {
    if let Some(mesh) = &catalogue.value.mesh {
        mesh::judge(catalogue, mesh, findings);
        backend::judge(catalogue, mesh, findings);
    }
}

/// The rules about a policy, together with its catalogue.
pub(crate) fn judge_policy(
    catalogue: &Document<CatalogueDocument>,
    policy: &Document<PolicyDocument>,
    findings: &mut Findings,
) {
    if let Some(gateway) = &policy.value.gateway {
        site::judge(catalogue, policy, gateway, findings);
    }
}

/// A route of the catalogue with where it stands.
#[derive(Clone, Copy)]
struct RouteAt<'a> {
    catalogue: &'a Document<CatalogueDocument>,
    service: usize,
    index: usize,
    route: &'a RouteDocument,
}

/// The routes of a catalogue.
fn routes(catalogue: &Document<CatalogueDocument>) -> impl Iterator<Item = RouteAt<'_>> {
    catalogue.value.services.iter().enumerate().flat_map(move |(service, stated)| {
        stated.routes.iter().enumerate().map(move |(index, route)| RouteAt { catalogue, service, index, route })
    })
}

impl RouteAt<'_> {
    /// The place of one of its keys; `key` begins with a slash.
    fn place(&self, key: &str) -> Place {
        self.catalogue.place(&format!("/services/{}/routes/{}{key}", self.service, self.index))
    }

    /// How a message names it.
    fn words(&self) -> String {
        let service = self.catalogue.value.services.get(self.service).map_or("", |service| service.name.as_str());
        format!("route `{}` of service `{service}`", self.route.name)
    }

    /// A refusal at one of its keys.
    fn refuse(&self, code: crate::diagnostic::Code, key: &str, what: &str, help: String) -> Diagnostic {
        Diagnostic::error(code, format!("{} {what}", self.words())).at(self.place(key), "").help(help)
    }
}
