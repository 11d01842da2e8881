//! `stages_info`: the order in which a development box is brought up.

use std::collections::BTreeSet;

use pharos_core::foundation::stages::{Observed, Stage, judge, next, trust_is_due};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome};

/// The module.
pub(crate) struct StagesInfo;

/// The stages of a development box, and which is next.
///
/// The order is the same for a first installation and for a reconciliation. With `before` the task fails if that stage may not run yet:
/// before a stage that it needs, and for `route-check` before the trust of the backends was seen beside the gateway.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The stages that are done.
    #[serde(default)]
    done: BTreeSet<Stage>,
    /// Whether the trust of every backend was seen, as `pharos.platform.site_trust_render` returns it.
    #[serde(default)]
    trust_published: bool,
    /// The stage that is about to run.
    before: Option<Stage>,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// Every stage, in order.
    stages: Vec<Stage>,
    /// The one that is next; nothing if all are done.
    next: Option<Stage>,
    /// Whether the Applications are there that bring the trust of backends, so that it is to be published.
    trust_due: bool,
}

impl Module for StagesInfo {
    const NAME: &'static str = "stages_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/stages_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        let Arguments { done, trust_published, before } = arguments;
        let observed = Observed { trust_published };
        if let Some(stage) = before {
            judge(stage, &done, &observed)?;
        }
        let next = next(&done, &observed)?;
        Ok(Outcome::of(Data { stages: Stage::ALL.to_vec(), next, trust_due: trust_is_due(&done) }))
    }
}
