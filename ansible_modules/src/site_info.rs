//! `site_info`: what an environment serves.

use std::collections::BTreeSet;

use pharos_core::catalogue::{HostView, hosts};
use pharos_core::name::{EnvironmentName, HostName, SocketAddress};
use pharos_core::policy::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::{Context, ControllerDocument, Family, Module, Place};
use crate::outcome::{Failure, Outcome};
use crate::site::{MAKES_ENVIRONMENT, Site};

/// The module.
pub(crate) struct SiteInfo;

/// What an environment serves.
///
/// Judges the edge environment together with the service catalogue and returns the hosts with their routes, and which host
/// names need a certificate.
///
/// Every fault of both documents is reported at once, each at its place.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are the options of the task")]
pub(crate) struct Arguments {
    /// The edge environment: what `pharos` renders from a policy for the edge playbook.
    #[schemars(extend("x-made-by" = MAKES_ENVIRONMENT))]
    environment_file: ControllerDocument,
    /// The service catalogue that it selects from.
    catalogue_file: ControllerDocument,
    /// The routes file of a laboratory that is served as well.
    extension_file: Option<ControllerDocument>,
}

/// What is returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Data {
    /// The name of the environment.
    environment: EnvironmentName,
    /// The kind of site.
    mode: Mode,
    /// The hosts in order, with their routes: what `pharos routes --format json` prints.
    hosts: Vec<HostView>,
    /// The host names that need a certificate, in order.
    certificate_names: BTreeSet<HostName>,
    /// The addresses of the gateway that all routes lead to.
    gateway: Vec<SocketAddress>,
}

impl Module for SiteInfo {
    const NAME: &'static str = "site_info";
    const FAMILY: Family = Family::Info;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/site_info.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, _: &Context) -> Result<Outcome<Data>, Failure> {
        let site =
            Site::read(&arguments.environment_file, &arguments.catalogue_file, arguments.extension_file.as_slice())?;
        let origins = site.table.hosts().iter().map(|host| &host.origin);
        let data = Data {
            environment: site.environment.environment,
            mode: site.environment.mode,
            hosts: hosts(&site.table),
            certificate_names: origins.filter(|origin| origin.is_https()).map(|origin| origin.host().clone()).collect(),
            gateway: site.environment.gateway.upstreams,
        };
        Ok(Outcome::of(data).with_report(site.report))
    }
}
