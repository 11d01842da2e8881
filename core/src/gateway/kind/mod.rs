//! The kinds of object that configure a gateway: our own structs with the fields that we set, under upstream's names.
//!
//! Whatever can be borrowed from the route table and the settings is; what many objects share is behind an `Arc`. Serialised, an
//! object is its manifest.

mod envoy_filter;
mod istio;
mod kubernetes;
mod object;

pub use envoy_filter::{
    ClusterMatch, CombinedValidation, CommonTls, ConfigPatch, EnvoyFilterSpec, Patch, PatchMatch, PatchValue,
    PatchedCluster, TlsContext, TransportSocket, ValidationContext, WorkloadSelector,
};
pub use istio::{
    AuthorizationPolicySpec, AuthorizationRule, ClientTls, ConnectionPool, Destination, DestinationRuleSpec, From,
    GatewaySpec, HttpMatch, HttpPool, HttpRetry, HttpRoute, Operation, PortSelector, PortTrafficPolicy,
    RouteDestination, Seconds, Server, ServerPort, ServerTls, Source, StringMatch, To, TrafficPolicy,
    VirtualServiceSpec,
};
pub use kubernetes::{
    ConfigMapData, Direction, EgressRule, IngressRule, IpBlock, NetworkPolicyPort, NetworkPolicySpec, Peer, SecretData,
    ServicePort, ServiceSpec,
};
pub use object::{LabelSelector, Map, Metadata, Object, Routes, Spec, Text};
pub(super) use object::{OBJECT_NAMESPACE, SERVICE_HOST};
