//! Which route takes a request: Istio's `Gateway` and `VirtualService` as Envoy's route table carries them out.

use std::collections::HashMap;

use crate::catalogue::{Backend, Route, Transport};
use crate::gateway::kind::{GatewaySpec, Object, StringMatch, VirtualServiceSpec};
use crate::name::DnsLabel;

enum Match {
    Exact(Box<str>),
    Prefix(Box<str>),
}

impl Match {
    fn of(uri: &StringMatch<'_>) -> Self {
        match uri {
            StringMatch::Exact(text) => Self::Exact(text.as_ref().into()),
            StringMatch::Prefix(text) => Self::Prefix(text.as_ref().into()),
        }
    }

    fn takes(&self, path: &[u8]) -> bool {
        match self {
            Self::Exact(text) => path == text.as_bytes(),
            Self::Prefix(text) => path.starts_with(text.as_bytes()),
        }
    }
}

/// A route of a virtual service.
pub(in crate::explain) struct Entry {
    /// `namespace/name` of the virtual service.
    pub(in crate::explain) object: Box<str>,
    /// The catalogue's or laboratory's route.
    pub(in crate::explain) route: DnsLabel,
    /// The Service that it leads to, by its full name and port.
    pub(in crate::explain) service: Box<str>,
    /// Its port.
    pub(in crate::explain) port: u16,
    /// What the route speaks.
    pub(in crate::explain) transport: Transport,
    /// What the route table says of it.
    pub(in crate::explain) backend: Backend,
    matches: Vec<Match>,
}

/// What becomes of a host and path.
pub(in crate::explain) enum Routed<'a> {
    /// This route takes them.
    Taken(&'a Entry),
    /// No virtual service is bound to the host.
    NoHost,
    /// None of this virtual service's routes takes the path.
    NoPath(&'a str),
}

/// The routes of each host, in the order in which they are tried.
pub(super) struct Routes(HashMap<Box<str>, (Box<str>, Vec<Entry>)>);

impl Routes {
    pub(super) fn of(
        gateways: &[Object<'_, GatewaySpec<'_>>],
        services: &[Object<'_, VirtualServiceSpec<'_>>],
    ) -> Self {
        let listeners: HashMap<&str, &Object<'_, GatewaySpec<'_>>> =
            gateways.iter().map(|gateway| (gateway.metadata.name.as_ref(), gateway)).collect();
        let mut hosts = HashMap::with_capacity(services.len());
        for service in services {
            let [host] = &service.spec.hosts;
            // A virtual service is heard where a gateway that it names listens for its host.
            let heard = |name: &crate::gateway::kind::Text<'_>| {
                listeners.get(name.as_ref()).is_some_and(|gateway| {
                    gateway.spec.servers.iter().flat_map(|server| &server.hosts).any(|listened| {
                        let listened = listened.rsplit('/').next().unwrap_or_default();
                        listened == "*" || listened == host.as_ref()
                    })
                })
            };
            if !service.spec.gateways.iter().any(heard) {
                continue;
            }
            let object = super::named(&service.metadata);
            let routes: HashMap<&str, &Route> = service.routes.iter().map(|route| (route.id.as_str(), route)).collect();
            let entries = service.spec.http.iter().filter_map(|http| {
                let route = routes.get(http.name.as_ref())?;
                let [to] = &http.route;
                Some(Entry {
                    object: object.clone(),
                    route: route.id.clone(),
                    service: to.destination.host.as_ref().into(),
                    port: to.destination.port.number,
                    transport: route.transport,
                    backend: route.backend.clone(),
                    matches: http.matches.iter().map(|one| Match::of(&one.uri)).collect(),
                })
            });
            let entries = entries.collect();
            hosts.insert(host.to_ascii_lowercase().into(), (object, entries));
        }
        Self(hosts)
    }

    /// The route of a name and path: the first that takes the path as it is, letter by letter and without its query.
    pub(super) fn route(&self, name: &str, path: &[u8]) -> Routed<'_> {
        let Some((object, entries)) = self.0.get(name) else { return Routed::NoHost };
        let taken = entries.iter().find(|entry| entry.matches.iter().any(|one| one.takes(path)));
        taken.map_or(Routed::NoPath(object), Routed::Taken)
    }
}
