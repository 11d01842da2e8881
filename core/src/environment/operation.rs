//! The operations on an environment, and the tools that each uses.

use std::collections::BTreeSet;

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
    /// The Debian package that holds it; none where `make setup` installs it.
    pub package: Option<&'static str>,
    /// Whether it is run only where the site is looked at.
    pub online: bool,
}

impl Tool {
    const fn of(name: &'static str, purpose: &'static str, package: &'static str) -> Self {
        Self { name, purpose, package: Some(package), online: false }
    }

    const fn online(self) -> Self {
        Self { online: true, ..self }
    }
}

/// The tools of a plan. Those of one that looks at the site are what its reader of hosts starts, and what ends a kubeconfig's program.
const OF_PLAN: &[Tool] = &[
    Tool::of("git", "to read the committed revision", "git"),
    Tool::of("python3", "to run the controller and Ansible", "python3"),
    Tool { name: "uv", purpose: "to keep the pinned tool project devops/", package: None, online: false },
    Tool::of("ssh", "to read the hosts", "openssh-client").online(),
    Tool::of("setpriv", "to end what it started with itself", "util-linux").online(),
    Tool::of("prlimit", "to bound what a host may answer", "util-linux").online(),
    Tool::of("timeout", "to end a program of the kubeconfig in time", "coreutils").online(),
];

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

    /// The tools that it uses; `offline` leaves out those that only looking at a site takes.
    pub fn tools(self, offline: bool) -> impl Iterator<Item = &'static Tool> {
        let all = match self {
            Self::DeployPlan => OF_PLAN,
        };
        all.iter().filter(move |tool| !(offline && tool.online))
    }
}

/// What is said when tools of an operation are not there: `environment/tool`, once for all of them.
pub(super) fn missing_tools(operation: Operation, offline: bool, absent: &[String], findings: &mut Findings) {
    let missing: Vec<&Tool> =
        operation.tools(offline).filter(|tool| absent.iter().any(|name| name == tool.name)).collect();
    let words: Vec<String> = missing.iter().map(|tool| format!("`{}` {}", tool.name, tool.purpose)).collect();
    let (words, end) = match words.as_slice() {
        [] => return,
        [one] => (one.clone(), "it is not installed"),
        [most @ .., last] => (format!("{}, and {last}", most.join(", ")), "these are not installed"),
    };
    let message = format!("`{}` needs {words}; {end}", operation.word());
    let places = missing.iter().map(|tool| (Place::named(tool.name), ""));
    let finding =
        places.fold(Diagnostic::error(codes::TOOL, message), |finding, (place, label)| finding.at(place, label));
    findings.push(finding.help(installing(&missing)));
}

/// The commands that install these tools.
fn installing(missing: &[&Tool]) -> String {
    let packages: BTreeSet<&str> = missing.iter().filter_map(|tool| tool.package).collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    let apt =
        (!packages.is_empty()).then(|| format!("`apt-get install {}` installs what Debian has", packages.join(" ")));
    let own: Vec<&str> = missing.iter().filter(|tool| tool.package.is_none()).map(|tool| tool.name).collect();
    let own = (!own.is_empty()).then(|| format!("`make setup` installs the pinned {}", own.join(", ")));
    [apt, own].into_iter().flatten().collect::<Vec<_>>().join("; ")
}
