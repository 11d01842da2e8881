//! `mesh_node`: what a node must have before the mesh is installed.
//!
//! What is decided is decided in [`pharos_core::mesh`]; here files are read and replaced, and the kernel is told.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use pharos_core::diagnostic::{Diagnostic, Report};
use pharos_core::mesh::node::{FILE, FOLDERS, LIMITS, LimitPlan, Stated, not_raised, plan, stated};
use pharos_core::mesh::{CniFolders, Containerd, judge_folders, no_containerd};
use pharos_core::name::AbsolutePath;
use pharos_live::file::{self, Attributes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::{names, read_if_there};
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome, State};

/// Where the kernel shows the limits, and takes them.
const KERNEL: &str = "/proc/sys/fs/inotify";

/// The module.
pub(crate) struct MeshNode;

/// What a node must have before the mesh is installed.
///
/// Says in which folders its containerd looks for CNI, as containerd's own configuration has it, and refuses folders that are not there.
///
/// Raises the limits of inotify to what the watchers of many pods need, now and in `/etc/sysctl.d/10-pharos-mesh.conf`. Higher values stay.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The configurations of containerd; the first one that is there counts.
    #[serde(default = "configurations")]
    #[schemars(length(min = 1))]
    containerd_configurations: Vec<AbsolutePath>,
}

#[expect(clippy::expect_used, reason = "constants that are absolute paths, as a test says")]
fn configurations() -> Vec<AbsolutePath> {
    let paths = [
        "/var/lib/pharos-metallo/k3s/agent/etc/containerd/config.toml",
        "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
        "/etc/containerd/config.toml",
    ];
    paths.into_iter().map(|path| path.parse().expect("an absolute path")).collect()
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// The configuration of containerd that was read.
    containerd: String,
    /// Where containerd looks for the programs of CNI.
    cni_binaries: AbsolutePath,
    /// Where it looks for their configuration.
    cni_configuration: AbsolutePath,
    /// The limits of inotify as they are, or in check mode would be.
    limits: BTreeMap<&'static str, u64>,
}

impl Module for MeshNode {
    const NAME: &'static str = "mesh_node";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("examples/mesh_node.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        let (containerd, folders) = cni(&arguments.containerd_configurations)?;
        let current = limits()?;
        let (plan, report) = plan(&current, &others()?)?;
        let kept = read_if_there(Path::new(FILE))?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (before, after) = states(&current, kept.as_deref(), &plan);
        if !context.check {
            perform(&plan, kept.as_deref())?;
        }
        let CniFolders { binaries, configuration } = folders;
        let data = Data { containerd, cni_binaries: binaries, cni_configuration: configuration, limits: plan.limits };
        Ok(Outcome::of(data).with_change(before, after).with_report(report))
    }
}

/// The first configuration that is there, and the folders that it names.
fn cni(configurations: &[AbsolutePath]) -> Result<(String, CniFolders), Report> {
    for path in configurations {
        let Some(bytes) = read_if_there(Path::new(path.as_str()))? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let main = Containerd { path: path.as_str(), text: &text };
        let imported = imported(&main)?;
        let imported: Vec<_> = imported.iter().map(|(path, text)| Containerd { path, text }).collect();
        let folders = main.folders(&imported)?;
        let there = |folder: &AbsolutePath| Path::new(folder.as_str()).is_dir();
        judge_folders(path.as_str(), &folders, [there(&folders.binaries), there(&folders.configuration)])?;
        return Ok((path.to_string(), folders));
    }
    Err(no_containerd(configurations).into())
}

/// The files that a configuration imports, and those that they import, in the order in which containerd reads them.
fn imported(main: &Containerd<'_>) -> Result<Vec<(String, String)>, Report> {
    let mut read: Vec<(String, String)> = Vec::new();
    let mut patterns = VecDeque::from(main.imports()?);
    while let Some(pattern) = patterns.pop_front() {
        // A pattern that is none matches nothing, to containerd too.
        for path in glob::glob(&pattern).into_iter().flatten().flatten() {
            let path = path.to_string_lossy().into_owned();
            if path == main.path || read.iter().any(|(known, _)| *known == path) {
                continue;
            }
            let Some(bytes) = read_if_there(Path::new(&path))? else { continue };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            patterns.extend(Containerd { path: &path, text: &text }.imports()?);
            read.push((path, text));
        }
    }
    Ok(read)
}

/// The limits as they are now; one that cannot be read is missing.
fn limits() -> Result<BTreeMap<String, u64>, Diagnostic> {
    let mut limits = BTreeMap::new();
    for (limit, _) in LIMITS {
        let text = read_if_there(&Path::new(KERNEL).join(limit))?.unwrap_or_default();
        if let Ok(value) = String::from_utf8_lossy(&text).trim().parse() {
            limits.insert(limit.to_owned(), value);
        }
    }
    Ok(limits)
}

/// What other files set at boot, in the order in which they count: by name, whatever folder they are in.
fn others() -> Result<Vec<Stated>, Diagnostic> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    // A file hides those of its name in the folders after its own.
    for folder in FOLDERS.iter().rev() {
        let found = names(Path::new(folder))?
            .into_iter()
            .filter(|name| Path::new(name).extension().is_some_and(|end| end == "conf"));
        files.extend(found.map(|name| (name.clone(), format!("{folder}/{name}"))));
    }
    let mut lines = Vec::new();
    for path in files.values().filter(|path| path.as_str() != FILE) {
        let text = read_if_there(Path::new(path))?.unwrap_or_default();
        lines.extend(stated(path, &String::from_utf8_lossy(&text)));
    }
    Ok(lines)
}

fn states(current: &BTreeMap<String, u64>, kept: Option<&str>, plan: &LimitPlan) -> (State, State) {
    let name = |limit: &str| format!("fs.inotify.{limit}");
    let mut before: State = current.iter().map(|(limit, value)| (name(limit), format!("{value}\n"))).collect();
    let mut after: State = plan.limits.iter().map(|(limit, value)| (name(limit), format!("{value}\n"))).collect();
    if let Some(text) = kept {
        before.insert(FILE, text);
    }
    after.insert(FILE, plan.text.as_str());
    (before, after)
}

/// The file comes first: after an interruption the next run finds the limits still low, and raises them.
fn perform(plan: &LimitPlan, kept: Option<&str>) -> Result<(), Report> {
    if kept != Some(plan.text.as_str()) {
        file::replace(Path::new(FILE), plan.text.as_bytes(), Attributes { mode: 0o644, owner: None, force: false })?;
    }
    for (limit, wanted) in &plan.raise {
        let path = Path::new(KERNEL).join(limit);
        std::fs::write(&path, format!("{wanted}\n")).map_err(|error| not_raised(limit, *wanted, &error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_usual_configurations() {
        assert_eq!(super::configurations().len(), 3);
    }
}
