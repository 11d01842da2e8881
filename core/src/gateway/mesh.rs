//! The settings of the mesh that routes and policies rely on.

use serde::Serialize;

use super::GatewaySettings;
use crate::catalogue::PathNormalization;

/// How many proxies stand before the gateway whose word on the client's address is taken: the edge.
pub(super) const TRUSTED_PROXIES: u8 = 1;

/// Istio's `meshConfig`, as far as routes and policies rely on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MeshConfig {
    /// How paths are normalised before they are compared.
    pub path_normalization: Normalization,
    /// What every proxy is told.
    pub default_config: ProxyConfig,
    /// Where requests are logged.
    pub access_log_file: &'static str,
    /// How.
    pub access_log_encoding: &'static str,
    /// What of them: no query string, no `Referer`, no credentials.
    pub access_log_format: &'static str,
}

/// How paths are normalised.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Normalization {
    /// Istio's word for it.
    pub normalization: &'static str,
}

/// What every proxy is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyConfig {
    /// What stands before a gateway.
    pub gateway_topology: GatewayTopology,
}

/// What stands before a gateway.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayTopology {
    /// How many proxies are trusted to say who the client is.
    pub num_trusted_proxies: u8,
}

/// One JSON object a request. The path is the request's own, without its query; neither headers that clients fill with credentials nor
/// those that repeat an address with its query are named.
const ACCESS_LOG_FORMAT: &str = concat!(
    r#"{"time":"%START_TIME%","client":"%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%","#,
    r#""peer":"%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%","host":"%REQ(:AUTHORITY)%","route":"%ROUTE_NAME%","#,
    r#""method":"%REQ(:METHOD)%","path":"%REQ_WITHOUT_QUERY(:PATH)%","protocol":"%PROTOCOL%","#,
    r#""status":"%RESPONSE_CODE%","flags":"%RESPONSE_FLAGS%","details":"%RESPONSE_CODE_DETAILS%","#,
    r#""received":"%BYTES_RECEIVED%","sent":"%BYTES_SENT%","milliseconds":"%DURATION%","#,
    r#""upstream":"%UPSTREAM_HOST%","cluster":"%UPSTREAM_CLUSTER_RAW%","id":"%REQ(X-REQUEST-ID)%"}"#,
);

impl MeshConfig {
    /// What a site needs.
    pub fn of(settings: &GatewaySettings) -> Self {
        let normalization = match settings.mesh.path_normalization {
            PathNormalization::None => "NONE",
            PathNormalization::Base => "BASE",
            PathNormalization::MergeSlashes => "MERGE_SLASHES",
            PathNormalization::DecodeAndMergeSlashes => "DECODE_AND_MERGE_SLASHES",
        };
        Self {
            path_normalization: Normalization { normalization },
            default_config: ProxyConfig { gateway_topology: GatewayTopology { num_trusted_proxies: TRUSTED_PROXIES } },
            access_log_file: "/dev/stdout",
            access_log_encoding: "JSON",
            access_log_format: ACCESS_LOG_FORMAT,
        }
    }
}
