//! The `gateway` block: what a site states about the gateway of its mesh. It is no part of the edge environment.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalogue::PodSet;
use crate::name::{CertificateFingerprint, DnsLabel, Network, Port};

/// What of a site the gateway's objects are rendered from.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GatewayPolicy {
    /// The port of every node, 30 000-32 767, that leads to the gateway: where `edge.gateway.upstreams` lead.
    pub node_port: Port,
    /// The addresses that the edges' connections come from, as the gateway's pods see them. Without any, and without `callers`,
    /// the gateway is open to the whole cluster, and no management route may stand behind it.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub edges: Vec<Network>,
    /// The pods that reach the gateway without an edge. Management routes are closed to them.
    #[serde(default)]
    pub callers: Vec<PodSet>,
    /// With `edge.gateway.protocol: https`: the Secret of the gateway's own certificate, in its namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<DnsLabel>,
    /// By trust reference, the certificates of those backends that are recognised by fingerprint: the present one, and while it is
    /// renewed the next.
    #[serde(default)]
    pub fingerprints: BTreeMap<DnsLabel, Vec<CertificateFingerprint>>,
}
