//! Istio's `EnvoyFilter`, as far as it patches the TLS of a cluster.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::object::{Map, Spec, Text};

/// What is changed of the configuration that Istio gives a gateway.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyFilterSpec<'a> {
    /// The pods whose configuration it is.
    pub workload_selector: WorkloadSelector<'a>,
    /// The changes.
    pub config_patches: Vec<ConfigPatch<'a>>,
}

impl Spec for EnvoyFilterSpec<'_> {
    const API_VERSION: &'static str = "networking.istio.io/v1alpha3";
    const KIND: &'static str = "EnvoyFilter";
}

/// Pods by their labels.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct WorkloadSelector<'a> {
    /// All of them.
    pub labels: Arc<Map<'a>>,
}

/// A change.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigPatch<'a> {
    /// `CLUSTER`.
    #[schemars(extend("const" = "CLUSTER"))]
    pub apply_to: &'static str,
    /// Which.
    #[serde(rename = "match")]
    pub matches: PatchMatch,
    /// What is changed.
    pub patch: Patch<'a>,
}

/// What is changed, and where.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct PatchMatch {
    /// `GATEWAY`.
    #[schemars(extend("const" = "GATEWAY"))]
    pub context: &'static str,
    /// The cluster.
    pub cluster: ClusterMatch,
}

/// A cluster by its exact name.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ClusterMatch {
    /// `outbound|<port>||<host>`.
    pub name: String,
}

/// The change itself.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Patch<'a> {
    /// `MERGE`.
    #[schemars(extend("const" = "MERGE"))]
    pub operation: &'static str,
    /// What is merged.
    pub value: PatchValue<'a>,
}

/// What is merged.
pub type PatchValue<'a> = PatchedCluster<'a>;

/// Envoy's cluster, as far as it is changed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct PatchedCluster<'a> {
    /// How it is connected to.
    pub transport_socket: TransportSocket<'a>,
}

/// Envoy's TLS transport socket.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct TransportSocket<'a> {
    /// `envoy.transport_sockets.tls`.
    pub name: &'static str,
    /// Its configuration.
    pub typed_config: TlsContext<'a>,
}

/// Envoy's `UpstreamTlsContext`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct TlsContext<'a> {
    /// The type of this message.
    #[serde(rename = "@type")]
    pub type_url: &'static str,
    /// What both ends of a connection have.
    pub common_tls_context: CommonTls<'a>,
}

/// What both ends of a connection have.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct CommonTls<'a> {
    /// How the other end is verified: the CA bundle that Istio fetches, and what is stated here.
    pub combined_validation_context: CombinedValidation<'a>,
}

/// A validation in two parts, both of which must hold.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct CombinedValidation<'a> {
    /// What is stated here.
    pub default_validation_context: ValidationContext<'a>,
}

/// How a certificate is verified.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ValidationContext<'a> {
    /// SHA-256 of the certificates, one of which the backend presents.
    pub verify_certificate_hash: Vec<Text<'a>>,
}
