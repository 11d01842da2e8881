//! What a task says.

use pharos_core::diagnostic::Report;
use pharos_core::edge::install::{Desired, Listener};
use pharos_core::name::{AbsolutePath, EdgeVariable, ListenAddress, SocketAddress};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::edge_host::{CertificateOwner, HostCertificate, certificate_mode, default_webroot};
use crate::laboratories::{Laboratory, Presence};
use crate::module::ControllerDocument;
use crate::site::{MAKES_ENVIRONMENT, Site};

/// A listener of the public edge, installed as a transaction.
///
/// Renders the configuration of one listener for the nginx that is found, has nginx test it in a full copy of `/etc/nginx`, and
/// puts it in place so that every intermediate state passes nginx's own test. It stays when what is served was seen to be what was
/// installed, and is undone otherwise.
///
/// The laboratories that are registered on the host under `/opt/pharos-edge/extensions` are served as well.
///
/// Port 80 and port 443 are two transactions, for certificates are issued between them. With `certificate_mode: existing` nothing
/// listens on port 80, and a listener of ours that was there is removed.
///
/// A run that was killed is completed by the next one; its marker lies under `/var/lib/pharos-edge/transactions`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-required-if" = [
    { "when": { "listener": "https", "certificate_mode": "existing" }, "needs": ["certificate_files"] },
]))]
pub(crate) struct Arguments {
    /// The listener.
    pub(super) listener: Listener,
    /// The edge environment: what `pharos` renders from a policy for the edge playbook.
    #[schemars(extend("x-made-by" = MAKES_ENVIRONMENT))]
    environment_file: ControllerDocument,
    /// The service catalogue that it selects from.
    catalogue_file: ControllerDocument,
    /// The routes file of the laboratory that the task is run for. It takes the place of the one that is registered on the host.
    extension_file: Option<ControllerDocument>,
    /// Whether that laboratory is to be served.
    #[serde(default)]
    extension_state: Presence,
    /// Who owns the certificates.
    #[serde(default)]
    certificate_mode: CertificateOwner,
    /// With `existing`: the files of each host name.
    #[serde(default)]
    certificate_files: Vec<HostCertificate>,
    /// The authorities that chains must end in: a PEM bundle on the host.
    #[serde(default = "system_trust")]
    pub(super) trust: AbsolutePath,
    /// With `certbot`: the folder that challenges are answered from.
    #[serde(default = "default_webroot")]
    acme_webroot: AbsolutePath,
    /// With `certbot`: whether the certificates are for trial. They are accepted then, and strict transport security is never sent.
    #[serde(default)]
    acme_staging: bool,
    /// With `certbot`: address and port of the edge that requests the certificates for all, if that is another one. Challenges are
    /// passed on to it.
    acme_issuer_address: Option<SocketAddress>,
    /// The addresses to listen on; none means all of them.
    #[serde(default)]
    listen_addresses: Vec<ListenAddress>,
    /// Whether nginx may be restarted where a reload is not enough. A restart drops open connections.
    #[serde(default)]
    allow_restart: bool,
    /// With `existing`: whether this is the edge of a development box. `pharos.platform.development_certificate` then issues what it
    /// serves before the transaction, so that check mode passes over what is missing or unfit, and the package's welcome site is
    /// removed.
    #[serde(default)]
    pub(super) development: bool,
    /// The names of the variables of this host that begin with `edge_`, as the role passes them: one that it does not have is refused.
    #[serde(default)]
    #[expect(dead_code, reason = "what is wrong with it is said when it is read")]
    variables: Vec<EdgeVariable>,
    /// The generation that was returned when the host was judged. Nothing is installed if the host was changed since.
    pub(super) generation: Option<u64>,
}

#[expect(clippy::expect_used, reason = "the path is written here, in normal form")]
fn system_trust() -> AbsolutePath {
    "/etc/ssl/certs/ca-certificates.crt".parse().expect("a path")
}

impl Arguments {
    fn laboratory(&self) -> Laboratory<'_> {
        Laboratory { extension: self.extension_file.as_ref(), presence: self.extension_state }
    }

    /// What is wanted, with everything that the documents warn of. The serial numbers are not known yet.
    pub(super) fn desired(&self) -> Result<(Desired, Report), Report> {
        let Site { environment, table, report } =
            Site::on_host(&self.environment_file, &self.catalogue_file, self.laboratory())?;
        let certificates = certificate_mode(
            self.certificate_mode,
            &self.certificate_files,
            &self.acme_webroot,
            self.acme_issuer_address,
            self.acme_staging,
        );
        let desired = Desired {
            listener: self.listener,
            table,
            environment,
            certificates,
            listen_addresses: self.listen_addresses.iter().map(|address| address.get()).collect(),
            allow_restart: self.allow_restart,
            retire_welcome: self.development,
            serials: std::collections::BTreeMap::new(),
        };
        Ok((desired, report))
    }
}
