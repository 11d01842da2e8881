//! Cases of the edge: documents as files, which become what the renderer takes.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use pharos_core::catalogue::{self, CatalogueDocument, RouteTable};
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document;
use pharos_core::edge::{CertificateFiles, CertificateMode, EdgeHost, HttpSetting, NginxBuild};
use pharos_core::name::{AbsolutePath, HostName, SocketAddress};
use pharos_core::policy::EdgeEnvironment;
use schemars::JsonSchema;
use serde::Deserialize;

/// What the renderer takes.
pub(crate) struct Case {
    pub(crate) table: RouteTable,
    pub(crate) environment: EdgeEnvironment,
    pub(crate) host: EdgeHost,
}

/// A host, as a case states it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HostCase {
    nginx: String,
    ipv6: bool,
    #[serde(default)]
    listen_addresses: Vec<String>,
    certificates: CertificatesCase,
    #[serde(default)]
    server_names_hash_bucket_size: Option<u64>,
    #[serde(default)]
    server_names_hash_max_size: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CertificatesCase {
    Existing(BTreeMap<HostName, FilesCase>),
    Certbot(CertbotCase),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FilesCase {
    certificate: AbsolutePath,
    key: AbsolutePath,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CertbotCase {
    webroot: AbsolutePath,
    #[serde(default)]
    issuer: Option<SocketAddress>,
    #[serde(default)]
    staging: bool,
}

/// The folder of the cases.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edge")
}

/// The names of all cases.
pub(crate) fn all() -> Vec<String> {
    let entries = std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = entries
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Reads the documents of a folder, with the catalogue beside the cases.
pub(crate) fn read(folder: &Path) -> Result<Case, Report> {
    let text = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Source::public(&name, &std::fs::read_to_string(path).unwrap())
    };
    let catalogue = document::read::<CatalogueDocument>(&text(&root().join("catalogue.yaml")))?;
    let environment = document::read::<EdgeEnvironment>(&text(&folder.join("environment.yaml")))?;
    let host = document::read::<HostCase>(&text(&folder.join("host.yaml")))?.value;
    let (table, _) = catalogue::resolve(&catalogue, &environment)?;
    Ok(Case { table, environment: environment.value, host: edge_host(host)? })
}

fn edge_host(case: HostCase) -> Result<EdgeHost, Report> {
    let certificates = match case.certificates {
        CertificatesCase::Existing(files) => {
            let files = files
                .into_iter()
                .map(|(host, FilesCase { certificate, key })| (host, CertificateFiles { certificate, key }));
            CertificateMode::Existing { files: files.collect() }
        }
        CertificatesCase::Certbot(CertbotCase { webroot, issuer, staging }) => {
            CertificateMode::Certbot { webroot, issuer, staging }
        }
    };
    let sizes = [
        (HttpSetting::ServerNamesHashBucketSize, case.server_names_hash_bucket_size),
        (HttpSetting::ServerNamesHashMaxSize, case.server_names_hash_max_size),
    ];
    Ok(EdgeHost {
        nginx: NginxBuild::parse(&case.nginx)?,
        ipv6: case.ipv6,
        listen_addresses: case.listen_addresses.iter().map(|text| text.parse::<IpAddr>().unwrap()).collect(),
        certificates,
        existing: sizes.into_iter().filter_map(|(setting, size)| Some((setting, size?))).collect(),
    })
}
