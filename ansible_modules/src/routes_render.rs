//! `routes_render`: the release of the routes' chart.

use pharos_core::diagnostic::{Diagnostic, Place as Where, Report};
use pharos_core::document;
use pharos_core::gateway::chart::{ChartValues, SCHEMA_FILE, chart_fingerprint, judge_schema};
use pharos_core::mesh::missing_namespaces;
use pharos_core::module::codes;
use pharos_core::name::AbsolutePath;
use pharos_core::release::Wanted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::module::{Context, ControllerDocument, Family, Module, Place};
use crate::outcome::{Failure, Outcome};
use crate::releases::{Release, site, usual_timeout};
use crate::site::source;

/// The name of the chart, and of its release.
const ROUTES: &str = "routes";

/// The module.
pub(crate) struct RoutesRender;

/// The release of the chart of the routes.
///
/// Its values hold the objects of the catalogue's routes, and the fingerprint of the chart's own files: a chart that was changed is a
/// changed value. `pharos gateway values` prints the same.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The service catalogue.
    catalogue_file: ControllerDocument,
    /// The policy of the site.
    policy_file: ControllerDocument,
    /// The folder of the chart on the controller.
    chart: AbsolutePath,
    /// Every file of the chart.
    #[schemars(length(min = 1))]
    chart_files: Vec<ChartFile>,
    /// The namespaces of the cluster as JSON (`kubectl get namespaces --output=json`).
    namespaces: String,
    /// How long Helm waits for the release.
    #[serde(default = "usual_timeout")]
    timeout: String,
}

/// A file of the chart.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChartFile {
    /// Its path within the chart.
    path: String,
    /// Its whole text.
    text: String,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// The release.
    release: Release,
    /// The namespaces of backends that are not there yet. The policies of their pods belong into them.
    missing_namespaces: Vec<String>,
}

impl Module for RoutesRender {
    const NAME: &'static str = "routes_render";
    const FAMILY: Family = Family::Render;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/routes_render.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        if !arguments.chart_files.iter().any(|file| file.path == "Chart.yaml") {
            return Err(no_chart(&arguments.chart).into());
        }
        let site = site(&arguments.catalogue_file, &arguments.policy_file)?;
        judge_chart(&arguments)?;
        let objects = site.objects()?;
        let files = arguments.chart_files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
        let values = json!(ChartValues::of(&objects, chart_fingerprint(files)));
        let needed = objects.manifests().map(|manifest| manifest.namespace.to_owned()).collect();
        let missing_namespaces = missing_namespaces(&arguments.namespaces, needed)?;
        let wanted = Wanted {
            name: ROUTES.to_owned(),
            namespace: site.settings.mesh.namespace.to_string(),
            chart: ROUTES.to_owned(),
            version: None,
            words: vec![arguments.chart.to_string()],
            values,
            creates_namespace: false,
            timeout: arguments.timeout,
        };
        Ok(Outcome::of(Data { release: wanted.into(), missing_namespaces }).with_report(site.report))
    }
}

/// Refuses a chart whose schema was made from another catalogue.
fn judge_chart(arguments: &Arguments) -> Result<(), Report> {
    let Some(schema) = arguments.chart_files.iter().find(|file| file.path == SCHEMA_FILE) else { return Ok(()) };
    let catalogue = document::read(&source(&arguments.catalogue_file))?;
    judge_schema(&catalogue, &format!("{}/{SCHEMA_FILE}", arguments.chart), &schema.text)
}

fn no_chart(folder: &AbsolutePath) -> Report {
    Diagnostic::error(codes::OPTION_VALUE, format!("`{folder}` is no chart: it has no Chart.yaml"))
        .at(Where::named("arguments").with_key("/chart_files"), "")
        .help("name the folder `charts/routes` of the checkout, and every file in it")
        .into()
}
