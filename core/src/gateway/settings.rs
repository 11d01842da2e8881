//! What a site says of its gateway.

use super::codes;
use crate::catalogue::{BackendPods, CatalogueDocument, MeshDocument};
use crate::diagnostic::{Diagnostic, Findings, Report};
use crate::document::Document;
use crate::name::{DnsLabel, HostName, Namespace, Network};
use crate::policy::{GatewayPolicy, GatewayProtocol, PolicyDocument};

/// The gateway of a site: what its catalogue and its policy say of it, judged together.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// What holds on every site.
    pub mesh: MeshDocument,
    /// What this site states.
    pub policy: GatewayPolicy,
    /// What the edge speaks to it.
    pub protocol: GatewayProtocol,
    /// Whose requests management routes take: the edge host's own and those of the management networks.
    pub management: Vec<Network>,
}

impl GatewaySettings {
    /// From the documents of a site.
    ///
    /// # Errors
    /// `gateway/not-stated` if one of them says nothing of a gateway, and every other fault of the gateway, as [`super::judge`] finds
    /// them.
    pub fn of(
        catalogue: &Document<CatalogueDocument>,
        policy: &Document<PolicyDocument>,
    ) -> Result<(Self, Report), Report> {
        let mut findings = Findings::new();
        let settings = Self::stated(catalogue, policy).map_err(|missing| findings.push(missing)).ok();
        super::judge(catalogue, policy, &mut findings);
        let (settings, report) = findings.conclude(settings)?;
        // What is not stated was refused.
        settings.map(|settings| (settings, report.clone())).ok_or(report)
    }

    fn stated(catalogue: &Document<CatalogueDocument>, policy: &Document<PolicyDocument>) -> Result<Self, Diagnostic> {
        let not_stated = |words: &str, place, help: &str| {
            Diagnostic::error(codes::NOT_STATED, words).at(place, "").help(help.to_owned())
        };
        let environment = &policy.value.environment;
        let Some(edge) = &policy.value.edge else {
            return Err(not_stated(
                &format!("environment `{environment}` has no edge, and nothing for a gateway to serve"),
                policy.place("/environment"),
                "add an `edge` block, or choose another environment",
            ));
        };
        let Some(gateway) = &policy.value.gateway else {
            return Err(not_stated(
                &format!("environment `{environment}` states no gateway"),
                policy.place("/environment"),
                "add a `gateway` block with `node_port` and `edges`",
            ));
        };
        let Some(mesh) = &catalogue.value.mesh else {
            return Err(not_stated(
                "the catalogue does not say where its gateway runs",
                catalogue.place("/gateways"),
                "add a `mesh` block",
            ));
        };
        Ok(Self {
            mesh: mesh.clone(),
            policy: gateway.clone(),
            protocol: edge.gateway.protocol,
            // The edge host itself is a client of its own nginx.
            management: Network::LOOPBACK.into_iter().chain(edge.management_networks.iter().copied()).collect(),
        })
    }

    /// The pods behind a Service, if they are stated.
    pub fn pods(&self, namespace: &Namespace, service: &DnsLabel) -> Option<&BackendPods> {
        self.mesh.backends.get(namespace)?.get(service)
    }

    /// Adds the pods behind a Service that the catalogue does not know: a laboratory's.
    pub fn add_pods(&mut self, namespace: Namespace, service: DnsLabel, pods: BackendPods) {
        self.mesh.backends.entry(namespace).or_default().insert(service, pods);
    }

    /// Whether somebody keeps everyone else away from the gateway.
    pub fn is_guarded(&self) -> bool {
        !self.policy.edges.is_empty()
    }
}

/// The full name of a Service.
pub(super) fn service_host(service: &DnsLabel, namespace: &Namespace, domain: &HostName) -> String {
    format!("{service}.{namespace}.svc.{domain}")
}
