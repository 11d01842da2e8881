//! The charts of Istio, and what each is told.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::CniFolders;
use crate::gateway::{GatewaySettings, MeshConfig};
use crate::release::{ChartSource, Wanted};

/// The release of Istio: of its charts and of its images.
pub const ISTIO: &str = "1.31.4";

/// A part of Istio that has a chart of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Component {
    /// The kinds, and what judges objects of them.
    Base,
    /// istiod.
    ControlPlane,
    /// What gives pods their redirection without a privileged container in each.
    Cni,
    /// The gateway's own pods.
    Gateway,
}

/// All parts, in the order in which they are installed: each needs those before it.
pub const COMPONENTS: [Component; 4] = [Component::Base, Component::ControlPlane, Component::Cni, Component::Gateway];

impl Component {
    /// The name of its chart.
    pub const fn chart(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::ControlPlane => "istiod",
            Self::Cni => "cni",
            Self::Gateway => "gateway",
        }
    }

    /// The name of its release.
    pub const fn release(self) -> &'static str {
        match self {
            Self::Base => "istio-base",
            Self::ControlPlane => "istiod",
            Self::Cni => "istio-cni",
            Self::Gateway => "istio-ingressgateway",
        }
    }

    /// What of it must be ready, as `kubectl` names it: Helm lets a pod of each `DaemonSet` be missing, which on one node is all of them.
    pub const fn workload(self) -> Option<&'static str> {
        match self {
            Self::Base => None,
            Self::ControlPlane => Some("deployment/istiod"),
            Self::Cni => Some("daemonset/istio-cni-node"),
            Self::Gateway => Some("daemonset/istio-ingressgateway"),
        }
    }

    fn values(self, settings: &MeshSettings<'_>) -> Value {
        match self {
            Self::Base => json!({ "global": { "istioNamespace": settings.namespace() } }),
            Self::ControlPlane => control_plane(settings),
            Self::Cni => json!({
                "global": settings.images(),
                "cniBinDir": settings.cni.binaries,
                "cniConfDir": settings.cni.configuration,
                "excludeNamespaces": ["kube-system", settings.namespace()],
            }),
            Self::Gateway => gateway(settings.gateway),
        }
    }
}

/// What the values of the charts depend on.
#[derive(Clone, Copy, Debug)]
pub struct MeshSettings<'a> {
    /// The gateway of the site.
    pub gateway: &'a GatewaySettings,
    /// Where the nodes look for CNI.
    pub cni: &'a CniFolders,
    /// Where the charts come from.
    pub charts: &'a ChartSource,
    /// Where the images come from; without it, from where the charts say.
    pub images: Option<&'a str>,
    /// How long Helm waits for one release, in its words.
    pub timeout: &'a str,
}

impl MeshSettings<'_> {
    fn namespace(&self) -> &str {
        self.gateway.mesh.namespace.as_str()
    }

    fn images(&self) -> Value {
        match self.images {
            Some(hub) => json!({ "tag": ISTIO, "hub": hub }),
            None => json!({ "tag": ISTIO }),
        }
    }
}

/// The releases of a site's mesh, in the order in which they are installed.
pub fn releases(settings: &MeshSettings<'_>) -> Vec<Wanted> {
    let wanted = |component: Component| Wanted {
        name: component.release().to_owned(),
        namespace: settings.namespace().to_owned(),
        chart: component.chart().to_owned(),
        version: Some(ISTIO.to_owned()),
        words: settings.charts.words(component.chart(), ISTIO),
        values: component.values(settings),
        creates_namespace: component == Component::Base,
        timeout: settings.timeout.to_owned(),
    };
    COMPONENTS.into_iter().map(wanted).collect()
}

/// No namespace takes part unasked: a pod is given a proxy where it says so itself, and the gateway's do. Proxies that come later are
/// native sidecars, with their redirection from the CNI.
fn control_plane(settings: &MeshSettings<'_>) -> Value {
    let mut global = settings.images();
    merge(&mut global, "istioNamespace", json!(settings.namespace()));
    merge(&mut global, "proxy", json!({ "clusterDomain": settings.gateway.mesh.cluster_domain }));
    json!({
        "global": global,
        "meshConfig": MeshConfig::of(settings.gateway),
        "sidecarInjectorWebhook": { "enableNamespacesByDefault": false },
        "cni": { "enabled": true },
        "env": { "ENABLE_NATIVE_SIDECARS": "true" },
    })
}

/// One gateway a node: the port of a node leads to the gateway of that node alone (`externalTrafficPolicy: Local`), so that the edge's
/// address stays what it was. The Service with that port is an object of the routes' chart; this chart makes none, or there would be a
/// second way to the gateway.
fn gateway(settings: &GatewaySettings) -> Value {
    let labels: BTreeMap<&str, &str> =
        settings.mesh.pods.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    json!({
        "kind": "DaemonSet",
        "labels": labels,
        "service": { "type": "None" },
        "autoscaling": { "enabled": false },
    })
}

fn merge(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}
