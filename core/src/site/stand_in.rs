//! What takes the place of a refused part that a document cannot do without, so that the rest of it is judged all the same.

use serde_json::json;

use crate::document::StandIn;

/// For a catalogue.
pub(super) fn catalogue() -> Vec<StandIn> {
    let route = json!({
        "name": "stand-in",
        "match": {"prefix": "/"},
        "access": "public",
        "transport": "http",
        "backend": {"service": "stand-in", "namespace": "stand-in", "port": 1},
    });
    vec![
        StandIn { pointer: "/version", value: json!(1) },
        StandIn { pointer: "/gateways", value: json!(["stand-in"]) },
        StandIn { pointer: "/backends", value: json!({}) },
        StandIn { pointer: "/mesh/gateway", value: json!("stand-in") },
        StandIn { pointer: "/mesh/namespace", value: json!("stand-in") },
        StandIn { pointer: "/mesh/pods", value: json!({"stand-in": "stand-in"}) },
        StandIn { pointer: "/mesh/http", value: json!({"service": 1, "pod": 1}) },
        StandIn { pointer: "/mesh/route_label", value: json!("stand-in") },
        StandIn { pointer: "/mesh/path_normalization", value: json!("base") },
        StandIn { pointer: "/services/*/gateway", value: json!("stand-in") },
        StandIn { pointer: "/services/*/routes", value: json!([route]) },
    ]
}

/// For a policy.
pub(super) fn policy() -> Vec<StandIn> {
    let foundation = json!({"kubernetes": "0.0.0", "cni": {"name": "stand-in", "version": "0.0.0"}});
    vec![
        StandIn { pointer: "/version", value: json!(1) },
        StandIn { pointer: "/environment", value: json!("stand-in") },
        StandIn { pointer: "/mode", value: json!("development") },
        StandIn { pointer: "/foundation", value: foundation },
        StandIn { pointer: "/edge/origins", value: json!({"stand-in": "https://stand-in.invalid"}) },
        StandIn { pointer: "/edge/gateway", value: json!({"upstreams": ["127.0.0.1:1"]}) },
        StandIn { pointer: "/gateway/node_port", value: json!(30000) },
        StandIn { pointer: "/smtp/enabled", value: json!(false) },
    ]
}

/// For an edge environment.
pub(super) fn edge_environment() -> Vec<StandIn> {
    vec![
        StandIn { pointer: "/version", value: json!(1) },
        StandIn { pointer: "/environment", value: json!("stand-in") },
        StandIn { pointer: "/mode", value: json!("development") },
        StandIn { pointer: "/origins", value: json!({}) },
        StandIn { pointer: "/gateway", value: json!({"upstreams": ["127.0.0.1:1"]}) },
    ]
}
