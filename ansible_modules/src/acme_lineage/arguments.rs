//! What a task says.

use pharos_core::certificate::lineage::{AcmePolicy, AcmeServer};
use pharos_core::diagnostic::{Place, Report};
use pharos_core::edge::challenge::IssuerChoice;
use pharos_core::name::{AbsolutePath, EdgeVariable, MailAddress};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::edge_host::default_webroot;
use crate::laboratories::{Laboratory, Presence};
use crate::module::ControllerDocument;
use crate::site::{MAKES_ENVIRONMENT, Site};

/// The certificates of an edge, requested by certbot.
///
/// Keeps one lineage for each host name of the site and of the laboratories that are registered on the host, with the challenge answered from the webroot, and with a hook that lets
/// nginx read what was renewed. A lineage that is as it should be is left alone, and lineages of other names always are.
///
/// Before an authority is asked for anything, a token is put into the webroot and fetched through each name that is to be
/// requested, on port 80 of each of its addresses.
///
/// In check mode the host is judged (certbot's version, the lineages, who requests) and certbot may still be missing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-required-if" = [
    { "when": { "edges": null }, "needs": ["edge"] },
    { "when": { "acme_issuer": null }, "needs": ["edge", "edges"] },
]))]
pub(crate) struct Arguments {
    /// The edge environment: what `pharos` renders from a policy for the edge playbook.
    #[schemars(extend("x-made-by" = MAKES_ENVIRONMENT))]
    pub(super) environment_file: ControllerDocument,
    /// The service catalogue that it selects from.
    pub(super) catalogue_file: ControllerDocument,
    /// The routes file of the laboratory that the task is run for. It takes the place of the one that is registered on the host.
    extension_file: Option<ControllerDocument>,
    /// Whether that laboratory is to be served.
    #[serde(default)]
    extension_state: Presence,
    /// The folder that port 80 answers challenges from.
    #[serde(default = "default_webroot")]
    pub(super) acme_webroot: AbsolutePath,
    /// Whom the authority writes to; empty registers without an address.
    #[serde(default)]
    pub(super) acme_email: String,
    /// Whether certificates that nobody trusts are meant.
    #[serde(default)]
    pub(super) acme_staging: bool,
    /// The ACME directory; empty means Let's Encrypt's, the staging one with `acme_staging`.
    #[serde(default)]
    pub(super) acme_server: String,
    /// Where certbot comes from.
    #[serde(default)]
    pub(super) certbot_source: CertbotSource,
    /// Whether the renewal of each lineage is proven, with its hooks.
    #[serde(default)]
    pub(super) prove_renewal: bool,
    /// The name of this edge in the inventory.
    #[serde(default)]
    pub(super) edge: String,
    /// The names of all edges of the site.
    #[serde(default)]
    pub(super) edges: Vec<String>,
    /// The edge that requests the certificates for all; needed if there are several.
    #[serde(default)]
    pub(super) acme_issuer: String,
    /// Its address, perhaps with a port, as the other edges reach it.
    #[serde(default)]
    pub(super) acme_issuer_address: String,
    /// The names of the variables of this host that begin with `edge_`, as the role passes them: one that it does not have is refused.
    #[serde(default)]
    #[expect(dead_code, reason = "what is wrong with it is said when it is read")]
    variables: Vec<EdgeVariable>,
}

/// Where certbot comes from.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CertbotSource {
    /// The package of the distribution.
    #[default]
    Distribution,
    /// The Python Package Index, in a virtual environment under `/opt/pharos-certbot`.
    Pypi,
}

impl Arguments {
    /// What the inventory says of the edges.
    pub(super) fn choice(&self) -> IssuerChoice {
        IssuerChoice {
            edge: self.edge.clone(),
            edges: self.edges.clone(),
            issuer: self.acme_issuer.clone(),
            address: self.acme_issuer_address.clone(),
        }
    }

    /// What certificates are to be had, with what the documents warn of.
    pub(super) fn policy(&self) -> Result<(AcmePolicy, Report), Report> {
        let laboratory = Laboratory { extension: self.extension_file.as_ref(), presence: self.extension_state };
        let site = Site::on_host(&self.environment_file, &self.catalogue_file, laboratory)?;
        let place = |key: &str| Place::named("arguments").with_key(key);
        let server = Some(self.acme_server.as_str()).filter(|text| !text.is_empty());
        let server = server.map(str::parse::<AcmeServer>).transpose();
        let email = Some(self.acme_email.as_str()).filter(|text| !text.is_empty());
        let email = email.map(str::parse::<MailAddress>).transpose();
        let policy = AcmePolicy {
            hosts: site.table.hosts().iter().map(|host| host.origin.host().clone()).collect(),
            server: server.map_err(|error| error.at(place("/acme_server")))?,
            staging: self.acme_staging,
            webroot: self.acme_webroot.clone(),
            email: email.map_err(|error| error.at(place("/acme_email")))?,
        };
        Ok((policy, site.report))
    }
}
