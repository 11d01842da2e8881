//! What the objects of a site's gateway are proven to say, where what they are rendered from is not refused.

use std::collections::HashMap;

use crate::catalogue::{self, CatalogueDocument, ExtensionDocument, Owner, Route};
use crate::diagnostic::{Findings, Place};
use crate::document::Document;
use crate::gateway::{self, GatewaySettings};
use crate::policy::PolicyDocument;

/// Renders the gateway of a sound site and proves what must hold of it. A site that states no gateway has nothing to prove.
pub(super) fn judge(
    catalogue: &Document<CatalogueDocument>,
    policy: &Document<PolicyDocument>,
    laboratories: &[Document<ExtensionDocument>],
    findings: &mut Findings,
) {
    if catalogue.value.mesh.is_none() || policy.value.gateway.is_none() || policy.value.edge.is_none() {
        return;
    }
    // What is refused of any of them, or only warned about, was said before. Of a laboratory that is refused the site's own routes are
    // no worse.
    let alone = || catalogue::resolve(catalogue, policy);
    let Ok((table, _)) = catalogue::resolve_with(catalogue, policy, laboratories).or_else(|_| alone()) else { return };
    let Ok((settings, _)) = GatewaySettings::of(catalogue, policy) else { return };
    let places = Places::of(catalogue, laboratories);
    match gateway::render_placed(&table, &settings, &|route| places.of_route(route)) {
        Ok((objects, report)) => {
            findings.extend(report);
            gateway::prove(&table, &objects, &settings, &|route| places.of_route(route), findings);
        }
        Err(report) => findings.extend(report),
    }
}

/// Where routes are stated.
struct Places<'a> {
    catalogue: &'a Document<CatalogueDocument>,
    services: HashMap<&'a str, usize>,
    laboratories: &'a [Document<ExtensionDocument>],
}

impl<'a> Places<'a> {
    fn of(catalogue: &'a Document<CatalogueDocument>, laboratories: &'a [Document<ExtensionDocument>]) -> Self {
        let services = catalogue.value.services.iter().enumerate();
        let services = services.map(|(index, service)| (service.name.as_str(), index)).collect();
        Self { catalogue, services, laboratories }
    }

    fn of_route(&self, route: &Route) -> Place {
        let found = match &route.owner {
            Owner::Service(name) => self.in_catalogue(name.as_str(), route),
            Owner::Laboratory(name) => self.in_laboratory(name.as_str(), route),
        };
        found.unwrap_or_else(|| Place::named(route.id.as_str()))
    }

    fn in_catalogue(&self, service: &str, route: &Route) -> Option<Place> {
        let service = *self.services.get(service)?;
        let routes = &self.catalogue.value.services.get(service)?.routes;
        let index = routes.iter().position(|stated| stated.name == route.name)?;
        Some(self.catalogue.place(&format!("/services/{service}/routes/{index}/name")))
    }

    fn in_laboratory(&self, laboratory: &str, route: &Route) -> Option<Place> {
        let document = self.laboratories.iter().find(|document| document.value.name.as_str() == laboratory)?;
        let index = document.value.routes.iter().position(|stated| stated.name == route.name)?;
        Some(document.place(&format!("/routes/{index}/name")))
    }
}
