//! What a site says of its gateway.

use super::codes;
use crate::catalogue::{BackendPods, CatalogueDocument, MeshDocument};
use crate::diagnostic::{Diagnostic, Findings, Report};
use crate::document::Document;
use crate::name::{HostName, KubernetesService, Namespace, Network};
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
        // Of a gateway that is stated, the rules say what else is missing.
        if policy.value.gateway.is_none() {
            findings.push(not_stated(policy));
        }
        super::judge(catalogue, policy, &mut findings);
        let (settings, report) = findings.conclude(Self::stated(&catalogue.value, &policy.value))?;
        // What is not stated was refused.
        settings.map(|settings| (settings, report.clone())).ok_or(report)
    }

    fn stated(catalogue: &CatalogueDocument, policy: &PolicyDocument) -> Option<Self> {
        let edge = policy.edge.as_ref()?;
        Some(Self {
            mesh: catalogue.mesh.clone()?,
            policy: policy.gateway.clone()?,
            protocol: edge.gateway.protocol,
            management: crate::policy::admitted(&edge.management_networks),
        })
    }

    /// The pods behind a Service, if they are stated.
    pub fn pods(&self, namespace: &Namespace, service: &KubernetesService) -> Option<&BackendPods> {
        self.mesh.backends.get(namespace)?.get(service)
    }

    /// Adds the pods behind a Service that the catalogue does not know: a laboratory's.
    pub fn add_pods(&mut self, namespace: Namespace, service: KubernetesService, pods: BackendPods) {
        self.mesh.backends.entry(namespace).or_default().insert(service, pods);
    }

    /// Whether somebody keeps everyone else away from the gateway.
    pub fn is_guarded(&self) -> bool {
        !self.policy.edges.is_empty()
    }
}

/// The refusal of a site that states no gateway.
fn not_stated(policy: &Document<PolicyDocument>) -> Diagnostic {
    let environment = &policy.value.environment;
    let (words, help) = match policy.value.edge {
        None => (
            format!("environment `{environment}` has no edge, and nothing for a gateway to serve"),
            "add an `edge` block, or choose another environment",
        ),
        Some(_) => (
            format!("environment `{environment}` states no gateway"),
            "add a `gateway` block with `node_port` and `edges`",
        ),
    };
    Diagnostic::error(codes::NOT_STATED, words).at(policy.place("/environment"), "").help(help)
}

/// The full name of a Service.
pub(super) fn service_host(service: &KubernetesService, namespace: &Namespace, domain: &HostName) -> String {
    format!("{service}.{namespace}.svc.{domain}")
}
