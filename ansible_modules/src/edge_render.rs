//! `edge_render`: the configuration of an edge as text.

use pharos_core::diagnostic::{Findings, Place as Where, Report};
use pharos_core::edge::render::{self, ConfigFile};
use pharos_core::edge::{EdgeHost, HttpSettings, NginxBuild};
use pharos_core::name::{AbsolutePath, ListenAddress, SocketAddress};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edge_host::{CertificateOwner, HostCertificate, certificate_mode, default_webroot};
use crate::module::{Context, ControllerDocument, Family, Module, Place};
use crate::outcome::{Failure, Outcome};
use crate::site::{MAKES_ENVIRONMENT, Site};

/// The module.
pub(crate) struct EdgeRender;

/// The nginx configuration of an edge, as text.
///
/// Renders the files that `pharos.platform.edge_config` would install, for the nginx that is named and without looking at a
/// host. Equal arguments give equal bytes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-required-if" = [{ "when": { "certificate_mode": "existing" }, "needs": ["certificate_files"] }]))]
pub(crate) struct Arguments {
    /// The edge environment: what `pharos` renders from a policy for the edge playbook.
    #[schemars(extend("x-made-by" = MAKES_ENVIRONMENT))]
    environment_file: ControllerDocument,
    /// The service catalogue that it selects from.
    catalogue_file: ControllerDocument,
    /// The routes file of a laboratory that is served as well.
    extension_file: Option<ControllerDocument>,
    /// The nginx that will read the files: its version, for example `1.22.1`, or what `nginx -V` prints.
    nginx: String,
    /// Who owns the certificates.
    #[serde(default)]
    certificate_mode: CertificateOwner,
    /// With `existing`: the files of each host name.
    #[serde(default)]
    certificate_files: Vec<HostCertificate>,
    /// With `certbot`: the folder that challenges are answered from.
    #[serde(default = "default_webroot")]
    acme_webroot: AbsolutePath,
    /// With `certbot`: whether the certificates are for trial; strict transport security is then never sent.
    #[serde(default)]
    acme_staging: bool,
    /// With `certbot`: address and port of the edge that requests the certificates for all, if that is another one.
    acme_issuer_address: Option<SocketAddress>,
    /// The addresses to listen on; none means all of them.
    #[serde(default)]
    listen_addresses: Vec<ListenAddress>,
    /// Whether the host has IPv6.
    #[serde(default = "yes")]
    ipv6: bool,
}

fn yes() -> bool {
    true
}

/// What is returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Data {
    /// The files, in the order in which they are installed: the listener on port 80, where there is one, comes first.
    files: Vec<File>,
}

/// A file.
#[derive(Serialize, JsonSchema)]
struct File {
    /// Where it belongs on the edge host.
    path: String,
    /// Its whole text.
    content: String,
}

impl Module for EdgeRender {
    const NAME: &'static str = "edge_render";
    const FAMILY: Family = Family::Render;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/edge_render.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        let site =
            Site::read(&arguments.environment_file, &arguments.catalogue_file, arguments.extension_file.as_slice())?;
        let host = host(&arguments)?;
        let http = render::http(&site.table, &host)?;
        let (https, report) = render::https(&site.table, &site.environment, &host)?;
        let mut findings = Findings::new();
        findings.extend(site.report);
        findings.extend(report);
        let files = http.iter().chain([&https]).map(File::of).collect();
        Ok(Outcome::of(Data { files }).with_report(findings.into_report()))
    }
}

fn host(arguments: &Arguments) -> Result<EdgeHost, Report> {
    let nginx = NginxBuild::parse(&arguments.nginx)
        .map_err(|diagnostic| Report::from(diagnostic.at(Where::named("arguments").with_key("/nginx"), "")))?;
    let certificates = certificate_mode(
        arguments.certificate_mode,
        &arguments.certificate_files,
        &arguments.acme_webroot,
        arguments.acme_issuer_address,
        arguments.acme_staging,
    );
    Ok(EdgeHost {
        nginx,
        ipv6: arguments.ipv6,
        listen_addresses: arguments.listen_addresses.iter().map(|address| address.get()).collect(),
        certificates,
        existing: HttpSettings::new(),
    })
}

impl File {
    fn of(file: &ConfigFile) -> Self {
        Self { path: file.path().to_owned(), content: file.text().clone() }
    }
}
