//! `release_info`: what is to be done with a release of Helm.

use pharos_core::release::{Action, Said, Wanted, decide, judge_applied};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome};
use crate::releases::Release;

/// The module.
pub(crate) struct ReleaseInfo;

/// What is to be done with a release of Helm.
///
/// Compares what Helm recorded in the cluster with what is wanted: the chart, its version, and every value. A release that is as it is
/// wanted is left alone, so that an unchanged run makes no revision, and no plugin that compares objects is needed.
///
/// A release that an interruption left pending is first taken back: to the revision that stood, or away if none ever did. Then it is
/// looked at again. A release that somebody is removing, that belongs to another chart or that is newer is refused.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The release, as `pharos.platform.mesh_render` or `pharos.platform.routes_render` returned it.
    release: Release,
    /// The answer of `helm history NAME --output=json`.
    history: Said,
    /// The answer of `helm get values NAME --output=json`.
    recorded: Said,
    /// The answer of Helm to the words of `apply`, if it was given them; `history` and `recorded` were then asked for after that. The task
    /// fails if Helm did.
    applied: Option<Said>,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// What is to be done.
    action: Action,
    /// Why something is to be done.
    reasons: Vec<String>,
    /// The last revision that Helm recorded; 0 if there is none.
    revision: u32,
    /// The words that Helm is given first, after an interruption; none if nothing was interrupted.
    recover: Vec<String>,
    /// The words that Helm is then given, with the values on its standard input; none if the release is as it is wanted.
    apply: Vec<String>,
}

impl Module for ReleaseInfo {
    const NAME: &'static str = "release_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/release_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        let wanted = Wanted::try_from(arguments.release)?;
        if let Some(applied) = &arguments.applied {
            judge_applied(&wanted, applied, &arguments.history)?;
        }
        let decision = decide(&wanted, &arguments.history, &arguments.recorded)?;
        let (recover, apply) = (wanted.recover(&decision), wanted.apply(&decision));
        Ok(Outcome::of(Data {
            action: decision.action,
            reasons: decision.reasons,
            revision: decision.revision,
            recover,
            apply,
        }))
    }
}
