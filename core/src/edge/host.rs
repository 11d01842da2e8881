//! What is known of a host that serves the edge: its nginx, its addresses, who owns its certificates.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::version::NginxBuild;
use crate::name::{AbsolutePath, HostName, SocketAddress};

/// A host of the group `platform-edge`, as far as its configuration depends on it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EdgeHost {
    /// The nginx that will read the configuration.
    pub nginx: NginxBuild,
    /// Whether the kernel offers IPv6; if not, nothing listens there.
    pub ipv6: bool,
    /// The addresses to listen on (`edge_listen_addresses`); empty means all of them, in both families.
    pub listen_addresses: Vec<IpAddr>,
    /// Who owns the certificates, and where they lie.
    pub certificates: CertificateMode,
    /// The settings that the configuration outside our files already has in its `http` block.
    pub existing: HttpSettings,
}

/// A certificate chain and its key, by path: their content is judged elsewhere, and never passes through here.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct CertificateFiles {
    /// The chain, leaf first.
    pub certificate: AbsolutePath,
    /// The key of the leaf.
    pub key: AbsolutePath,
}

impl CertificateFiles {
    /// The files of certbot's lineage of this name: `/etc/letsencrypt/live/<host>/{fullchain,privkey}.pem`.
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "a host name has no slash, no `$` and 253 bytes at most"
    )]
    pub fn lineage(host: &HostName) -> Self {
        let file = |name: &str| format!("/etc/letsencrypt/live/{host}/{name}.pem").parse().expect("a normal path");
        Self { certificate: file("fullchain"), key: file("privkey") }
    }
}

/// Who owns the certificates of this host (`edge_certificate_mode`).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CertificateMode {
    /// Somebody else issues and renews them (`existing`); nothing of ours listens on port 80.
    Existing {
        /// The files of each host name (`edge_certificate_files`).
        files: BTreeMap<HostName, CertificateFiles>,
    },
    /// The role issues them, one lineage a host name (`certbot`), and answers the challenge on port 80.
    Certbot {
        /// The folder that the challenge is answered from (`edge_acme_webroot`).
        webroot: AbsolutePath,
        /// The edge that issues for all (`edge_acme_issuer`), as an address with a port, if that is another host: the challenge
        /// is passed on to it.
        issuer: Option<SocketAddress>,
        /// Whether the certificates are for trial (`edge_acme_staging`): strict transport security is then never sent.
        staging: bool,
    },
}

impl CertificateMode {
    /// The certificate files of a host name; `None` if none are named.
    pub fn files(&self, host: &HostName) -> Option<CertificateFiles> {
        match self {
            Self::Existing { files } => files.get(host).cloned(),
            Self::Certbot { .. } => Some(CertificateFiles::lineage(host)),
        }
    }

    /// Whether browsers must not be told to insist on these certificates.
    pub fn is_staging(&self) -> bool {
        matches!(self, Self::Certbot { staging: true, .. })
    }
}

/// A setting of nginx's `http` block that our files need and may give only once.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum HttpSetting {
    /// `server_names_hash_bucket_size`: bytes; bounds the length of a server name.
    ServerNamesHashBucketSize,
    /// `server_names_hash_max_size`: how many buckets the server names may take.
    ServerNamesHashMaxSize,
}

impl HttpSetting {
    /// Every one of them.
    pub const ALL: [Self; 2] = [Self::ServerNamesHashBucketSize, Self::ServerNamesHashMaxSize];

    /// The directive.
    pub const fn directive(self) -> &'static str {
        match self {
            Self::ServerNamesHashBucketSize => "server_names_hash_bucket_size",
            Self::ServerNamesHashMaxSize => "server_names_hash_max_size",
        }
    }

    /// What nginx takes where nothing is said. The bucket size is the processor's cache line: 64 on every one we support.
    pub const fn default_value(self) -> u64 {
        match self {
            Self::ServerNamesHashBucketSize => 64,
            Self::ServerNamesHashMaxSize => 512,
        }
    }
}

/// The [`HttpSetting`]s that the configuration outside our files already has, with their values.
pub type HttpSettings = BTreeMap<HttpSetting, u64>;

#[cfg(test)]
mod tests {
    use super::{CertificateFiles, CertificateMode};

    #[test]
    fn a_lineage_lies_where_certbot_puts_it() {
        let longest = format!("{}.{}.{}.{}", "a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(61));
        for host in ["a.example.org", &longest] {
            let files = CertificateFiles::lineage(&host.parse().unwrap());
            assert_eq!(files.certificate.as_str(), format!("/etc/letsencrypt/live/{host}/fullchain.pem"));
            assert_eq!(files.key.as_str(), format!("/etc/letsencrypt/live/{host}/privkey.pem"));
        }
    }

    #[test]
    fn existing_files_are_named_one_by_one() {
        let host = "a.example.org".parse().unwrap();
        let mut mode = CertificateMode::Existing { files: std::collections::BTreeMap::new() };
        assert_eq!(mode.files(&host), None);
        let named = CertificateFiles { certificate: "/c".parse().unwrap(), key: "/k".parse().unwrap() };
        if let CertificateMode::Existing { files } = &mut mode {
            files.insert(host.clone(), named.clone());
        }
        assert_eq!(mode.files(&host), Some(named));
    }
}
