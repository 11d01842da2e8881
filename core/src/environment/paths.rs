//! Where the private files of an environment are.

use serde::{Deserialize, Serialize};

use super::codes;
use super::select::Given;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// The private paths of an environment, absolute. Nothing is opened here: each is judged when it is.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SitePaths {
    /// The common private root.
    pub private_root: String,
    /// The inventory: a file, or a folder of sources.
    pub inventory: String,
    /// The administrator's kubeconfig.
    pub kubeconfig: String,
    /// The directory of the records.
    pub state: String,
    /// The directory of the keys that fingerprint private inputs. Never beside the records, wherever `STATE_DIR` is.
    pub keys: String,
}

impl SitePaths {
    /// The paths of an environment; what cannot be used is reported as `environment/path`.
    pub(super) fn of(given: &Given, environment: &str, findings: &mut Findings) -> Self {
        let private_root = path(given, "PHAROS_PRIVATE_ROOT", findings, || home(given, ".config/pharos/environments"));
        let own = format!("{private_root}/{environment}");
        let inventory = path(given, "INVENTORY", findings, || Some(format!("{own}/inventory/hosts.yml")));
        let kubeconfig = path(given, "KUBECONFIG", findings, || Some(format!("{own}/admin/kubeconfig")));
        let state = path(given, "STATE_DIR", findings, || {
            home(given, &format!(".local/state/pharos/deployments/{environment}"))
        });
        Self { keys: format!("{own}/keys"), private_root, inventory, kubeconfig, state }
    }

    /// Judges that the records are apart from the private files: whoever may read records must not come to keys by it, and Ansible reads
    /// every file of a folder of sources. Neither lies within the other, which is `environment/path`.
    pub(super) fn apart(&self, findings: &mut Findings) {
        let state = &self.state;
        let parts = [
            ("PHAROS_PRIVATE_ROOT", &self.private_root, "the private root", "beside the keys of its fingerprints"),
            ("INVENTORY", &self.inventory, "the inventory", "of which Ansible reads every file"),
        ];
        for (variable, path, what, why) in parts.into_iter().filter(|part| !state.is_empty() && !part.1.is_empty()) {
            let how = if within(state, path) {
                format!("lies within {what}")
            } else if within(path, state) {
                format!("has {what} within it")
            } else {
                continue;
            };
            findings.push(
                Diagnostic::error(codes::PATH, format!("the directory of the records {how}, {why}"))
                    .at(Place::named("STATE_DIR"), state.clone())
                    .at(Place::named(variable), path.clone())
                    .help("name a directory of its own for the records: `STATE_DIR=/...`; by default they are below ~/.local/state"),
            );
            // The inventory is within the private root by default: once is enough.
            return;
        }
    }
}

/// Whether a path is another one or lies below it. Both are absolute and written in one way.
pub(super) fn within(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The refusal of an environment whose inventory is not there, or is a folder without a file: `environment/inventory-missing`.
pub fn missing_inventory(environment: &str, path: &str, is_folder: bool) -> Report {
    let (what, put) = if is_folder { ("is a folder without a file", "a file of it") } else { ("is not there", "it") };
    Diagnostic::error(codes::INVENTORY_MISSING, format!("the inventory of `{environment}` {what}"))
        .at(Place::named(path), "`INVENTORY`, by default below `PHAROS_PRIVATE_ROOT`")
        .help(format!(
            "put {put} there (directories 0700, files 0600), or name another one: `INVENTORY=/.../hosts.yml`"
        ))
        .into()
}

fn home(given: &Given, below: &str) -> Option<String> {
    given.home.starts_with('/').then(|| format!("{}/{below}", given.home.trim_end_matches('/')))
}

/// The path that a variable names, or the default. `~/` is the home; what is relative is taken from the working directory.
fn path(given: &Given, variable: &str, findings: &mut Findings, default: impl FnOnce() -> Option<String>) -> String {
    let mut refuse = |message: String, help: &str| {
        findings.push(Diagnostic::error(codes::PATH, message).at(Place::named(variable), "").help(help));
        String::new()
    };
    let Some(text) = given.variable(variable) else {
        return default().unwrap_or_else(|| {
            let help = format!("set HOME, or name the path: `{variable}=/...`");
            refuse(format!("`{variable}` has no default: HOME is not an absolute path"), &help)
        });
    };
    if text.trim().is_empty() {
        return refuse(format!("`{variable}` is blank"), "name a path, or leave the variable out");
    }
    if text.chars().any(char::is_control) {
        return refuse(format!("the path in `{variable}` has a control character"), "write one path");
    }
    if variable == "KUBECONFIG" && text.contains(':') {
        return refuse(
            "`KUBECONFIG` names several files, and an environment has one".to_owned(),
            "name the administrator's kubeconfig of this environment alone",
        );
    }
    let below_home = if text == "~" { Some("") } else { text.strip_prefix("~/") };
    if below_home.is_none() && text.starts_with('~') {
        return refuse(
            format!("the path in `{variable}` begins with `~` and a name, and no other home than your own is known"),
            &format!("write the home out, as in `{variable}=/home/...`; for a file of this name write `./~...`"),
        );
    }
    let absolute = match below_home {
        Some(below) => match home(given, below) {
            Some(path) => path,
            None => {
                return refuse(format!("`{variable}` begins with `~`, and HOME is not an absolute path"), "set HOME");
            }
        },
        None if text.starts_with('/') => text.to_owned(),
        None => format!("{}/{text}", given.directory.trim_end_matches('/')),
    };
    if absolute.split('/').any(|part| part == "..") {
        return refuse(
            format!("the path in `{variable}` goes upwards with `..`, through directories that are not judged"),
            "write it without `..`",
        );
    }
    let parts: Vec<&str> = absolute.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.is_empty() {
        return refuse(format!("`{variable}` is the root of the file system"), "name a directory below it");
    }
    format!("/{}", parts.join("/"))
}
