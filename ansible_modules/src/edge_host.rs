//! The options that say what is particular to one edge host, as the modules that render or install share them.

use pharos_core::edge::{CertificateFiles, CertificateMode};
use pharos_core::name::{AbsolutePath, HostName, SocketAddress};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who owns the certificates of a host.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CertificateOwner {
    /// Somebody else issues and renews them; nothing of ours listens on port 80.
    #[default]
    Existing,
    /// They are issued here, one lineage a host name.
    Certbot,
}

/// The certificate of a host name, by path on the edge host.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostCertificate {
    /// The host name that it serves.
    pub(crate) host: HostName,
    /// The chain in PEM, the server's own certificate first.
    pub(crate) certificate: AbsolutePath,
    /// The private key. It is read where it lies; nothing of it is ever returned.
    pub(crate) key: AbsolutePath,
}

/// Where the certificates are and who answers the challenges.
pub(crate) fn certificate_mode(
    owner: CertificateOwner,
    files: &[HostCertificate],
    webroot: &AbsolutePath,
    issuer: Option<SocketAddress>,
    staging: bool,
) -> CertificateMode {
    match owner {
        CertificateOwner::Certbot => CertificateMode::Certbot { webroot: webroot.clone(), issuer, staging },
        CertificateOwner::Existing => {
            let one = |file: &HostCertificate| {
                let files = CertificateFiles { certificate: file.certificate.clone(), key: file.key.clone() };
                (file.host.clone(), files)
            };
            CertificateMode::Existing { files: files.iter().map(one).collect() }
        }
    }
}

/// The folder that challenges are answered from unless the inventory says otherwise (`edge_acme_webroot`).
#[expect(clippy::expect_used, reason = "the path is written here, in normal form")]
pub(crate) fn default_webroot() -> AbsolutePath {
    "/var/lib/pharos-edge/acme".parse().expect("a path")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_default_webroot_is_a_path() {
        assert!(super::default_webroot().as_str().starts_with("/var/lib/"));
    }
}
