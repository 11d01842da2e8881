//! The rules: what is refused in a catalogue, and in an environment that selects from it.

mod backend;
mod combination;
mod selection;
mod service;
mod unique;

use super::{CatalogueDocument, RouteDocument, ServiceDocument};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::document::Document;

pub(super) use selection::{judge as judge_selection, selected};
pub(super) use unique::joined_name;

/// Every rule that the catalogue can be held against by itself.
pub(super) fn judge(catalogue: &Document<CatalogueDocument>, findings: &mut Findings) {
    unique::judge(catalogue, findings);
    let reviewed = backend::Reviewed::new(&catalogue.value);
    for (index, service) in catalogue.value.services.iter().enumerate() {
        let at = ServiceAt { catalogue, index, service };
        service::judge(at, findings);
        for route in at.routes() {
            reviewed.judge(route, findings);
            combination::judge(route, findings);
        }
    }
}

/// A service with where it stands.
#[derive(Clone, Copy)]
struct ServiceAt<'a> {
    catalogue: &'a Document<CatalogueDocument>,
    index: usize,
    service: &'a ServiceDocument,
}

impl<'a> ServiceAt<'a> {
    /// The place of one of its keys; `key` begins with a slash.
    fn place(&self, key: &str) -> Place {
        self.catalogue.place(&format!("/services/{}{key}", self.index))
    }

    fn routes(self) -> impl Iterator<Item = RouteAt<'a>> {
        self.service.routes.iter().enumerate().map(move |(index, route)| RouteAt { service: self, index, route })
    }
}

/// A route with where it stands.
#[derive(Clone, Copy)]
struct RouteAt<'a> {
    service: ServiceAt<'a>,
    index: usize,
    route: &'a RouteDocument,
}

impl RouteAt<'_> {
    /// The place of one of its keys; `key` begins with a slash.
    fn place(&self, key: &str) -> Place {
        self.service.place(&format!("/routes/{}{key}", self.index))
    }

    /// How a message names it.
    fn words(&self) -> String {
        format!("route `{}` of service `{}`", self.route.name, self.service.service.name)
    }

    /// A refusal at one of its keys.
    fn refuse(
        &self,
        code: crate::diagnostic::Code,
        key: &str,
        what: impl std::fmt::Display,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(code, format!("{} {what}", self.words())).at(self.place(key), "").help(help)
    }
}
