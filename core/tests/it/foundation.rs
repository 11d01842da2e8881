//! Stages: rows of `tests/rejected/foundation/*.json`, each a stage and what is done and seen.

use std::collections::BTreeSet;

use pharos_core::diagnostic::Report;
use pharos_core::foundation::stages::{self, Observed, Stage};
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    stage: Stage,
    done: BTreeSet<Stage>,
    observed: Observed,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let Case { stage, done, observed } = serde_json::from_str(fixture.source().text()).unwrap();
    refused(stages::judge(stage, &done, &observed))
}
