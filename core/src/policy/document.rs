//! The policy as it is written: `environments/<ENV>/policy.yaml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Gateway, GatewayPolicy, Hsts, Mode, SmtpPolicy};
use crate::name::{DnsLabel, EnvironmentName, Network, Origin, RepositoryUrl, ServiceName};

/// What one environment, which is one cluster, selects and pins.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyDocument {
    /// 1.
    pub version: u32,
    /// The environment: the name of the folder that this document lies in.
    pub environment: EnvironmentName,
    /// The kind of site.
    pub mode: Mode,
    /// What the cluster is built from.
    pub foundation: Foundation,
    /// The optional parts of the catalogue that are selected.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub profiles: Vec<DnsLabel>,
    /// Who vouches for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// The public edge. An environment without one is its foundation alone: no service is bound and none is missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<EdgePolicy>,
    /// The gateway of the mesh, behind the edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway: Option<GatewayPolicy>,
    /// Outbound mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smtp: Option<SmtpPolicy>,
    /// Where Argo CD reads the site from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argo: Option<ArgoSource>,
}

/// The pinned cluster: a change of these is an operation of its own, never a side effect.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Foundation {
    /// The release of Kubernetes, as the API server and every kubelet must report it, without the `v`.
    #[schemars(regex(pattern = r"^[0-9]+\.[0-9]+\.[0-9]+$"), extend("examples" = ["1.33.5"]))]
    pub kubernetes: String,
    /// The network plugin.
    pub cni: Cni,
}

/// A pinned network plugin.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cni {
    /// Its name, as Kubespray spells it.
    pub name: DnsLabel,
    /// Its release, without the `v`.
    #[schemars(regex(pattern = r"^[0-9]+\.[0-9]+\.[0-9]+$"), extend("examples" = ["3.30.3"]))]
    pub version: String,
}

/// Who vouches for people.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The origin of the AAI issuer. Its path, clients and CA are in the private AAI file.
    pub issuer: Origin,
}

/// The public edge of a site.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgePolicy {
    /// The origin of each application.
    #[schemars(extend("minProperties" = 1))]
    pub origins: BTreeMap<ServiceName, Origin>,
    /// The origin of each service whose name is sourced from elsewhere and stays when the applications move to another
    /// domain.
    #[serde(default)]
    pub bindings: BTreeMap<ServiceName, Origin>,
    /// Who may use management routes, beside the edge host itself (`127.0.0.0/8` and `::1`).
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub management_networks: Vec<Network>,
    /// The gateway that all routes lead to.
    pub gateway: Gateway,
    /// Strict transport security; none is sent without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hsts: Option<Hsts>,
}

/// Where Argo CD reads the site from. The revision is not a policy: each delivery names its own commit.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArgoSource {
    /// The repository.
    pub repository: RepositoryUrl,
    /// The folder of the root in it, without a slash at either end.
    #[schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$"), extend("examples" = ["gitops/root"]))]
    pub path: String,
}
