//! `edge_listeners_info`: who listens on a host.

use std::collections::BTreeSet;

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::inspect::{self, ListeningSocket, Master, Observed, Ours, Overview};
use pharos_core::edge::install::ROOT;
use pharos_core::edge::nginx::Configuration;
use pharos_core::edge::render::{HTTP_FILE, HTTPS_FILE};
use pharos_core::name::{AbsolutePath, HostName, Port};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host;
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome};

/// The module.
pub(crate) struct EdgeListenersInfo;

/// Who listens on a host.
///
/// Reads the configuration of every nginx on the host with all that it includes, the listening sockets and the processes that
/// hold them, and tells who answers where: servers, defaults, welcome sites of packages.
///
/// Findings are what keeps the edge from being served: a second default server, a name that another server has, a specific
/// address that takes its traffic away, a port that another process holds. What an edge that is not installed yet would
/// collide with is told by `pharos.platform.edge_config` in check mode.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The host names that the edge is to serve there.
    #[serde(default)]
    hosts: Vec<HostName>,
    /// The ports that it is to listen on.
    #[serde(default = "https")]
    ports: Vec<Port>,
    /// The folder that ACME challenges are answered from, where certificates are requested on this host.
    acme_webroot: Option<AbsolutePath>,
    /// The configuration that nginx is started with.
    #[serde(default = "root")]
    configuration: AbsolutePath,
    /// Whether the task fails if something stands in the way. Otherwise `clear` says so.
    #[serde(default)]
    refuse_conflicts: bool,
}

fn https() -> Vec<Port> {
    vec![Port::HTTPS]
}

#[expect(clippy::expect_used, reason = "the path is written here, in normal form")]
fn root() -> AbsolutePath {
    ROOT.parse().expect("a path")
}

/// What is returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Data {
    /// Whether nothing stands in the way of the edge.
    clear: bool,
    /// Each nginx configuration of the host.
    configurations: Vec<Overview>,
    /// The listening TCP sockets.
    sockets: Vec<ListeningSocket>,
    /// The nginx master processes.
    masters: Vec<Master>,
}

impl Module for EdgeListenersInfo {
    const NAME: &'static str = "edge_listeners_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("examples/edge_listeners_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        let observed = host::observed()?;
        let mut findings = Findings::new();
        let configurations = configurations(&arguments.configuration, &observed, &mut findings)?;
        let configurations = inspect::inspect(&configurations, &ours(&arguments), &observed, &mut findings);
        let report = findings.into_report();
        let Observed { sockets, masters } = observed;
        let data = Data { clear: !report.refuses(), configurations, sockets, masters };
        if arguments.refuse_conflicts && !data.clear {
            return Err(Failure::from(report).with_data(&data));
        }
        Ok(Outcome::of(data).with_report(report))
    }
}

/// The configuration that was named, where there is one, and that of each master that was started with another.
fn configurations(
    root: &AbsolutePath,
    observed: &Observed,
    findings: &mut Findings,
) -> Result<Vec<Configuration>, Report> {
    let masters = observed.masters.iter().filter_map(|master| master.configuration.as_deref());
    let roots: BTreeSet<&str> = masters.chain([root.as_str()]).collect();
    let mut found = Vec::new();
    for root in roots {
        let files = host::configuration::read(root)?;
        if files.get(root).is_some() {
            found.push(Configuration::load(&files, root, findings));
        }
    }
    Ok(found)
}

fn ours(arguments: &Arguments) -> Ours {
    let file = |port: &Port| if *port == Port::HTTP { HTTP_FILE } else { HTTPS_FILE };
    let files: BTreeSet<&str> = arguments.ports.iter().map(file).collect();
    Ours {
        files: files.into_iter().map(str::to_owned).collect(),
        hosts: arguments.hosts.iter().map(ToString::to_string).collect(),
        ports: arguments.ports.iter().map(|port| port.get()).collect(),
        webroot: arguments.acme_webroot.as_ref().map(ToString::to_string),
    }
}
