//! Findings as a plan keeps them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::environment;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Refused: nothing may change before it is mended.
    Error,
    /// It stands; somebody should act.
    Warning,
    /// Worth knowing.
    Note,
}

impl Grade {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A finding without the text that it is about: places alone, so that a record holds no line of a private file.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// How grave it is.
    pub grade: Grade,
    /// The kind: `pharos explain` tells more.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// Where: the place of the fault first, then what it collides with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// What to write or do instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Self {
        let places = diagnostic.labels.iter().map(|label| match label.text.as_str() {
            "" => label.place.to_text(),
            text => format!("{}: {text}", label.place.to_text()),
        });
        Self {
            grade: match diagnostic.severity {
                Severity::Error => Grade::Error,
                Severity::Warning => Grade::Warning,
                Severity::Note => Grade::Note,
            },
            code: diagnostic.code.name().to_owned(),
            message: diagnostic.message.clone(),
            places: places.collect(),
            help: diagnostic.help.clone(),
        }
    }
}

/// Why there is no topology, in words for "the inventory ...".
pub(super) fn no_topology(findings: &[Finding]) -> &'static str {
    let missing = environment::codes::INVENTORY_MISSING.name();
    if findings.iter().any(|finding| finding.code == missing) { "is not there" } else { "was refused" }
}

/// The findings of a report, the gravest first, in its order otherwise.
pub(super) fn of(report: &Report) -> Vec<Finding> {
    let mut findings: Vec<Finding> = report.diagnostics().iter().map(Finding::from).collect();
    findings.sort_by_key(|finding| finding.grade);
    findings
}
