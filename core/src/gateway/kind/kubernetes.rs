//! Kubernetes's own kinds.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::object::{LabelSelector, Map, Spec, Text};
use crate::name::Network;

/// Who may connect to pods, and where pods may connect to.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkPolicySpec<'a> {
    /// The pods.
    pub pod_selector: LabelSelector<'a>,
    /// The directions that it is about: in those, whatever no policy allows is denied.
    pub policy_types: [Direction; 1],
    /// Who may connect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ingress: Vec<IngressRule<'a>>,
    /// Where they may connect to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub egress: Vec<EgressRule<'a>>,
}

impl Spec for NetworkPolicySpec<'_> {
    const API_VERSION: &'static str = "networking.k8s.io/v1";
    const KIND: &'static str = "NetworkPolicy";
}

/// A direction.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub enum Direction {
    /// Towards the pods.
    Ingress,
    /// From the pods.
    Egress,
}

/// Connections to the pods that are allowed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct IngressRule<'a> {
    /// From one of these.
    pub from: Vec<Peer<'a>>,
    /// To one of these ports of theirs.
    pub ports: Vec<NetworkPolicyPort>,
}

/// Connections from the pods that are allowed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct EgressRule<'a> {
    /// To one of these.
    pub to: Vec<Peer<'a>>,
    /// And one of these ports of theirs.
    pub ports: Vec<NetworkPolicyPort>,
}

/// The other end.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", untagged)]
pub enum Peer<'a> {
    /// Addresses.
    #[serde(rename_all = "camelCase")]
    Addresses {
        /// Their network.
        ip_block: IpBlock,
    },
    /// Pods.
    #[serde(rename_all = "camelCase")]
    Pods {
        /// Their namespace.
        namespace_selector: LabelSelector<'a>,
        /// Which of its pods.
        pod_selector: LabelSelector<'a>,
    },
}

/// A network.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct IpBlock {
    /// The network.
    pub cidr: Network,
}

/// A port of pods.
#[derive(Clone, Copy, Debug, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
pub struct NetworkPolicyPort {
    /// `TCP` or `UDP`.
    #[schemars(extend("enum" = ["TCP", "UDP"]))]
    pub protocol: &'static str,
    /// Its number: the one that the pods listen on, not that of their Service.
    pub port: u16,
}

/// A Service.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceSpec<'a> {
    /// `NodePort`.
    #[serde(rename = "type")]
    #[schemars(extend("const" = "NodePort"))]
    pub type_name: &'static str,
    /// `Local`: a node hands connections to its own pods alone, and keeps the client's address.
    #[schemars(extend("const" = "Local"))]
    pub external_traffic_policy: &'static str,
    /// The pods behind it.
    pub selector: Arc<Map<'a>>,
    /// Its ports.
    pub ports: Vec<ServicePort>,
}

impl Spec for ServiceSpec<'_> {
    const API_VERSION: &'static str = "v1";
    const KIND: &'static str = "Service";
}

/// A port of a Service.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePort {
    /// What it is called.
    pub name: &'static str,
    /// `TCP`.
    #[schemars(extend("enum" = ["TCP", "UDP"]))]
    pub protocol: &'static str,
    /// Its number.
    pub port: u16,
    /// The port that the pods listen on.
    pub target_port: u16,
    /// The port of every node.
    pub node_port: u16,
}

/// What a `ConfigMap` holds.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ConfigMapData<'a>(pub Map<'a>);

impl Spec for ConfigMapData<'_> {
    const API_VERSION: &'static str = "v1";
    const KIND: &'static str = "ConfigMap";
    const KEY: &'static str = "data";
}

/// What a Secret holds: texts that are public here, and stand in a Secret because Istio reads them from there alone.
#[derive(Clone, Debug, PartialEq)]
pub struct SecretData<'a>(pub Vec<(Text<'a>, Text<'a>)>);

impl JsonSchema for SecretData<'_> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Base64".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "additionalProperties": { "type": "string", "contentEncoding": "base64" } })
    }
}

impl Serialize for SecretData<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, openssl::base64::encode_block(value.as_bytes()))))
    }
}

impl Spec for SecretData<'_> {
    const API_VERSION: &'static str = "v1";
    const KIND: &'static str = "Secret";
    const KEY: &'static str = "data";
}
