//! The operations on an environment, and the tools that each uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codes;
use crate::diagnostic::{Diagnostic, Findings, Place};

/// An operation, by the word that operators type.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// `deploy-plan`: says what a deployment would do, and changes nothing.
    DeployPlan,
}

/// A program that an operation runs.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Tool {
    /// Its name on the search path.
    pub name: &'static str,
    /// What it is needed for.
    pub purpose: &'static str,
    /// How it is installed.
    pub install: &'static str,
}

const GIT: Tool =
    Tool { name: "git", purpose: "to read the committed revision", install: "`apt-get install git` installs it" };
const PYTHON: Tool = Tool {
    name: "python3",
    purpose: "to run the controller and Ansible",
    install: "`apt-get install python3` installs it",
};
const UV: Tool = Tool {
    name: "uv",
    purpose: "to keep the pinned tool project devops/",
    install: "`make setup` installs the pinned one",
};

impl Operation {
    /// The word that operators type.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DeployPlan => "deploy-plan",
        }
    }

    /// The operation of this word.
    pub fn of(word: &str) -> Option<Self> {
        [Self::DeployPlan].into_iter().find(|operation| operation.word() == word)
    }

    /// The tools that it uses.
    pub const fn tools(self) -> &'static [Tool] {
        match self {
            Self::DeployPlan => &[GIT, PYTHON, UV],
        }
    }
}

/// What is said when these tools of an operation are not there: `environment/tool`, once for each.
pub(super) fn missing_tools(operation: Operation, absent: &[String], findings: &mut Findings) {
    for tool in operation.tools().iter().filter(|tool| absent.iter().any(|name| name == tool.name)) {
        let message = format!("`{}` needs `{}` {}, and it is not installed", operation.word(), tool.name, tool.purpose);
        findings.push(Diagnostic::error(codes::TOOL, message).at(Place::named(tool.name), "").help(tool.install));
    }
}
