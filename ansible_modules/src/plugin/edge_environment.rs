//! The lookup `edge_environment`: what the edge playbook is given of a policy.

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::policy::EdgeEnvironment;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Kind, Plugin};
use crate::module::ControllerDocument;
use crate::site::Site;

/// The lookup.
pub(super) struct EdgeEnvironmentOf;

/// The edge environment of a policy.
///
/// Judges a policy together with the service catalogue and returns the part of it that concerns the public edge, which the
/// modules of the edge read as `environment_file`. It is what `pharos edge environment` prints.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Policies of environments.
    #[serde(rename = "_terms")]
    #[schemars(length(min = 1))]
    policies: Vec<ControllerDocument>,
    /// The service catalogue that they select from.
    catalogue_file: ControllerDocument,
}

impl Plugin for EdgeEnvironmentOf {
    const NAME: &'static str = "edge_environment";
    const KIND: Kind = Kind::Lookup;
    const POSITIONAL: &'static [&'static str] = &["_terms"];
    const EXAMPLES: &'static str = include_str!("../examples/plugins/edge_environment.yml");
    type Arguments = Arguments;
    type Value = Vec<EdgeEnvironment>;

    fn run(arguments: Arguments) -> Result<(Self::Value, Report), Report> {
        let mut findings = Findings::new();
        let mut all = Vec::new();
        for policy in &arguments.policies {
            match Site::of_policy_alone(policy, &arguments.catalogue_file) {
                Ok(site) => {
                    findings.extend(site.report);
                    all.push(site.environment);
                }
                Err(report) => findings.extend(report),
            }
        }
        findings.conclude(all)
    }
}
