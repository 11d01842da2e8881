//! The certificates that a kubeconfig holds or names: their public part, for a plan to show how long they last.

use crate::certificate::UnixTime;
use crate::diagnostic::{Findings, Place, Report};
use crate::plan::{CertificateUse, SeenCertificate};

/// Certificates of one key of a kubeconfig.
#[derive(Clone)]
pub struct Stored {
    /// What they are for.
    pub r#use: CertificateUse,
    /// Where they are.
    pub at: StoredAt,
    /// The key, for findings.
    pub(super) place: Place,
}

/// Where certificates are.
#[derive(Clone)]
pub enum StoredAt {
    /// In the kubeconfig itself: the bytes.
    Here(Vec<u8>),
    /// In this file; a relative path is one from the kubeconfig's own folder.
    File(String),
}

/// Without the bytes: what stands beside a certificate may be a key.
impl std::fmt::Debug for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stored").field("use", &self.r#use).field("place", &self.place).finish_non_exhaustive()
    }
}

impl Stored {
    /// What is seen of them at an instant, and the findings on how long they last. `content` is PEM; whatever else is in it is passed over.
    pub fn see(&self, content: &[u8], at: UnixTime) -> (Vec<SeenCertificate>, Report) {
        let seen = SeenCertificate::all(self.r#use, content, at);
        let mut findings = Findings::new();
        SeenCertificate::judge(&seen, &self.place, at, &mut findings);
        (seen, findings.into_report())
    }
}
