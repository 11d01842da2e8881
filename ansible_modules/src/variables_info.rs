//! `variables_info`: whether variables are ones that a role has.

use pharos_core::name::RoleVariable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome};

/// The module.
pub(crate) struct VariablesInfo;

/// Whether variables are ones that a role has.
///
/// Ansible passes over a variable that nobody reads, and so over a misspelt one. The roles `gateway_routes`, `helm_release`, `mesh` and
/// `site_trust` name the variables that begin as theirs, before a cluster is asked for anything; one that they do not have is refused.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The names of the variables.
    variables: Vec<RoleVariable>,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// The names, all of them known.
    variables: Vec<RoleVariable>,
}

impl Module for VariablesInfo {
    const NAME: &'static str = "variables_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/variables_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        Ok(Outcome::of(Data { variables: arguments.variables }))
    }
}
