//! Where a node's containerd looks for the programs and the configuration of CNI.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::name::AbsolutePath;

/// What containerd takes where its configuration says nothing.
const BINARIES: &str = "/opt/cni/bin";
const CONFIGURATION: &str = "/etc/cni/net.d";

/// The folders in which a node's containerd looks for CNI.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CniFolders {
    /// That of the programs.
    pub binaries: AbsolutePath,
    /// That of the configuration.
    pub configuration: AbsolutePath,
}

/// A configuration of containerd as it was found.
#[derive(Clone, Copy, Debug)]
pub struct Containerd<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Containerd<'_> {
    /// The folders of CNI that it names, which are not where k3s keeps the programs (`data/current/bin`), but where it has containerd look
    /// for them.
    ///
    /// # Errors
    /// `mesh/cni-folder` if it names something else than an absolute path.
    pub fn folders(&self) -> Result<CniFolders, Report> {
        let folder = |keys: &[&str], otherwise: &str| -> Result<AbsolutePath, Report> {
            let lines = self.text.lines();
            let stated = setting(lines, keys).filter(|stated| !stated.is_empty());
            let stated = stated.unwrap_or(otherwise);
            stated.parse().map_err(|_| {
                let message =
                    format!("containerd looks for CNI in `{}`, which is no absolute path", stated.escape_debug());
                Diagnostic::error(codes::CNI_FOLDER, message)
                    .at(Place::named(self.path), format!("`{}`", keys.join("` or `")))
                    .help("write the absolute path of the folder, and restart containerd")
                    .into()
            })
        };
        Ok(CniFolders {
            binaries: folder(&["bin_dir", "bin_dirs"], BINARIES)?,
            configuration: folder(&["conf_dir"], CONFIGURATION)?,
        })
    }
}

/// The value of the first line that sets one of these keys, whatever the version of the file calls the table: the first of a list, as
/// `bin_dirs` is since containerd 2.2.
pub(crate) fn setting<'l>(lines: impl IntoIterator<Item = &'l str>, keys: &[&str]) -> Option<&'l str> {
    let value = lines.into_iter().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        keys.contains(&key.trim()).then(|| value.trim())
    })?;
    let first = value.trim_matches(['[', ']', ' ']).split(',').next().unwrap_or_default();
    Some(first.trim().trim_matches(['"', '\'']))
}

/// The refusal of a host on which none of these files is there.
pub fn no_containerd(looked_at: &[AbsolutePath]) -> Diagnostic {
    let files = looked_at.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    Diagnostic::error(codes::NO_CONTAINERD, format!("no configuration of containerd is there: {files}"))
        .at(Place::named("containerd"), "")
        .help("run this on the nodes of the cluster, once Kubernetes is installed; name the file if it is another one")
}

/// Judges the folders that containerd names. `there` says of each whether it is a folder of the host: first the programs', then the
/// configuration's.
///
/// # Errors
/// `mesh/cni-folder`
pub fn judge_folders(containerd: &str, folders: &CniFolders, there: [bool; 2]) -> Result<(), Report> {
    let mut report = crate::diagnostic::Findings::new();
    for (path, there) in [(&folders.binaries, there[0]), (&folders.configuration, there[1])] {
        if !there {
            report.push(
                Diagnostic::error(
                    codes::CNI_FOLDER,
                    format!("containerd looks for CNI in `{path}`, which is not there"),
                )
                .at(Place::named(containerd), "")
                .help("install the cluster's own network first: the CNI of the mesh is chained behind it"),
            );
        }
    }
    report.conclude(()).map(drop)
}

/// The folders that all nodes have: one `DaemonSet` serves them all.
///
/// # Errors
/// `mesh/cni-disagreement` for the first node that has others than the first, `mesh/no-containerd` without any node.
pub fn agreed<'n>(nodes: impl IntoIterator<Item = (&'n str, &'n CniFolders)>) -> Result<&'n CniFolders, Report> {
    let mut nodes = nodes.into_iter();
    let Some((first, folders)) = nodes.next() else {
        return Err(Diagnostic::error(codes::NO_CONTAINERD, "no node was looked at")
            .at(Place::named("nodes"), "")
            .help("let the preflight run on the nodes of the cluster before")
            .into());
    };
    match nodes.find(|(_, others)| *others != folders) {
        None => Ok(folders),
        Some((second, others)) => {
            let said = |folders: &CniFolders| format!("`{}` and `{}`", folders.binaries, folders.configuration);
            let message = format!("{first} looks for CNI in {}, {second} in {}", said(folders), said(others));
            Err(Diagnostic::error(codes::CNI_DISAGREEMENT, message)
                .at(Place::named(second), format!("{first} has other folders"))
                .help("give containerd the same folders on every node: Istio's CNI is one DaemonSet for all of them")
                .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CniFolders, Containerd, agreed};

    fn folders(text: &str) -> CniFolders {
        Containerd { path: "config.toml", text }.folders().unwrap()
    }

    #[test]
    fn every_form_of_the_file_is_read() {
        let k3s = "version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\n  bin_dir = \"/var/lib/pharos-metallo/k3s/data/cni\"\n  \
                   conf_dir = \"/var/lib/pharos-metallo/k3s/agent/etc/cni/net.d\"\n";
        assert_eq!(folders(k3s).binaries.as_str(), "/var/lib/pharos-metallo/k3s/data/cni");
        assert_eq!(folders(k3s).configuration.as_str(), "/var/lib/pharos-metallo/k3s/agent/etc/cni/net.d");
        let list = "[plugins.'io.containerd.cri.v1.runtime'.cni]\n bin_dirs = ['/usr/lib/cni', '/opt/cni/bin']\n";
        assert_eq!(folders(list).binaries.as_str(), "/usr/lib/cni");
        assert_eq!(folders(list).configuration.as_str(), "/etc/cni/net.d");
        assert_eq!(folders("version = 3\n").binaries.as_str(), "/opt/cni/bin");
        let refused = Containerd { path: "config.toml", text: "bin_dir = \"cni\"" }.folders().unwrap_err();
        assert!(refused.to_string().contains("mesh/cni-folder"));
    }

    #[test]
    fn one_daemon_set_serves_all_nodes() {
        let (one, other) = (folders(""), folders("bin_dir = \"/usr/lib/cni\""));
        assert_eq!(agreed([("a", &one), ("b", &one)]).unwrap(), &one);
        assert!(
            agreed([("a", &one), ("b", &one), ("c", &other)]).unwrap_err().to_string().contains("c in `/usr/lib/cni`")
        );
        assert!(agreed([]).is_err());
    }
}
