//! Where the private files of an environment are.

use serde::Serialize;

use super::codes;
use super::select::Given;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// The private paths of an environment, absolute. Nothing is opened here: each is judged when it is.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
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
}

/// The refusal of an environment whose inventory is not there: `environment/inventory-missing`.
pub fn missing_inventory(environment: &str, path: &str) -> Report {
    Diagnostic::error(codes::INVENTORY_MISSING, format!("the inventory of `{environment}` is not there"))
        .at(Place::named(path), "")
        .help("put it there (directories 0700, files 0600), or name another file: `INVENTORY=/.../hosts.yml`")
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
    if text.chars().any(char::is_control) {
        return refuse(format!("the path in `{variable}` has a control character"), "write one path");
    }
    if variable == "KUBECONFIG" && text.contains(':') {
        return refuse(
            "`KUBECONFIG` names several files, and an environment has one".to_owned(),
            "name the administrator's kubeconfig of this environment alone",
        );
    }
    let absolute = match text.strip_prefix("~/") {
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
