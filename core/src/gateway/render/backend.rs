//! Backends: every Service that routes lead to, once, and how the gateway speaks to it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Site;
use crate::catalogue::{Backend, BackendProtocol, Owner, PublishedTrust, RecognisedBy, Route, RouteTable, Transport};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::gateway::kind::{
    ClientTls, ClusterMatch, CombinedValidation, CommonTls, ConfigPatch, ConnectionPool, DestinationRuleSpec,
    EnvoyFilterSpec, HttpPool, Object, Patch, PatchMatch, PatchedCluster, PortSelector, PortTrafficPolicy, Routes,
    Text, TlsContext, TrafficPolicy, TransportSocket, ValidationContext, WorkloadSelector,
};
use crate::gateway::{GatewaySettings, codes, service_host};
use crate::name::{DnsLabel, HostName, KubernetesService, Namespace, Port};

/// A Service, with the routes that lead to it.
pub(super) struct Reached<'a> {
    pub(super) namespace: &'a Namespace,
    pub(super) service: &'a KubernetesService,
    /// Its full name.
    pub(super) host: Arc<str>,
    /// Its ports, each with the first route that leads there.
    pub(super) ports: BTreeMap<Port, &'a Route>,
    pub(super) routes: Vec<&'a Route>,
}

impl<'a> Reached<'a> {
    /// The route whose name its objects have: the first of all names.
    pub(super) fn representative(&self) -> Option<&'a Route> {
        self.routes.iter().copied().min_by(|a, b| a.id.cmp(&b.id))
    }
}

/// All of them.
pub(super) struct Backends<'a> {
    list: Vec<Reached<'a>>,
    index: HashMap<(&'a Namespace, &'a KubernetesService), usize>,
}

impl<'a> Backends<'a> {
    pub(super) fn of(
        table: &'a RouteTable,
        settings: &'a GatewaySettings,
        place: &dyn Fn(&Route) -> Place,
        findings: &mut Findings,
    ) -> Self {
        let mut all = Self { list: Vec::new(), index: HashMap::new() };
        for (_, route) in table.routes() {
            let backend = &route.backend;
            let index = *all.index.entry((&backend.namespace, &backend.service)).or_insert_with(|| {
                let host = service_host(&backend.service, &backend.namespace, &settings.mesh.cluster_domain);
                all.list.push(Reached {
                    namespace: &backend.namespace,
                    service: &backend.service,
                    host: host.into(),
                    ports: BTreeMap::new(),
                    routes: Vec::new(),
                });
                all.list.len() - 1
            });
            let Some(reached) = all.list.get_mut(index) else { continue };
            reached.routes.push(route);
            let first = *reached.ports.entry(backend.port).or_insert(route);
            if !agree(first, route) {
                findings.push(disagreement(first, route).at(place(route), "").at(place(first), "the other way"));
            }
        }
        all
    }

    /// One by one, by namespace and Service.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Reached<'a>> {
        let mut sorted: Vec<&Reached<'a>> = self.list.iter().collect();
        sorted.sort_by_key(|reached| (reached.namespace, reached.service));
        sorted.into_iter()
    }

    /// The full name of a backend's Service.
    pub(super) fn host(&self, backend: &Backend) -> Arc<str> {
        let found = self.index.get(&(&backend.namespace, &backend.service)).and_then(|index| self.list.get(*index));
        // Every route of the table was counted.
        found.map_or_else(|| Arc::from(""), |reached| Arc::clone(&reached.host))
    }
}

/// Whether one rule can hold for both: the same protocol, name and trust, and the same HTTP.
pub(in crate::gateway) fn agree(one: &Route, other: &Route) -> bool {
    one.backend.protocol == other.backend.protocol && one.transport == other.transport
}

/// The refusal of two routes that cannot share a backend.
pub(in crate::gateway) fn disagreement(first: &Route, route: &Route) -> Diagnostic {
    let Backend { service, namespace, port, .. } = &route.backend;
    Diagnostic::error(
        codes::BACKEND_DISAGREEMENT,
        format!("routes `{}` and `{}` speak to port {port} of `{service}.{namespace}` in two ways", first.id, route.id),
    )
    .help("give both the same `transport`, `protocol`, `sni` and `trust`: the gateway has one way for each port of a Service")
}

/// How the gateway speaks to a backend, where that is not plain HTTP/1.1.
pub(super) fn destination_rule<'a>(
    reached: &Reached<'a>,
    site: &Site<'a>,
) -> Option<Object<'a, DestinationRuleSpec<'a>>> {
    let ports: Vec<PortTrafficPolicy<'a>> =
        reached.ports.iter().filter_map(|(port, route)| port_policy(*port, route, site.settings)).collect();
    if ports.is_empty() {
        return None;
    }
    let label = reached.representative()?;
    let spec = DestinationRuleSpec {
        host: Arc::clone(&reached.host),
        export_to: ["."],
        traffic_policy: TrafficPolicy { port_level_settings: ports },
    };
    Some(site.object(label.id.as_str(), Routes::List(reached.routes.clone()), Some(label), spec))
}

fn port_policy<'a>(port: Port, route: &'a Route, settings: &'a GatewaySettings) -> Option<PortTrafficPolicy<'a>> {
    let http2 = ConnectionPool { http: HttpPool { h2_upgrade_policy: "UPGRADE" } };
    let connection_pool = (route.transport == Transport::Grpc).then_some(http2);
    let tls = match &route.backend.protocol {
        BackendProtocol::Https { sni, trust } => Some(client_tls(sni, trust, settings)),
        BackendProtocol::Http | BackendProtocol::Grpc => None,
    };
    (connection_pool.is_some() || tls.is_some()).then_some(PortTrafficPolicy {
        port: PortSelector { number: port.get() },
        connection_pool,
        tls,
    })
}

fn client_tls<'a>(sni: &'a HostName, trust: &'a DnsLabel, settings: &'a GatewaySettings) -> ClientTls<'a> {
    let published = settings.mesh.trust.get(trust);
    let by_name = published.is_none_or(|published| published.recognised_by == RecognisedBy::Name);
    ClientTls {
        mode: "SIMPLE",
        credential_name: published.map_or(trust, |published| &published.published).as_str().into(),
        sni: sni.as_str().into(),
        subject_alt_names: by_name.then(|| sni.as_str().into()).into_iter().collect(),
    }
}

/// How a backend is recognised whose certificate has no name: by CA and fingerprint, both. The rule above has Istio verify the CA; this
/// adds the fingerprint to the very cluster of the backend's port, and to no other.
pub(super) fn envoy_filter<'a>(reached: &Reached<'a>, site: &Site<'a>) -> Option<Object<'a, EnvoyFilterSpec<'a>>> {
    let patches: Vec<ConfigPatch<'a>> = reached
        .ports
        .iter()
        .filter_map(|(port, route)| Some((*port, fingerprints(route, site.settings)?)))
        .map(|(port, hashes)| patch(&format!("outbound|{port}||{}", reached.host), hashes))
        .collect();
    if patches.is_empty() {
        return None;
    }
    let label = reached.representative()?;
    let spec = EnvoyFilterSpec {
        workload_selector: WorkloadSelector { labels: Arc::clone(&site.pods) },
        config_patches: patches,
    };
    Some(site.object(label.id.as_str(), Routes::List(reached.routes.clone()), Some(label), spec))
}

/// The fingerprints that a route's backend is recognised by; `None` where it is recognised by name.
fn fingerprints<'a>(route: &'a Route, settings: &'a GatewaySettings) -> Option<Vec<Text<'a>>> {
    let BackendProtocol::Https { trust, .. } = &route.backend.protocol else { return None };
    let published: &PublishedTrust = settings.mesh.trust.get(trust)?;
    if published.recognised_by == RecognisedBy::Name {
        return None;
    }
    let stated = settings.policy.fingerprints.get(trust).into_iter().flatten();
    Some(stated.map(|fingerprint| fingerprint.as_str().into()).collect())
}

fn patch<'a>(cluster: &str, hashes: Vec<Text<'a>>) -> ConfigPatch<'a> {
    let validation =
        CombinedValidation { default_validation_context: ValidationContext { verify_certificate_hash: hashes } };
    ConfigPatch {
        apply_to: "CLUSTER",
        matches: PatchMatch { context: "GATEWAY", cluster: ClusterMatch { name: cluster.to_owned() } },
        patch: Patch {
            operation: "MERGE",
            value: PatchedCluster {
                transport_socket: TransportSocket {
                    name: "envoy.transport_sockets.tls",
                    typed_config: TlsContext {
                        type_url: "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                        common_tls_context: CommonTls { combined_validation_context: validation },
                    },
                },
            },
        },
    }
}

/// Whether a route's backend is one of a laboratory, whose pods no catalogue knows.
pub(super) fn of_laboratory(reached: &Reached<'_>) -> bool {
    reached.routes.iter().any(|route| matches!(route.owner, Owner::Laboratory(_)))
}
