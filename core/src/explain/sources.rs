//! Where the routes and hosts of a site stand in its documents.

use std::collections::HashMap;

use crate::catalogue::{Backend, CatalogueDocument, ExtensionDocument};
use crate::diagnostic::{Label, Place};
use crate::document::Document;
use crate::name::DnsLabel;
use crate::policy::{Environment, PolicyDocument};

/// The documents, with an index from what was made of them back to what they say.
pub(super) struct Sources {
    catalogue: Document<CatalogueDocument>,
    policy: Document<PolicyDocument>,
    laboratories: Vec<Document<ExtensionDocument>>,
    /// Who states a route and its number there, by the route's id.
    routes: HashMap<DnsLabel, (Stated, usize)>,
    /// Who states the routes of a host name.
    hosts: HashMap<Box<str>, Stated>,
    /// Where a host name is bound, by itself.
    origins: HashMap<Box<str>, String>,
}

/// Who states routes: a service of the catalogue or a laboratory, by its number.
#[derive(Clone, Copy)]
enum Stated {
    Service(usize),
    Laboratory(usize),
}

impl Sources {
    pub(super) fn new(
        catalogue: Document<CatalogueDocument>,
        policy: Document<PolicyDocument>,
        laboratories: Vec<Document<ExtensionDocument>>,
    ) -> Self {
        let mut sources = Self {
            routes: HashMap::new(),
            hosts: HashMap::new(),
            origins: HashMap::new(),
            catalogue,
            policy,
            laboratories,
        };
        let selection = sources.policy.selection();
        let bound: HashMap<_, _> = selection.bound().iter().map(|bound| (bound.service, bound)).collect();
        for (at, service) in sources.catalogue.value.services.iter().enumerate() {
            let Some(bound) = bound.get(&service.name) else { continue };
            let host: &str = bound.origin.host().as_str();
            sources.hosts.insert(host.into(), Stated::Service(at));
            sources.origins.insert(host.into(), format!("{}/{}", bound.list.pointer(), service.name));
            for (index, route) in service.routes.iter().enumerate() {
                if let Ok(id) = format!("{}-{}", service.name, route.name).parse() {
                    sources.routes.insert(id, (Stated::Service(at), index));
                }
            }
        }
        for (at, laboratory) in sources.laboratories.iter().enumerate() {
            for (index, route) in laboratory.value.routes.iter().enumerate() {
                sources.hosts.insert(route.host.as_str().into(), Stated::Laboratory(at));
                if let Ok(id) = format!("{}-{}", laboratory.value.name, route.name).parse() {
                    sources.routes.insert(id, (Stated::Laboratory(at), index));
                }
            }
        }
        sources
    }

    /// The place of a key of what states routes; the pointer begins below that.
    fn stated(&self, stated: Stated, key: &str) -> Option<Place> {
        match stated {
            Stated::Service(at) => {
                let pointer = format!("/services/{at}{key}");
                Some(self.catalogue.place(&pointer).with_key(&pointer))
            }
            Stated::Laboratory(at) => self.laboratories.get(at).map(|document| document.place(key).with_key(key)),
        }
    }

    /// A key of a route; `key` begins with a slash.
    pub(super) fn route(&self, id: &DnsLabel, key: &str, text: &str) -> Vec<Label> {
        let place = self.routes.get(id).and_then(|(stated, at)| self.stated(*stated, &format!("/routes/{at}{key}")));
        labels(place, text)
    }

    /// A key of the service or laboratory whose routes a host name has.
    pub(super) fn host(&self, name: &str, key: &str, text: &str) -> Vec<Label> {
        labels(self.hosts.get(name).and_then(|stated| self.stated(*stated, key)), text)
    }

    /// The origin of a host name.
    pub(super) fn origin(&self, name: &str, text: &str) -> Vec<Label> {
        labels(self.origins.get(name).map(|pointer| self.policy.place(pointer).with_key(pointer)), text)
    }

    /// A key of the catalogue.
    pub(super) fn catalogue(&self, pointer: &str, text: &str) -> Vec<Label> {
        labels(Some(self.catalogue.key_place(pointer).with_key(pointer)), text)
    }

    /// A key of what the catalogue says of the mesh; the pointer begins below that.
    pub(super) fn mesh(&self, pointer: &str, text: &str) -> Vec<Label> {
        self.catalogue(&format!("/mesh{pointer}"), text)
    }

    /// Where a backend was reviewed; `None` if that is nobody's, and then a laboratory's own.
    pub(super) fn reviewed(&self, backend: &Backend, text: &str) -> Option<Vec<Label>> {
        let services = self.catalogue.value.backends.get(&backend.namespace)?;
        services
            .0
            .contains_key(&backend.service)
            .then(|| self.catalogue(&format!("/backends/{}/{}", backend.namespace, backend.service), text))
    }

    /// Where the pods behind a backend's Service are stated; empty for those that nobody states.
    pub(super) fn pods(&self, backend: &Backend, key: &str, text: &str) -> Vec<Label> {
        let stated = self.catalogue.value.mesh.as_ref().and_then(|mesh| mesh.backends.get(&backend.namespace));
        if stated.is_none_or(|services| !services.contains_key(&backend.service)) {
            return Vec::new();
        }
        self.mesh(&format!("/backends/{}/{}{key}", backend.namespace, backend.service), text)
    }

    /// A key of the policy.
    pub(super) fn policy(&self, pointer: &str, text: &str) -> Vec<Label> {
        labels(Some(self.policy.key_place(pointer).with_key(pointer)), text)
    }
}

fn labels(place: Option<Place>, text: &str) -> Vec<Label> {
    place.map(|place| Label { place, text: text.to_owned() }).into_iter().collect()
}
