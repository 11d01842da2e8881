//! Releases of Helm, as tasks hand them on: one module says which are wanted, another what is to be done with each.

use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::module::codes;
use pharos_core::release::Wanted;
use pharos_core::site::{EdgeSources, Mesh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::ControllerDocument;
use crate::site::source;

/// A release as it is wanted.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    /// Its name.
    name: String,
    /// Its namespace.
    namespace: String,
    /// The name of its chart.
    chart: String,
    /// The version of its chart, if that is pinned.
    version: Option<String>,
    /// What names the chart to Helm.
    words: Vec<String>,
    /// Its values as JSON.
    values: String,
    /// Whether the namespace is made if it is not there.
    #[serde(default)]
    creates_namespace: bool,
    /// How long Helm waits for it.
    timeout: String,
}

impl From<Wanted> for Release {
    fn from(wanted: Wanted) -> Self {
        let Wanted { name, namespace, chart, version, words, values, creates_namespace, timeout } = wanted;
        Self { name, namespace, chart, version, words, values: values.to_string(), creates_namespace, timeout }
    }
}

impl TryFrom<Release> for Wanted {
    type Error = Report;

    fn try_from(release: Release) -> Result<Self, Report> {
        let Release { name, namespace, chart, version, words, values, creates_namespace, timeout } = release;
        let values = serde_json::from_str(&values).map_err(|_| {
            Diagnostic::error(codes::OPTION_VALUE, "the values are no JSON")
                .at(Place::named("arguments").with_key("/release/values"), "")
                .help("hand on the release as `mesh_render` or `routes_render` returned it")
        })?;
        Ok(Self { name, namespace, chart, version, words, values, creates_namespace, timeout })
    }
}

/// How long Helm waits for a release where nothing is said.
pub(crate) fn usual_timeout() -> String {
    "10m".to_owned()
}

/// What the gateway of a site serves.
pub(crate) fn site(catalogue: &ControllerDocument, policy: &ControllerDocument) -> Result<Mesh, Report> {
    let (catalogue, policy) = (source(catalogue), source(policy));
    Mesh::of(&EdgeSources { catalogue: &catalogue, environment: &policy, laboratories: &[] })
}
