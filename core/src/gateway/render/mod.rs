//! From judged routes and settings to objects.

mod access;
mod authorization;
mod backend;
mod host;
mod pods;

use std::sync::Arc;

use super::kind::{LabelSelector, Map, Metadata, Object, Routes, Text};
use super::{GatewaySettings, MeshConfig, Objects, codes};
use crate::catalogue::{Access, BackendProtocol, Owner, Route, RouteTable};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

use backend::Backends;

/// The objects of a gateway that serves these routes, and what was only warned about.
///
/// # Errors
/// What the routes of a table may still have that no object can say: `gateway/backend-pods`, `gateway/unpublished-trust`,
/// `gateway/fingerprint-missing`, `gateway/backend-disagreement`, `gateway/management-unprotected`, `gateway/object-size` and
/// `gateway/name-taken`. Of the routes of a catalogue, [`super::judge`] says the same with their places.
pub fn render<'a>(table: &'a RouteTable, settings: &'a GatewaySettings) -> Result<(Objects<'a>, Report), Report> {
    render_placed(table, settings, &|route| Place::named(route.id.as_str()))
}

/// The same; `place` is where a route is stated.
///
/// # Errors
/// As [`render`].
pub fn render_placed<'a>(
    table: &'a RouteTable,
    settings: &'a GatewaySettings,
    place: &dyn Fn(&Route) -> Place,
) -> Result<(Objects<'a>, Report), Report> {
    let mut findings = Findings::new();
    judge(table, settings, place, &mut findings);
    let site = Site::of(settings);
    let backends = Backends::of(table, settings, place, &mut findings);
    let mut objects = Objects {
        mesh_config: MeshConfig::of(settings),
        config_maps: Vec::new(),
        secrets: Vec::new(),
        services: vec![access::service(&site)],
        authorization_policies: table.hosts().iter().flat_map(|host| authorization::policies(host, &site)).collect(),
        destination_rules: Vec::new(),
        envoy_filters: Vec::new(),
        gateways: host::gateways(table, &site),
        virtual_services: table.hosts().iter().map(|host| host::virtual_service(host, &backends, &site)).collect(),
        network_policies: access::policies(&site),
    };
    for backend in backends.iter() {
        objects.destination_rules.extend(backend::destination_rule(backend, &site));
        objects.envoy_filters.extend(backend::envoy_filter(backend, &site));
        objects.network_policies.extend(pods::policies(backend, &site));
    }
    findings.conclude(objects)
}

/// What every object of a site needs.
struct Site<'a> {
    settings: &'a GatewaySettings,
    /// The labels of the gateway's pods.
    pods: Arc<Map<'a>>,
    /// The networks whose requests management routes take.
    management: Arc<[Text<'a>]>,
    /// The networks that the edges' connections come from.
    edges: Arc<[Text<'a>]>,
}

impl<'a> Site<'a> {
    fn of(settings: &'a GatewaySettings) -> Self {
        let texts = |networks: &[crate::name::Network]| networks.iter().map(|net| net.to_string().into()).collect();
        Self {
            settings,
            pods: Arc::new(Map::from(&settings.mesh.pods)),
            management: texts(&settings.management),
            edges: texts(&settings.policy.edges),
        }
    }

    /// The gateway's pods.
    fn pod_selector(&self) -> LabelSelector<'a> {
        LabelSelector { match_labels: Arc::clone(&self.pods) }
    }

    /// An object in the gateway's namespace.
    fn object<S>(
        &self,
        name: impl Into<Text<'a>>,
        routes: Routes<'a>,
        label: Option<&'a Route>,
        spec: S,
    ) -> Object<'a, S> {
        self.object_in(self.settings.mesh.namespace.as_str(), name, routes, label, spec)
    }

    /// An object. Those of catalogue routes are marked, those of laboratories never: whoever looks for the mark finds what the
    /// catalogue owns.
    fn object_in<S>(
        &self,
        namespace: &'a str,
        name: impl Into<Text<'a>>,
        routes: Routes<'a>,
        label: Option<&'a Route>,
        spec: S,
    ) -> Object<'a, S> {
        let labels = match label {
            Some(Route { id, owner: Owner::Service(_), .. }) => {
                Map::of(self.settings.mesh.route_label.as_str(), id.as_str())
            }
            _ => Map::default(),
        };
        Object { metadata: Metadata { name: name.into(), namespace: namespace.into(), labels }, spec, routes }
    }
}

/// Bytes that a route takes in its virtual service at most, besides its path (twice) and its two names.
const ROUTE_BYTES: usize = 600;
/// The largest object that etcd takes is 1.5 MiB; a third of it is left to what the API server adds.
const OBJECT_BYTES: usize = 1 << 20;

fn judge(table: &RouteTable, settings: &GatewaySettings, place: &dyn Fn(&Route) -> Place, findings: &mut Findings) {
    let gateway = &settings.mesh.gateway;
    for host in table.hosts() {
        let bytes: usize = host.routes.iter().map(|route| ROUTE_BYTES + 2 * route.path.path().as_str().len()).sum();
        if bytes > OBJECT_BYTES {
            findings.push(
                Diagnostic::error(
                    codes::OBJECT_SIZE,
                    format!(
                        "the {} routes of host `{}` do not fit into one object",
                        host.routes.len(),
                        host.origin.host()
                    ),
                )
                .at(host.routes.last().map_or_else(|| Place::named(host.origin.host().as_str()), place), "one of them")
                .help("divide them among several hosts, or join routes that lead to the same backend"),
            );
        }
    }
    for (_, route) in table.routes() {
        if route.id.as_str() == gateway.as_str() {
            findings.push(
                Diagnostic::error(
                    codes::NAME_TAKEN,
                    format!("route `{}` of `{}` and the gateway have one name", route.name, route.owner.name()),
                )
                .at(place(route), "")
                .help("rename the route or the gateway: both name objects of one namespace"),
            );
        }
        if let BackendProtocol::Https { trust, .. } = &route.backend.protocol
            && settings.policy.certificate.as_ref() == Some(trust)
            && !settings.mesh.trust.contains_key(trust)
        {
            findings.push(
                Diagnostic::error(
                    codes::PUBLISHED_TWICE,
                    format!(
                        "route `{}` of `{}` is verified with bundle `{trust}`, the Secret of the gateway's own certificate",
                        route.name,
                        route.owner.name()
                    ),
                )
                .at(place(route), "")
                .help("rename the bundle or the gateway's Secret: one would take the place of the other"),
            );
        }
        if route.access == Access::Management && !settings.is_guarded() {
            findings.push(unprotected(route).at(place(route), ""));
        }
    }
}

/// The refusal of a management route behind a gateway that does not know its edges.
pub(super) fn unprotected(route: &Route) -> Diagnostic {
    Diagnostic::error(
        codes::MANAGEMENT_UNPROTECTED,
        format!("management route `{}` stands behind a gateway that is not told its edges", route.id),
    )
    .help("state `gateway.edges`: whoever else reaches the gateway could name any client address")
}
