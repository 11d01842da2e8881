//! Where a node's containerd looks for the programs and the configuration of CNI.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report, Source};
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

/// The plugins that CNI is a setting of, as versions 1 to 3 of the file call them.
const PLUGINS: [&str; 3] = ["io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri", "cri"];

/// What one file states.
#[derive(Default)]
struct Stated {
    /// Whether it has a table of the plugin at all.
    has_plugin: bool,
    binaries: Option<String>,
    configuration: Option<String>,
}

impl Containerd<'_> {
    /// The patterns of the files that it imports, in their order: a relative one counts from its own folder. What they state goes before
    /// what it states itself.
    ///
    /// # Errors
    /// `mesh/cni-folder` if it is no TOML.
    pub fn imports(&self) -> Result<Vec<String>, Report> {
        let table = self.table()?;
        let patterns = table.get("imports").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let absolute =
            |pattern: &str| if pattern.starts_with('/') { pattern.to_owned() } else { format!("{folder}/{pattern}") };
        Ok(patterns.map(absolute).collect())
    }

    /// The folders of CNI that it names together with what it imports, in the order in which containerd reads that. They are not where k3s
    /// keeps the programs (`data/current/bin`), but where it has containerd look for them.
    ///
    /// # Errors
    /// `mesh/cni-folder` if a file is no TOML, names something else than an absolute path, or has a table of the plugin without a folder
    /// that an earlier file states: releases of containerd merge such tables, or replace the whole.
    pub fn folders(&self, imported: &[Containerd<'_>]) -> Result<CniFolders, Report> {
        let mut files = Vec::with_capacity(imported.len() + 1);
        for file in std::iter::once(self).chain(imported) {
            files.push((file.path, file.stated()?));
        }
        let folder = |what: &str, stated: fn(&Stated) -> Option<&String>, otherwise: &str| {
            let last = files.iter().rev().find(|(_, file)| file.has_plugin);
            let named = files.iter().rev().find_map(|(path, file)| Some((*path, stated(file)?)));
            let (path, folder) = named.map_or((self.path, otherwise), |(path, folder)| (path, folder.as_str()));
            if let (Some((last, _)), Some(_)) = (last.filter(|(last, _)| *last != path), named) {
                let message = format!("containerd may or may not look for CNI in `{}`", folder.escape_debug());
                return Err(Report::from(
                    Diagnostic::error(codes::CNI_FOLDER, message)
                        .at(Place::named(last), format!("the plugin of CNI without `{what}`"))
                        .at(Place::named(path), format!("`{what}`"))
                        .help(format!("state `{what}` in the file that is imported last too, and restart containerd")),
                ));
            }
            folder.parse().map_err(|_| not_absolute(path, what, folder))
        };
        Ok(CniFolders {
            binaries: folder("bin_dir", |file| file.binaries.as_ref(), BINARIES)?,
            configuration: folder("conf_dir", |file| file.configuration.as_ref(), CONFIGURATION)?,
        })
    }

    /// The folder of the programs as this file alone names it, if it imports none; nothing where that cannot be said.
    pub(crate) fn binaries(&self) -> Option<String> {
        self.imports().ok().filter(Vec::is_empty)?;
        self.stated().ok()?.binaries
    }

    fn table(&self) -> Result<Table, Report> {
        self.text.parse().map_err(|error: toml::de::Error| {
            let source = Source::private(self.path, self.text);
            let place = error.span().map_or_else(|| source.whole(), |span| source.place(span));
            Diagnostic::error(codes::CNI_FOLDER, "this configuration of containerd is no TOML")
                .at(place, "")
                .help("mend it: containerd itself does not start with it")
                .into()
        })
    }

    fn stated(&self) -> Result<Stated, Report> {
        let table = self.table()?;
        let mut stated = Stated::default();
        for plugin in PLUGINS.iter().filter_map(|name| table.get("plugins")?.get(name)) {
            stated.has_plugin = true;
            let text =
                |key: &str| plugin.get("cni")?.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
            // A list since containerd 2.2, which goes before the one folder.
            let list = plugin.get("cni").and_then(|cni| cni.get("bin_dirs")).and_then(Value::as_array);
            let first = list.and_then(|list| list.first()?.as_str()).map(str::to_owned);
            stated.binaries = stated.binaries.or(first).or_else(|| text("bin_dir"));
            stated.configuration = stated.configuration.or_else(|| text("conf_dir"));
        }
        Ok(stated)
    }
}

fn not_absolute(path: &str, what: &str, folder: &str) -> Report {
    let message = format!("containerd looks for CNI in `{}`, which is no absolute path", folder.escape_debug());
    Diagnostic::error(codes::CNI_FOLDER, message)
        .at(Place::named(path), format!("`{what}`"))
        .help("write the absolute path of the folder, and restart containerd")
        .into()
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

    fn of<'t>(path: &'t str, text: &'t str) -> Containerd<'t> {
        Containerd { path, text }
    }

    fn folders(text: &str) -> CniFolders {
        of("config.toml", text).folders(&[]).unwrap()
    }

    const RUNTIME: &str = "[plugins.'io.containerd.cri.v1.runtime'.cni]\n";

    #[test]
    fn every_form_of_the_file_is_read() {
        let k3s = "version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\n  bin_dir = \"/var/lib/pharos-metallo/k3s/data/cni\"\n  \
                   conf_dir = \"/var/lib/pharos-metallo/k3s/agent/etc/cni/net.d\"\n";
        assert_eq!(folders(k3s).binaries.as_str(), "/var/lib/pharos-metallo/k3s/data/cni");
        assert_eq!(folders(k3s).configuration.as_str(), "/var/lib/pharos-metallo/k3s/agent/etc/cni/net.d");
        for (text, expected) in [
            ("bin_dirs = ['/usr/lib/cni', '/opt/cni/bin']", "/usr/lib/cni"),
            ("bin_dirs = [\n  '/a',\n  '/b',\n]", "/a"),
            ("bin_dir = ''\nbin_dirs = ['/b']", "/b"),
            ("bin_dir = '/a' # ours", "/a"),
            ("bin_dirs = []\nbin_dir = '/a'", "/a"),
            ("", "/opt/cni/bin"),
        ] {
            let found = folders(&format!("{RUNTIME}{text}\n"));
            assert_eq!((found.binaries.as_str(), found.configuration.as_str()), (expected, "/etc/cni/net.d"), "{text}");
        }
        assert_eq!(folders("version = 3\n").binaries.as_str(), "/opt/cni/bin");
        let inline =
            "plugins.cri = { cni = { bin_dir = '/a' } }\n[plugins.'io.containerd.other.v1.x']\nbin_dir = '/b'\n";
        assert_eq!(folders(inline).binaries.as_str(), "/a");
        for (text, words) in [("bin_dir = 'cni'", "no absolute path"), ("bin_dir = /a", "no TOML")] {
            let refused = of("config.toml", &format!("{RUNTIME}{text}")).folders(&[]).unwrap_err().to_string();
            assert!(refused.contains("mesh/cni-folder") && refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn what_is_imported_goes_before_what_imports_it() {
        let text = format!("imports = ['/etc/containerd/conf.d/*.toml', 'own.toml']\n{RUNTIME}bin_dir = '/a'\n");
        let main = of("/etc/containerd/config.toml", &text);
        assert_eq!(main.imports().unwrap(), ["/etc/containerd/conf.d/*.toml", "/etc/containerd/own.toml"]);
        assert_eq!(main.binaries(), None, "what it imports was not read");
        let (other, folder) =
            ("[plugins.'io.containerd.other.v1.x']\nbin_dir = '/x'\n", format!("{RUNTIME}bin_dir = '/b'\n"));
        let read = |imported: &[Containerd<'_>]| main.folders(imported).map(|found| found.binaries.to_string());
        assert_eq!(read(&[of("other.toml", other)]).unwrap(), "/a");
        assert_eq!(read(&[of("folder.toml", &folder), of("other.toml", other)]).unwrap(), "/b");
        let silent = format!("{RUNTIME}conf_dir = '/etc/cni/net.d'\n");
        let refused = read(&[of("silent.toml", &silent)]).unwrap_err().to_string();
        assert!(refused.contains("may or may not") && refused.contains("silent.toml"), "{refused}");
    }

    #[test]
    fn one_daemon_set_serves_all_nodes() {
        let (one, other) = (folders(""), folders(&format!("{RUNTIME}bin_dir = '/usr/lib/cni'")));
        assert_eq!(agreed([("a", &one), ("b", &one)]).unwrap(), &one);
        assert!(
            agreed([("a", &one), ("b", &one), ("c", &other)]).unwrap_err().to_string().contains("c in `/usr/lib/cni`")
        );
        assert!(agreed([]).is_err());
    }
}
