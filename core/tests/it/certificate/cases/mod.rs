//! The cases: chains and keys as an operator may hand them over, and what a careful edge does with each.

mod chain;
mod constraints;
mod keys;
mod more;
mod names;
mod pem;

use std::sync::LazyLock;

use openssl::x509::X509;

pub(crate) use super::draft::HOST;
use super::draft::{Draft, Issuer, Key, p256};

/// What a careful edge does.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Accept,
    Warn,
    Reject,
}
pub(crate) use Verdict::{Accept, Reject, Warn};

/// One case.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) host: &'static str,
    pub(crate) policy: Verdict,
    pub(crate) chain: Vec<u8>,
    pub(crate) key: Vec<u8>,
    pub(crate) anchors: Vec<u8>,
    pub(crate) staging: bool,
}

impl Case {
    pub(crate) fn for_host(self, host: &'static str) -> Self {
        Self { host, ..self }
    }
}

/// A chain of certificates as PEM, in this order.
pub(crate) fn pem(certificates: &[&X509]) -> Vec<u8> {
    certificates.iter().flat_map(|certificate| certificate.to_pem().unwrap()).collect()
}

/// The authorities that the cases share.
pub(crate) struct World {
    pub(crate) root_key: Key,
    pub(crate) root: X509,
    pub(crate) middle_key: Key,
    pub(crate) middle: X509,
    /// The key of the good server's certificate.
    pub(crate) key: Key,
    pub(crate) good: X509,
    /// Somebody else's.
    pub(crate) other_key: Key,
}

pub(crate) const ROOT: &str = "Case Root";
pub(crate) const MIDDLE: &str = "Case Intermediate";

impl World {
    fn new() -> Self {
        let (root_key, middle_key, key) = (p256(), p256(), p256());
        let root = Issuer { name: ROOT, key: &root_key };
        let middle = Issuer { name: MIDDLE, key: &middle_key };
        Self {
            root: Draft::authority(ROOT, None).days(-30, 3650).issue(&root_key, root),
            middle: Draft::authority(MIDDLE, Some(0)).issue(&middle_key, root),
            good: Draft::server(&[HOST]).issue(&key, middle),
            other_key: p256(),
            root_key,
            middle_key,
            key,
        }
    }

    pub(crate) fn by_root(&self) -> Issuer<'_> {
        Issuer { name: ROOT, key: &self.root_key }
    }

    pub(crate) fn by_middle(&self) -> Issuer<'_> {
        Issuer { name: MIDDLE, key: &self.middle_key }
    }

    /// The draft issued by the shared intermediate for the shared key.
    pub(crate) fn issue(&self, draft: &Draft) -> X509 {
        draft.issue(&self.key, self.by_middle())
    }

    /// A case of certificates with the shared key.
    pub(crate) fn case(&self, name: &'static str, what: &'static str, policy: Verdict, chain: &[&X509]) -> Case {
        self.bytes(name, what, policy, pem(chain))
    }

    /// A case of bytes with the shared key.
    pub(crate) fn bytes(&self, name: &'static str, what: &'static str, policy: Verdict, chain: Vec<u8>) -> Case {
        let key = self.key.private_key_to_pem_pkcs8().unwrap();
        Case { name, what, host: HOST, policy, chain, key, anchors: pem(&[&self.root]), staging: false }
    }

    /// A case of the good chain with another key file.
    pub(crate) fn with_key(&self, name: &'static str, what: &'static str, policy: Verdict, key: Vec<u8>) -> Case {
        Case { key, ..self.case(name, what, policy, &[&self.good, &self.middle]) }
    }
}

pub(crate) static WORLD: LazyLock<World> = LazyLock::new(World::new);

/// The 92 cases whose treatment by nginx and by clients was measured.
pub(crate) static MEASURED: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let world = &*WORLD;
    [names::cases(world), keys::cases(world), chain::cases(world), pem::cases(world), constraints::cases(world)]
        .concat()
});

/// Further cases, which raise what the measured ones do not.
pub(crate) static FURTHER: LazyLock<Vec<Case>> = LazyLock::new(|| more::cases(&WORLD));

/// The case of this name.
pub(crate) fn find(name: &str) -> &'static Case {
    MEASURED.iter().chain(FURTHER.iter()).find(|case| case.name == name).unwrap_or_else(|| panic!("no case {name}"))
}
