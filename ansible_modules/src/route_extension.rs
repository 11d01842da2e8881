//! `route_extension`: a laboratory in the registry of an edge.

use std::path::Path;

use pharos_core::catalogue::extension::{self, REGISTRY};
use pharos_core::catalogue::{ExtensionDocument, Owner, RouteTable};
use pharos_core::diagnostic::{Diagnostic, Place as Where, Report, Source};
use pharos_core::document;
use pharos_core::edge::install::{Listener, judge_served, not_root};
use pharos_core::module::codes;
use pharos_core::name::DnsLabel;
use pharos_live::file;
use pharos_live::guarded::GuardedDir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edge_config;
use crate::files::read_if_there;
use crate::laboratories::{self, Laboratory, Presence};
use crate::module::{Context, ControllerDocument, Family, Module, Place};
use crate::outcome::{Failure, Outcome, State};
use crate::site::{MAKES_ENVIRONMENT, Site, source};

/// The module.
pub(crate) struct RouteExtension;

/// A laboratory in the registry of an edge.
///
/// What is registered under `/opt/pharos-edge/extensions` is served by every later run of the edge's playbook, from whichever
/// checkout. The file is written only after the edge serves the laboratory: `pharos.platform.edge_config` with the same
/// `extension_file` comes first. It takes the place of the registered file of the same laboratory.
///
/// The extension is judged together with the catalogue, the environment and every other registered laboratory; a registered file that
/// cannot be read is a refusal that names it.
///
/// With `state: absent` the file is removed, and the next run of the playbook takes the routes away. Certificates stay.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-required-if" = [
    { "when": { "state": "present" }, "needs": ["extension_file", "environment_file", "catalogue_file"] },
]))]
pub(crate) struct Arguments {
    /// Whether the laboratory is to be registered.
    #[serde(default)]
    state: Presence,
    /// The laboratory's routes file. With `state: absent` it only names the laboratory.
    extension_file: Option<ControllerDocument>,
    /// The laboratory, where `extension_file` does not name it.
    name: Option<DnsLabel>,
    /// The edge environment: what `pharos` renders from a policy for the edge playbook.
    #[schemars(extend("x-made-by" = MAKES_ENVIRONMENT))]
    environment_file: Option<ControllerDocument>,
    /// The service catalogue that it selects from.
    catalogue_file: Option<ControllerDocument>,
}

/// What is returned.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Data {
    /// The laboratory.
    laboratory: DnsLabel,
    /// Its file on the edge host.
    path: String,
    /// The host names that it adds, in order.
    hosts: Vec<String>,
    /// The joined names of its routes, in the order of the route table.
    routes: Vec<String>,
}

impl Module for RouteExtension {
    const NAME: &'static str = "route_extension";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("examples/route_extension.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        // Whatever the connection's is: everybody may read the registry.
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        let user = rustix::process::geteuid();
        if !user.is_root() {
            return Err(not_root(user.as_raw()).into());
        }
        let found = look(&arguments)?;
        if context.check || !found.differs() {
            return Ok(found.outcome());
        }
        // From here on the edge is changed by nobody else: what was seen before the lock is seen again.
        let _lock = edge_config::lock("route_extension".to_owned())?;
        let found = look(&arguments)?;
        if found.differs() {
            found.register()?;
        }
        Ok(found.outcome())
    }
}

/// A laboratory as it is registered, and as it is to be.
struct Found {
    laboratory: DnsLabel,
    /// What is to be served; `None` where the laboratory is to be removed.
    site: Option<Site>,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

fn look(arguments: &Arguments) -> Result<Found, Report> {
    let Arguments { state, extension_file, name, environment_file, catalogue_file } = arguments;
    let extension = extension_file.as_ref();
    let (site, after) = match (state, extension, environment_file, catalogue_file) {
        (Presence::Present, Some(given), Some(environment), Some(catalogue)) => {
            let laboratory = Laboratory { extension, presence: Presence::Present };
            (Some(Site::on_host(environment, catalogue, laboratory)?), Some(given.text.as_bytes().to_vec()))
        }
        _ => (None, None),
    };
    let laboratory = laboratory(extension, name.as_ref())?;
    let before = match GuardedDir::open(Path::new(REGISTRY))? {
        Some(folder) => laboratories::read(&folder, &file_name(&laboratory))?,
        None => None,
    };
    Ok(Found { laboratory, site, before, after })
}

/// Which laboratory is meant; two that are named are one.
fn laboratory(extension: Option<&ControllerDocument>, name: Option<&DnsLabel>) -> Result<DnsLabel, Report> {
    let refuse = |code, message: String, help: &str| {
        Err(Diagnostic::error(code, message).at(Where::named("arguments").with_key("/name"), "").help(help).into())
    };
    let Some(source) = extension.map(source) else {
        let missing = || {
            refuse(
                codes::MISSING_OPTION,
                "`name` is missing".to_owned(),
                "name the laboratory, or give its `extension_file`",
            )
        };
        return name.cloned().map_or_else(missing, Ok);
    };
    let Some(laboratory) = extension::name_of(&source) else {
        return Err(document::read::<ExtensionDocument>(&source).err().unwrap_or_default());
    };
    match name.filter(|name| **name != laboratory) {
        Some(name) => refuse(
            codes::OPTION_VALUE,
            format!("`name` is `{name}`, and `extension_file` ({}) is that of `{laboratory}`", source.name()),
            "leave one of the two out, or let both mean the same laboratory",
        ),
        None => Ok(laboratory),
    }
}

fn file_name(laboratory: &DnsLabel) -> String {
    format!("{laboratory}.yaml")
}

impl Found {
    fn differs(&self) -> bool {
        self.before != self.after
    }

    /// Writes or removes the file, for the holder of the edge's lock.
    fn register(&self) -> Result<(), Report> {
        let name = file_name(&self.laboratory);
        match (&self.after, &self.site) {
            (Some(bytes), Some(site)) => {
                self.judge_served(&site.table)?;
                let folder = GuardedDir::create(Path::new(REGISTRY))?;
                file::sweep(Path::new(&extension::file_of(&self.laboratory)))?;
                folder.write(&name, bytes)
            }
            _ => match GuardedDir::open(Path::new(REGISTRY))? {
                Some(folder) => folder.remove(&name),
                None => Ok(()),
            },
        }
    }

    fn judge_served(&self, table: &RouteTable) -> Result<(), Report> {
        let path = Listener::Https.file();
        let live = read_if_there(Path::new(path))?;
        let live = live.map(|bytes| Source::public(path, &String::from_utf8_lossy(&bytes)));
        judge_served(&self.laboratory, table, live.as_ref(), edge_config::pending(Listener::Https)?)
    }

    fn outcome(self) -> Outcome<Data> {
        let path = extension::file_of(&self.laboratory);
        let state = |bytes: Option<&Vec<u8>>| -> State {
            bytes.map(|bytes| (path.clone(), String::from_utf8_lossy(bytes).into_owned())).into_iter().collect()
        };
        let (before, after) = (state(self.before.as_ref()), state(self.after.as_ref()));
        let (table, report) = self.site.map_or_else(Default::default, |site| (Some(site.table), site.report));
        let owner = Owner::Laboratory(self.laboratory.clone());
        let own = || table.iter().flat_map(RouteTable::routes).filter(|(_, route)| route.owner == owner);
        let mut hosts: Vec<String> = own().map(|(origin, _)| origin.host().to_string()).collect();
        hosts.dedup();
        let routes = own().map(|(_, route)| route.id.to_string()).collect();
        let data = Data { laboratory: self.laboratory, path, hosts, routes };
        Outcome::of(data).with_change(before, after).with_report(report)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails loudly")]
mod tests {
    use pharos_core::name::DnsLabel;

    use super::laboratory;
    use crate::module::ControllerDocument;

    #[test]
    fn one_laboratory_is_meant() {
        let text = "version: 1\nname: icarus\nnamespace: icarus\nroutes: []\n".to_owned();
        let file = ControllerDocument { name: "icarus.yaml".to_owned(), text };
        let (icarus, daedalus): (DnsLabel, DnsLabel) = ("icarus".parse().unwrap(), "daedalus".parse().unwrap());
        for name in [None, Some(&icarus)] {
            assert_eq!(laboratory(Some(&file), name).unwrap(), icarus);
        }
        assert_eq!(laboratory(None, Some(&daedalus)).unwrap(), daedalus);
        let code = |extension, name| laboratory(extension, name).unwrap_err().diagnostics()[0].code.name();
        assert_eq!(code(None, None), "module/missing-option");
        assert_eq!(code(Some(&file), Some(&daedalus)), "module/option-value");
    }
}
