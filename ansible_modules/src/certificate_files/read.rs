//! Reading them where they were requested.

use std::path::Path;

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::CertificateFiles as Paths;
use pharos_core::name::{AbsolutePath, HostName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Content;
use crate::files::read;
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome};

/// The module.
pub(crate) struct CertificateFilesInfo;

/// The certificates of an edge with their keys.
///
/// Returns what certbot keeps for each host name, for an edge that was not the one to request it. Private keys are returned: the
/// task needs `no_log: true`. In check mode a certificate that is still to be requested is passed over.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The host names.
    #[schemars(length(min = 1))]
    hosts: Vec<HostName>,
}

/// What is returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Data {
    /// The certificates, in the order of the task.
    files: Vec<Content>,
}

impl Module for CertificateFilesInfo {
    const NAME: &'static str = "certificate_files_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("../examples/certificate_files_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        let mut findings = Findings::new();
        let mut files = Vec::new();
        for host in arguments.hosts {
            let paths = Paths::lineage(&host);
            if context.check && !Path::new(paths.certificate.as_str()).exists() {
                continue;
            }
            match (text(&paths.certificate), text(&paths.key)) {
                (Ok(certificate), Ok(key)) => files.push(Content { host, certificate, key }),
                (certificate, key) => {
                    [certificate, key].into_iter().filter_map(Result::err).for_each(|report| findings.extend(report));
                }
            }
        }
        let (files, report) = findings.conclude(files)?;
        Ok(Outcome::of(Data { files }).with_report(report))
    }
}

fn text(path: &AbsolutePath) -> Result<String, Report> {
    Ok(String::from_utf8_lossy(&read(Path::new(path.as_str()))?).into_owned())
}
