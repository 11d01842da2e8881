//! What of the catalogue the gateway's objects are rendered from: `mesh`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::{DnsLabel, HostName, KubernetesService, LabelKey, LabelValue, Namespace, Network, Port};

/// Labels that select pods, at least one.
pub type PodLabels = BTreeMap<LabelKey, LabelValue>;

/// The gateway's place in the cluster, and what it must know of the reviewed backends.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MeshDocument {
    /// The gateway that this is about: one of `gateways`.
    pub gateway: KubernetesService,
    /// The namespace of its pods, and of all objects that configure it.
    pub namespace: Namespace,
    /// What selects its pods there.
    #[schemars(extend("minProperties" = 1))]
    pub pods: PodLabels,
    /// Where it takes plain HTTP.
    pub http: ListenerPorts,
    /// Where it takes HTTPS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub https: Option<ListenerPorts>,
    /// The domain of the cluster's Services.
    #[serde(default = "cluster_domain")]
    pub cluster_domain: HostName,
    /// What the gateway reaches besides its backends: its control plane and the resolver.
    #[serde(default)]
    pub egress: Vec<EgressDocument>,
    /// The label that every object of a catalogue route carries, with the joined name of the route.
    pub route_label: LabelKey,
    /// How the mesh normalises request paths before it compares them.
    pub path_normalization: PathNormalization,
    /// What is known of each trust reference of HTTPS backends.
    #[serde(default)]
    pub trust: BTreeMap<DnsLabel, PublishedTrust>,
    /// The pods behind the reviewed Services, by namespace and Service.
    #[serde(default)]
    pub backends: BTreeMap<Namespace, BTreeMap<KubernetesService, BackendPods>>,
}

#[expect(clippy::expect_used, reason = "a constant that is a host name, as a test says")]
fn cluster_domain() -> HostName {
    "cluster.local".parse().expect("a host name")
}

/// The ports of a listener of the gateway.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ListenerPorts {
    /// The port of its Service.
    pub service: Port,
    /// The port that its pods listen on.
    pub pod: Port,
}

/// Pods of a namespace.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PodSet {
    /// Their namespace.
    pub namespace: Namespace,
    /// What selects them there.
    #[schemars(extend("minProperties" = 1))]
    pub labels: PodLabels,
}

/// Something that the gateway connects to.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EgressDocument {
    /// What it is.
    pub to: Destination,
    /// The ports that it listens on.
    #[schemars(length(min = 1))]
    pub ports: Vec<Port>,
    /// What is spoken below TLS and HTTP.
    #[serde(default = "tcp")]
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub protocols: Vec<IpProtocol>,
}

fn tcp() -> Vec<IpProtocol> {
    vec![IpProtocol::Tcp]
}

/// One end of a connection: pods, or a network outside the cluster.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Destination {
    /// Pods.
    Pods(PodSet),
    /// A network.
    Network(Network),
}

/// The protocol that a port belongs to.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IpProtocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

/// How the mesh normalises request paths, before it compares them with routes and policies; Istio's `pathNormalization`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PathNormalization {
    /// Not at all.
    None,
    /// `.` and `..` segments are resolved, `\` becomes `/` (RFC 3986).
    Base,
    /// That, and `//` becomes `/`.
    MergeSlashes,
    /// That, and `%2f` and `%5c` are decoded before.
    DecodeAndMergeSlashes,
}

/// A public CA bundle, as the gateway finds it.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTrust {
    /// The name of the `ConfigMap` and of the Secret in the gateway's namespace that hold it.
    pub published: DnsLabel,
    /// Where it is copied from; without it, the delivery brings it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TrustSource>,
    /// What, besides the signature of the CA, a backend's certificate is recognised by.
    #[serde(default)]
    pub recognised_by: RecognisedBy,
}

/// The `ConfigMap` that an application keeps its public CA bundle in.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrustSource {
    /// Its namespace.
    pub namespace: Namespace,
    /// Its name.
    pub config_map: DnsLabel,
}

/// What, besides the signature of the CA, a backend's certificate is recognised by.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecognisedBy {
    /// The name that is sent as SNI.
    #[default]
    Name,
    /// Its fingerprint, which the policy states: the certificate has no names.
    Fingerprint,
}

/// The pods behind a Service.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BackendPods {
    /// What selects them.
    #[schemars(extend("minProperties" = 1))]
    pub pods: PodLabels,
    /// The port that they listen on, for each port of the Service.
    #[schemars(length(min = 1))]
    pub ports: Vec<TargetPort>,
    /// Who keeps the policy that lets the gateway in.
    #[serde(default)]
    pub ingress: IngressOwner,
}

/// A port of a Service, and where it leads.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TargetPort {
    /// The port of the Service.
    pub service: Port,
    /// The port that the pods listen on.
    pub pod: Port,
}

/// Who keeps the `NetworkPolicy` that lets the gateway reach a backend's pods.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IngressOwner {
    /// We do, beside the route.
    #[default]
    Routes,
    /// The application does: a second policy of ours would be one too many.
    Application,
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_usual_domain() {
        assert_eq!(super::cluster_domain().as_str(), "cluster.local");
    }
}
