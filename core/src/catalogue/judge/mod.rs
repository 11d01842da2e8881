//! The rules: what is refused in a catalogue, and in an environment that selects from it.

mod backend;
mod combination;
mod selection;
mod service;
mod unique;

use super::{CatalogueDocument, ExtensionDocument, RouteDocument, ServiceDocument};
use crate::diagnostic::{Code, Diagnostic, Findings, Place};
use crate::document::Document;

pub(super) use selection::{judge as judge_selection, selected};
pub(super) use unique::{JoinedNames, first_of, joined_name, judge_length, taken};

/// Every rule that the catalogue can be held against by itself.
pub(super) fn judge(catalogue: &Document<CatalogueDocument>, findings: &mut Findings) {
    unique::judge(catalogue, findings);
    let reviewed = backend::Reviewed::new(&catalogue.value);
    for at in services(catalogue) {
        service::judge(at, findings);
        for route in at.routes() {
            reviewed.judge(route, findings);
            judge_route(route, findings);
        }
    }
}

/// The rules that a route can be held against by itself, whoever owns it.
pub(super) fn judge_route(route: RouteAt<'_>, findings: &mut Findings) {
    backend::judge(route, findings);
    combination::judge(route, findings);
}

/// The services of a catalogue, with where they stand.
pub(super) fn services(catalogue: &Document<CatalogueDocument>) -> impl Iterator<Item = ServiceAt<'_>> {
    let services = catalogue.value.services.iter().enumerate();
    services.map(|(index, service)| ServiceAt { catalogue, index, service })
}

/// A service with where it stands.
#[derive(Clone, Copy)]
pub(super) struct ServiceAt<'a> {
    pub(super) catalogue: &'a Document<CatalogueDocument>,
    index: usize,
    pub(super) service: &'a ServiceDocument,
}

impl<'a> ServiceAt<'a> {
    /// The place of one of its keys; `key` begins with a slash.
    pub(super) fn place(&self, key: &str) -> Place {
        self.catalogue.place(&format!("/services/{}{key}", self.index))
    }

    pub(super) fn routes(self) -> impl Iterator<Item = RouteAt<'a>> {
        let routes = self.service.routes.iter().enumerate();
        routes.map(move |(index, route)| RouteAt { owner: OwnerAt::Service(self), index, route })
    }
}

/// A laboratory with where it stands.
#[derive(Clone, Copy)]
pub(super) struct LaboratoryAt<'a> {
    pub(super) extension: &'a Document<ExtensionDocument>,
    /// Its routes as the catalogue would write them.
    pub(super) routes: &'a [RouteDocument],
}

impl<'a> LaboratoryAt<'a> {
    pub(super) fn routes(self) -> impl Iterator<Item = RouteAt<'a>> {
        let routes = self.routes.iter().enumerate();
        routes.map(move |(index, route)| RouteAt { owner: OwnerAt::Laboratory(self), index, route })
    }
}

/// The owner of a route, with where it stands.
#[derive(Clone, Copy)]
pub(super) enum OwnerAt<'a> {
    Service(ServiceAt<'a>),
    Laboratory(LaboratoryAt<'a>),
}

impl<'a> OwnerAt<'a> {
    /// The place of one of its keys; `key` begins with a slash.
    fn place(&self, key: &str) -> Place {
        match self {
            Self::Service(at) => at.place(key),
            Self::Laboratory(at) => at.extension.place(key),
        }
    }

    pub(super) fn name(self) -> &'a str {
        match self {
            Self::Service(at) => at.service.name.as_str(),
            Self::Laboratory(at) => at.extension.value.name.as_str(),
        }
    }

    /// How a message names it.
    pub(super) fn words(self) -> String {
        let kind = match self {
            Self::Service(_) => "service",
            Self::Laboratory(_) => "laboratory",
        };
        format!("{kind} `{}`", self.name())
    }
}

/// A route with where it stands.
#[derive(Clone, Copy)]
pub(super) struct RouteAt<'a> {
    pub(super) owner: OwnerAt<'a>,
    pub(super) index: usize,
    pub(super) route: &'a RouteDocument,
}

impl RouteAt<'_> {
    /// The place of one of its keys; `key` begins with a slash.
    pub(super) fn place(&self, key: &str) -> Place {
        self.owner.place(&format!("/routes/{}{key}", self.index))
    }

    /// How a message names it.
    pub(super) fn words(&self) -> String {
        format!("route `{}` of {}", self.route.name, self.owner.words())
    }

    /// A refusal at one of its keys.
    pub(super) fn refuse(
        &self,
        code: Code,
        key: &str,
        what: impl std::fmt::Display,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(code, format!("{} {what}", self.words())).at(self.place(key), "").help(help)
    }
}
