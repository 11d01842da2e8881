//! `mesh_render`: the releases of Istio's charts.

use pharos_core::mesh::{COMPONENTS, CniFolders, Component, ISTIO, MeshSettings, agreed, judge_namespaces, releases};
use pharos_core::name::AbsolutePath;
use pharos_core::release::ChartSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::{Context, ControllerDocument, Family, Module, Place};
use crate::outcome::{Failure, Outcome};
use crate::releases::{Release, site, usual_timeout};

/// The module.
pub(crate) struct MeshRender;

/// The releases of Istio's charts for a site.
///
/// Base, control plane, CNI and gateway, in this order and in one pinned version, each with the values that the site's routes and policies
/// rely on. Nodes that look for CNI in different folders are refused, and so is a namespace whose pods would be given a proxy.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The service catalogue, whose `mesh` says where the gateway runs.
    catalogue_file: ControllerDocument,
    /// The policy of the site.
    policy_file: ControllerDocument,
    /// Where the charts come from: a repository (`https://...`), a registry (`oci://...`), or a folder of the controller with the archives.
    charts: String,
    /// Where the images come from, if that is not where the charts say: `registry.example.org/istio`.
    images: Option<String>,
    /// What `pharos.platform.mesh_node` returned of each node.
    #[schemars(length(min = 1))]
    nodes: Vec<Node>,
    /// The namespaces of the cluster as JSON (`kubectl get namespaces --output=json`).
    namespaces: String,
    /// How long Helm waits for each release.
    #[serde(default = "usual_timeout")]
    timeout: String,
}

/// Where a node looks for CNI.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Node {
    /// Its name.
    name: String,
    /// The folder of the programs.
    cni_binaries: AbsolutePath,
    /// The folder of the configuration.
    cni_configuration: AbsolutePath,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// The version of Istio.
    version: &'static str,
    /// The releases, in the order in which they are installed.
    releases: Vec<Release>,
    /// The namespace of all of them.
    namespace: String,
    /// What must be ready in it at the end, as `kubectl rollout status` takes it.
    workloads: Vec<&'static str>,
}

impl Module for MeshRender {
    const NAME: &'static str = "mesh_render";
    const FAMILY: Family = Family::Render;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/mesh_render.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        let site = site(&arguments.catalogue_file, &arguments.policy_file)?;
        judge_namespaces(&arguments.namespaces)?;
        let charts: ChartSource = arguments.charts.parse()?;
        let folders =
            |node: Node| (node.name, CniFolders { binaries: node.cni_binaries, configuration: node.cni_configuration });
        let nodes: Vec<(String, CniFolders)> = arguments.nodes.into_iter().map(folders).collect();
        let cni = agreed(nodes.iter().map(|(name, folders)| (name.as_str(), folders)))?;
        let settings = MeshSettings {
            gateway: &site.settings,
            cni,
            charts: &charts,
            images: arguments.images.as_deref(),
            timeout: &arguments.timeout,
        };
        let releases = releases(&settings).into_iter().map(Release::from).collect();
        let workloads = COMPONENTS.into_iter().filter_map(Component::workload).collect();
        let namespace = site.settings.mesh.namespace.to_string();
        Ok(Outcome::of(Data { version: ISTIO, releases, namespace, workloads }).with_report(site.report))
    }
}
