//! The selection of an environment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::operation::missing_tools;
use super::paths::SitePaths;
use super::{Operation, codes};
use crate::diagnostic::{Diagnostic, Findings, Place, Report, suggest};

/// The variables of a command that [`select`] looks at. The caller hands over these and no others.
pub const VARIABLES: &[&str] = &[
    "ENV",
    "OFFLINE",
    "INVENTORY",
    "KUBECONFIG",
    "STATE_DIR",
    "PHAROS_PRIVATE_ROOT",
    "DEPLOY_RUNNER",
    "TARGET",
    "SSH_TARGET",
    "SSH_HOST",
    "SSH_USER",
    "SSH_PORT",
    "SSH_KEY",
    "SSH_CONFIG",
];

/// Those that select an installation of one person.
const PERSONAL: &[&str] = &["TARGET", "SSH_TARGET", "SSH_HOST", "SSH_USER", "SSH_PORT", "SSH_KEY", "SSH_CONFIG"];

/// What a selection is made from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The [`VARIABLES`] that are set. One that is empty counts as not set.
    pub variables: BTreeMap<String, String>,
    /// The environments that a committed policy names.
    pub environments: Vec<String>,
    /// The environments for which the checkout has a recorded runner (`.local/deployments/<ENV>/runner.json`).
    pub runners: Vec<String>,
    /// The caller's home; may be empty.
    pub home: String,
    /// The working directory, absolute.
    pub directory: String,
    /// Those of the operation's [tools](Operation::tools) that are not installed.
    #[serde(default)]
    pub absent: Vec<String>,
}

impl Given {
    /// The value of a variable that is set.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }
}

/// A selected environment.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// Its name.
    pub environment: String,
    /// What is asked for.
    pub operation: Operation,
    /// Whether neither hosts nor API are asked.
    pub offline: bool,
    /// The policy, relative to the checkout.
    pub policy: String,
    /// Its private paths.
    pub paths: SitePaths,
}

/// Selects the environment of an operation. Every fault is reported, before anything of a site is opened.
///
/// # Errors
/// `environment/*`
pub fn select(operation: Operation, given: &Given) -> Result<Site, Report> {
    let mut findings = Findings::new();
    let Some(environment) = given.variable("ENV") else {
        findings.push(not_selected(operation, given));
        let offline = given.variable("OFFLINE").is_some();
        missing_tools(operation, offline, &given.absent, &mut findings);
        return Err(findings.into_report());
    };
    if !given.environments.iter().any(|known| known == environment) {
        findings.push(unknown(environment, given));
    }
    for name in PERSONAL.iter().filter(|name| given.variable(name).is_some()) {
        let message =
            format!("`{name}` selects a personal installation, and `ENV={}` a site", environment.escape_debug());
        findings.push(
            Diagnostic::error(codes::MIXED_SELECTION, message)
                .at(Place::named(name), "")
                .help(format!("give one of the two; `unset {name}` if it comes from your shell")),
        );
    }
    let offline = offline(given, &mut findings);
    runner(environment, given, &mut findings);
    let paths = SitePaths::of(given, environment, &mut findings);
    paths.apart(&mut findings);
    missing_tools(operation, offline, &given.absent, &mut findings);
    let policy = format!("environments/{environment}/policy.yaml");
    let site = Site { environment: environment.to_owned(), operation, offline, policy, paths };
    findings.conclude(site).map(|(site, _)| site)
}

fn known(given: &Given) -> impl Iterator<Item = &str> {
    given.environments.iter().map(String::as_str)
}

fn not_selected(operation: Operation, given: &Given) -> Diagnostic {
    let word = operation.word();
    let names: Vec<String> = known(given).map(|name| format!("`{name}`")).collect();
    let help = match names.as_slice() {
        [] => "commit a policy first: `environments/<ENV>/policy.yaml`".to_owned(),
        names => format!("write `make {word} ENV=...`; there are {}", names.join(", ")),
    };
    Diagnostic::error(codes::NOT_SELECTED, format!("`{word}` is for an environment, and none is named"))
        .at(Place::named("ENV"), "")
        .help(help)
}

fn unknown(environment: &str, given: &Given) -> Diagnostic {
    let mut names: Vec<&str> = known(given).collect();
    names.sort_unstable();
    let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let there = if listed.is_empty() { "no policy is committed".to_owned() } else { format!("there are {listed}") };
    let help = match suggest::nearest(environment, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {there}"),
        None => format!("{there}; a new one begins with `environments/<ENV>/policy.yaml`"),
    };
    let message = format!("no committed policy names the environment `{}`", environment.escape_debug());
    Diagnostic::error(codes::UNKNOWN, message).at(Place::named("ENV"), "").help(help)
}

fn offline(given: &Given, findings: &mut Findings) -> bool {
    match given.variable("OFFLINE") {
        Some("1") => return true,
        Some(other) => findings.push(
            Diagnostic::error(codes::OFFLINE_VALUE, format!("`OFFLINE={}` means nothing", other.escape_debug()))
                .at(Place::named("OFFLINE"), "")
                .help("write `OFFLINE=1`, or leave it out"),
        ),
        None => {}
    }
    false
}

fn runner(environment: &str, given: &Given, findings: &mut Findings) {
    if let Some(name) = given.variable("DEPLOY_RUNNER") {
        let message = format!("`DEPLOY_RUNNER={}` asks for a runner, and this version has none", name.escape_debug());
        findings.push(
            Diagnostic::error(codes::RUNNER, message)
                .at(Place::named("DEPLOY_RUNNER"), "")
                .help("run this on that machine, without `DEPLOY_RUNNER`; it is never run here in its place"),
        );
    }
    if given.runners.iter().any(|recorded| recorded == environment) {
        let record = format!(".local/deployments/{}/runner.json", environment.escape_debug());
        let message = "this environment is bound to a runner, and this version cannot send the operation there";
        findings.push(Diagnostic::error(codes::RUNNER, message).at(Place::named(&record), "the binding").help(
            "run this on that machine; if it is no longer the administration machine, remove the file on purpose",
        ));
    }
}
