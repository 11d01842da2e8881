//! The edge environment: what the edge playbook is given, rendered from a policy.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PolicyDocument, codes};
use crate::diagnostic::{Diagnostic, Report};
use crate::document::Document;
use crate::name::{AbsolutePath, DnsLabel, EnvironmentName, HostName, Network, Origin, ServiceName, SocketAddress};

/// What kind of site an environment is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Several nodes behind a public edge: HTTPS on 443, own certificates.
    Distributed,
    /// One box for development.
    Development,
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Distributed => "distributed",
            Self::Development => "development",
        })
    }
}

/// What the edge speaks to the gateway.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GatewayProtocol {
    /// Plain HTTP.
    #[default]
    Http,
    /// TLS, verified by `sni` and `trust`.
    Https,
}

/// The gateway behind the edge.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Gateway {
    /// What is spoken to it.
    #[serde(default)]
    pub protocol: GatewayProtocol,
    /// Its addresses, at least one. Addresses and not names: nginx would look a name up once, at its start.
    #[schemars(length(min = 1))]
    pub upstreams: Vec<SocketAddress>,
    /// With `https`: the name sent as SNI, which its certificate must carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sni: Option<HostName>,
    /// With `https`: absolute path, on the edge host, of the CA bundle that its certificate must chain to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<AbsolutePath>,
}

/// HTTP Strict Transport Security (RFC 6797), sent only where a policy asks for it.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Hsts {
    /// Seconds, 1-63 072 000.
    #[schemars(range(min = 1, max = 63_072_000), extend("x-unit" = "seconds"))]
    pub max_age: u32,
    /// Whether subdomains are covered.
    #[serde(default)]
    pub include_subdomains: bool,
}

/// The document that `deploy` writes for the edge playbook: exactly these keys.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeEnvironment {
    /// 1.
    pub version: u32,
    /// The environment it was rendered from.
    pub environment: EnvironmentName,
    /// The kind of site.
    pub mode: Mode,
    /// The optional profiles that are selected.
    #[serde(default)]
    pub profiles: Vec<DnsLabel>,
    /// The origin of each selected service.
    pub origins: BTreeMap<ServiceName, Origin>,
    /// Who may use management routes, beside the edge host itself (`127.0.0.0/8` and `::1`).
    #[serde(default)]
    pub management_networks: Vec<Network>,
    /// The gateway that all routes lead to.
    pub gateway: Gateway,
    /// Strict transport security, if the policy asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hsts: Option<Hsts>,
}

/// The edge environment of a policy that was judged: its origins and bindings together, its networks and its gateway.
///
/// # Errors
/// `policy/foundation-only` if the environment has no edge.
pub fn edge_environment(policy: &Document<PolicyDocument>) -> Result<EdgeEnvironment, Report> {
    let PolicyDocument { environment, mode, profiles, edge, .. } = &policy.value;
    let Some(edge) = edge else {
        return Err(Report::from(
            Diagnostic::error(codes::FOUNDATION_ONLY, format!("environment `{environment}` has no edge"))
                .at(policy.place("/environment"), "")
                .help("add an `edge` block with origins and a gateway, or choose another environment"),
        ));
    };
    let origins = edge.origins.iter().chain(&edge.bindings);
    Ok(EdgeEnvironment {
        version: 1,
        environment: environment.clone(),
        mode: *mode,
        profiles: profiles.clone(),
        origins: origins.map(|(service, origin)| (service.clone(), origin.clone())).collect(),
        management_networks: edge.management_networks.clone(),
        gateway: edge.gateway.clone(),
        hsts: edge.hsts.clone(),
    })
}
