//! `acme_lineages_info`: which certificates to request, to request anew, or to leave.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pharos_core::certificate::lineage::{AcmePolicy, AcmeServer, Action, LineageDecision, LineageFiles, decide};
use pharos_core::certificate::{Input, UnixTime};
use pharos_core::diagnostic::{Place as Where, Report};
use pharos_core::name::{AbsolutePath, HostName, MailAddress};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edge_host::default_webroot;
use crate::files::{names, read_if_there};
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome};

/// The module.
pub(crate) struct AcmeLineagesInfo;

/// Which certificates certbot is to request.
///
/// Compares what certbot keeps on the host with what is wanted, one lineage a host name, and decides for each whether it is
/// to be issued, issued again or left to its timer, with the reasons and the arguments for certbot.
///
/// Lineages of other names are never touched. Private keys are read where they lie. Nothing of them is returned.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The host names that need a certificate.
    #[schemars(length(min = 1))]
    hosts: Vec<HostName>,
    /// Whether certificates for trial are meant, which no client trusts.
    #[serde(default)]
    staging: bool,
    /// The URL of the ACME directory, if it is not that of Let's Encrypt.
    server: Option<String>,
    /// The folder that challenges are answered from.
    #[serde(default = "default_webroot")]
    webroot: AbsolutePath,
    /// Whom the authority writes to.
    email: Option<MailAddress>,
    /// Where certbot keeps its lineages.
    #[serde(default = "default_directory")]
    directory: AbsolutePath,
}

#[expect(clippy::expect_used, reason = "the path is written here, in normal form")]
fn default_directory() -> AbsolutePath {
    "/etc/letsencrypt".parse().expect("a path")
}

/// What is returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Data {
    /// The decision on each host name, in the order of the task.
    lineages: Vec<LineageDecision>,
    /// The host names of which a certificate is to be requested, or requested anew.
    requests: Vec<HostName>,
}

impl Module for AcmeLineagesInfo {
    const NAME: &'static str = "acme_lineages_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("examples/acme_lineages_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        let folder = Folder::read(Path::new(arguments.directory.as_str()), &arguments.hosts)?;
        let policy = policy(arguments)?;
        let (lineages, report) = decide(&policy, &folder.lineages(), UnixTime::new(context.instant))?;
        let wanted = lineages.iter().filter(|lineage| lineage.action != Action::Leave);
        let requests = wanted.map(|lineage| lineage.host.clone()).collect();
        Ok(Outcome::of(Data { lineages, requests }).with_report(report))
    }
}

/// The decisions on the lineages of this host, with what was only warned about.
pub(crate) fn decisions(policy: &AcmePolicy, at: UnixTime) -> Result<(Vec<LineageDecision>, Report), Report> {
    let folder = Folder::read(Path::new(default_directory().as_str()), &policy.hosts)?;
    decide(policy, &folder.lineages(), at)
}

fn policy(arguments: Arguments) -> Result<AcmePolicy, Report> {
    let parse = |text: String| text.parse::<AcmeServer>();
    let server = arguments.server.map(parse).transpose();
    let server = server.map_err(|error| error.at(Where::named("arguments").with_key("/server")))?;
    let Arguments { hosts, staging, webroot, email, .. } = arguments;
    Ok(AcmePolicy { hosts, server, staging, webroot, email })
}

/// A file: its path and its content.
type File = (String, Vec<u8>);

/// What lies in certbot's folder.
struct Folder(BTreeMap<String, Lineage>);

/// What lies there for one name.
struct Lineage {
    renewal: Option<File>,
    chain: Option<File>,
    key: Option<File>,
    folders: bool,
}

impl Folder {
    /// Reads it; certificates and keys only of the lineages that are asked for. A folder that is not there holds nothing.
    fn read(root: &Path, hosts: &[HostName]) -> Result<Self, Report> {
        let configured = names(&root.join("renewal"))?;
        let mut found: BTreeSet<String> =
            configured.iter().filter_map(|entry| entry.strip_suffix(".conf")).map(str::to_owned).collect();
        for folder in ["live", "archive"] {
            found.extend(names(&root.join(folder))?);
        }
        let mut lineages = BTreeMap::new();
        for name in found {
            let asked = hosts.iter().any(|host| host.as_str() == name);
            let live = root.join("live").join(&name);
            let lineage = Lineage {
                renewal: file(&root.join("renewal").join(format!("{name}.conf")))?,
                chain: if asked { file(&live.join("fullchain.pem"))? } else { None },
                key: if asked { file(&live.join("privkey.pem"))? } else { None },
                folders: !names(&live)?.is_empty() || !names(&root.join("archive").join(&name))?.is_empty(),
            };
            lineages.insert(name, lineage);
        }
        Ok(Self(lineages))
    }

    fn lineages(&self) -> Vec<LineageFiles<'_>> {
        let lineages = self.0.iter();
        lineages
            .map(|(name, lineage)| LineageFiles {
                name,
                renewal: lineage.renewal.as_ref().map(as_input),
                chain: lineage.chain.as_ref().map(as_input),
                key: lineage.key.as_ref().map(as_input),
                folders: lineage.folders,
            })
            .collect()
    }
}

fn as_input((name, bytes): &File) -> Input<'_> {
    Input { name, bytes }
}

/// A file with its path; `None` if it is not there.
fn file(path: &Path) -> Result<Option<File>, Report> {
    let bytes = read_if_there(path)?;
    Ok(bytes.map(|bytes| (path.display().to_string(), bytes)))
}
