//! Everything that is rendered for a gateway, and the order in which it is applied.

use serde::Serialize;

use super::kind::{
    AuthorizationPolicySpec, ConfigMapData, DestinationRuleSpec, EnvoyFilterSpec, GatewaySpec, Map, NetworkPolicySpec,
    Object, SecretData, ServiceSpec, Spec, VirtualServiceSpec,
};
use super::{MeshConfig, Trust};
use crate::catalogue::Owner;
use crate::diagnostic::Report;
use crate::document;

/// The objects of a gateway, a list a kind. Their order follows the route table: by host, and within a host the most specific route
/// first; what belongs to a backend is in the order of namespace and Service.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Objects<'a> {
    /// What the mesh itself is told; no object, but a value for the chart of the control plane.
    pub mesh_config: MeshConfig,
    /// Public CA bundles, for people and programs.
    pub config_maps: Vec<Object<'a, ConfigMapData<'a>>>,
    /// The same, for the gateway.
    pub secrets: Vec<Object<'a, SecretData<'a>>>,
    /// The port of every node.
    pub services: Vec<Object<'a, ServiceSpec<'a>>>,
    /// Who may use the routes.
    pub authorization_policies: Vec<Object<'a, AuthorizationPolicySpec<'a>>>,
    /// How backends are spoken to.
    pub destination_rules: Vec<Object<'a, DestinationRuleSpec<'a>>>,
    /// How backends without a name are recognised.
    pub envoy_filters: Vec<Object<'a, EnvoyFilterSpec<'a>>>,
    /// The hosts that are listened for.
    pub gateways: Vec<Object<'a, GatewaySpec<'a>>>,
    /// The routes, host by host.
    pub virtual_services: Vec<Object<'a, VirtualServiceSpec<'a>>>,
    /// Who reaches the gateway, and what it reaches.
    pub network_policies: Vec<Object<'a, NetworkPolicySpec<'a>>>,
}

/// A step of applying them. The host edge follows after the last.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// What backends are verified with.
    Trust,
    /// Who may use which routes, and then the routes.
    Routes,
    /// Which pods reach each other.
    Policies,
}

/// One object as it is handed to the API server.
pub struct Manifest<'o> {
    /// When it is applied.
    pub stage: Stage,
    /// Its kind.
    pub kind: &'static str,
    /// Its namespace.
    pub namespace: &'o str,
    /// Its name.
    pub name: &'o str,
    /// Who states its routes; `None` for what all share.
    pub owner: Option<&'o Owner>,
    labels: &'o Map<'o>,
    write: Box<dyn Fn() -> Result<String, Report> + 'o>,
    value: Box<dyn Fn() -> serde_json::Value + 'o>,
}

impl<'o> Manifest<'o> {
    /// The document as YAML.
    ///
    /// # Errors
    /// `document/unwritable`, which would be a defect.
    pub fn yaml(&self) -> Result<String, Report> {
        (self.write)()
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&'o str> {
        self.labels.get(key)
    }

    /// The document as a value.
    pub fn value(&self) -> serde_json::Value {
        (self.value)()
    }
}

fn of<'o, S: Spec>(stage: Stage, objects: &'o [Object<'o, S>]) -> impl Iterator<Item = Manifest<'o>> {
    objects.iter().map(move |object| Manifest {
        stage,
        kind: S::KIND,
        namespace: &object.metadata.namespace,
        name: &object.metadata.name,
        owner: object.owner(),
        labels: &object.metadata.labels,
        write: Box::new(move || document::write(object)),
        value: Box::new(move || serde_json::json!(object)),
    })
}

impl<'a> Objects<'a> {
    /// Adds a published CA bundle.
    pub fn add(&mut self, trust: Trust<'a>) {
        self.config_maps.push(trust.config_map);
        self.secrets.push(trust.secret);
    }

    /// One by one, in the order in which they are applied: trust, then who may use the routes and the routes, then the policies
    /// between pods.
    pub fn manifests(&self) -> impl Iterator<Item = Manifest<'_>> {
        let trust = of(Stage::Trust, &self.config_maps).chain(of(Stage::Trust, &self.secrets));
        let routes = of(Stage::Routes, &self.authorization_policies)
            .chain(of(Stage::Routes, &self.destination_rules))
            .chain(of(Stage::Routes, &self.envoy_filters))
            .chain(of(Stage::Routes, &self.services))
            .chain(of(Stage::Routes, &self.gateways))
            .chain(of(Stage::Routes, &self.virtual_services));
        trust.chain(routes).chain(of(Stage::Policies, &self.network_policies))
    }

    /// All of them as one YAML stream.
    ///
    /// # Errors
    /// `document/unwritable`, which would be a defect.
    pub fn yaml(&self) -> Result<String, Report> {
        let mut text = String::new();
        for manifest in self.manifests() {
            text.push_str("---\n");
            text.push_str(&manifest.yaml()?);
        }
        Ok(text)
    }
}
