//! Where the routes and hosts of a site stand in its documents.

use std::collections::HashMap;

use crate::catalogue::CatalogueDocument;
use crate::diagnostic::{Label, Place};
use crate::document::Document;
use crate::name::DnsLabel;
use crate::policy::{Environment, PolicyDocument};

/// The documents, with an index from what was made of them back to what they say.
pub(super) struct Sources {
    catalogue: Document<CatalogueDocument>,
    policy: Document<PolicyDocument>,
    /// The service and the route in it, by the route's id.
    routes: HashMap<DnsLabel, (usize, usize)>,
    /// The service, by its host name.
    hosts: HashMap<Box<str>, usize>,
    /// Where a host name is bound, by itself.
    origins: HashMap<Box<str>, String>,
}

impl Sources {
    pub(super) fn new(catalogue: Document<CatalogueDocument>, policy: Document<PolicyDocument>) -> Self {
        let mut sources =
            Self { routes: HashMap::new(), hosts: HashMap::new(), origins: HashMap::new(), catalogue, policy };
        let selection = sources.policy.selection();
        let bound: HashMap<_, _> = selection.bound().iter().map(|bound| (bound.service, bound)).collect();
        for (at, service) in sources.catalogue.value.services.iter().enumerate() {
            let Some(bound) = bound.get(&service.name) else { continue };
            let host: &str = bound.origin.host().as_str();
            sources.hosts.insert(host.into(), at);
            sources.origins.insert(host.into(), format!("{}/{}", bound.list.pointer(), service.name));
            for (index, route) in service.routes.iter().enumerate() {
                if let Ok(id) = format!("{}-{}", service.name, route.name).parse() {
                    sources.routes.insert(id, (at, index));
                }
            }
        }
        sources
    }

    /// A key of a route; `key` begins with a slash.
    pub(super) fn route(&self, id: &DnsLabel, key: &str, text: &str) -> Vec<Label> {
        let place = self.routes.get(id).map(|(service, route)| {
            let pointer = format!("/services/{service}/routes/{route}{key}");
            self.catalogue.place(&pointer).with_key(&pointer)
        });
        labels(place, text)
    }

    /// A key of the service that is bound to a host name.
    pub(super) fn host(&self, name: &str, key: &str, text: &str) -> Vec<Label> {
        let place = self.hosts.get(name).map(|service| {
            let pointer = format!("/services/{service}{key}");
            self.catalogue.place(&pointer).with_key(&pointer)
        });
        labels(place, text)
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

    /// A key of the policy.
    pub(super) fn policy(&self, pointer: &str, text: &str) -> Vec<Label> {
        labels(Some(self.policy.key_place(pointer).with_key(pointer)), text)
    }
}

fn labels(place: Option<Place>, text: &str) -> Vec<Label> {
    place.map(|place| Label { place, text: text.to_owned() }).into_iter().collect()
}
