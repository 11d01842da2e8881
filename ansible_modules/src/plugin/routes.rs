//! The lookup `routes`: what a site serves.

use pharos_core::catalogue::{HostView, hosts};
use pharos_core::diagnostic::{Findings, Report};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Kind, Plugin};
use crate::module::ControllerDocument;
use crate::site::{MAKES_ENVIRONMENT, Site};

/// The lookup.
pub(super) struct Routes;

/// The routes of a site.
///
/// Judges the documents of a site together and returns, for each policy or edge environment, its hosts with their routes: what
/// `pharos routes --format json` prints. Every fault of the documents is reported at once, each at its place.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Policies, or edge environments that were rendered from one.
    #[serde(rename = "_terms")]
    #[schemars(length(min = 1), extend("x-made-by" = MAKES_ENVIRONMENT))]
    environments: Vec<ControllerDocument>,
    /// The service catalogue that they select from.
    catalogue_file: ControllerDocument,
    /// The routes files of laboratories that are served as well.
    #[serde(default)]
    extension_files: Vec<ControllerDocument>,
}

impl Plugin for Routes {
    const NAME: &'static str = "routes";
    const KIND: Kind = Kind::Lookup;
    const POSITIONAL: &'static [&'static str] = &["_terms"];
    const EXAMPLES: &'static str = include_str!("../examples/plugins/routes.yml");
    type Arguments = Arguments;
    type Value = Vec<Vec<HostView>>;

    fn run(arguments: Arguments) -> Result<(Self::Value, Report), Report> {
        let Arguments { environments, catalogue_file, extension_files } = arguments;
        let mut findings = Findings::new();
        let mut all = Vec::new();
        for environment in &environments {
            match Site::of_policy(environment, &catalogue_file, &extension_files) {
                Ok(site) => {
                    findings.extend(site.report);
                    all.push(hosts(&site.table));
                }
                Err(report) => findings.extend(report),
            }
        }
        findings.conclude(all)
    }
}
