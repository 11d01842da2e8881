//! Certificates that a plan could see: the public trust that lies on the administration machine, and what the API server presents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::certificate::{CertificateSummary, Remaining, Term, UnixTime, describe, quoted};
use crate::diagnostic::{Findings, Place, Severity};

/// What a certificate is for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CertificateUse {
    /// An authority that the issuer of the external AAI is verified by.
    ExternalIdentity,
    /// An authority that the API server is verified by.
    ClusterAuthority,
    /// What the administrator's kubeconfig signs in with.
    Administrator,
    /// What the API server presents.
    ApiServer,
}

impl CertificateUse {
    /// What a certificate of this use is, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::ExternalIdentity => "authority of the external AAI",
            Self::ClusterAuthority => "authority of the cluster",
            Self::Administrator => "the administrator's own",
            Self::ApiServer => "the API server's",
        }
    }

    const fn is_authority(self) -> bool {
        matches!(self, Self::ExternalIdentity | Self::ClusterAuthority)
    }

    /// Who replaces one.
    const fn help(self) -> &'static str {
        match self {
            Self::ExternalIdentity => {
                "ask who runs the AAI for the authority's next certificate, and write both into `ca_certificate` before the old one ends"
            }
            Self::ClusterAuthority => {
                "renew the authority of the cluster as Kubernetes describes (`kubeadm certs`), and fetch the kubeconfig anew"
            }
            Self::Administrator => {
                "renew it on a control plane host (`kubeadm certs renew admin.conf`), and fetch the kubeconfig anew"
            }
            Self::ApiServer => {
                "renew it on the control plane hosts (`kubeadm certs renew apiserver`), and start the API servers anew"
            }
        }
    }
}

/// A certificate that was seen. All of it is public.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeenCertificate {
    /// What it is for.
    pub r#use: CertificateUse,
    /// Distinguished name of the subject; empty if it has none.
    pub subject: String,
    /// Distinguished name of the issuer.
    pub issuer: String,
    /// Start of its validity.
    pub not_before: UnixTime,
    /// End of its validity.
    pub not_after: UnixTime,
    /// Whole days that were left when the plan was made, rounded down: negative after the end.
    pub days_left: i64,
}

/// What an API server presents. All of it is public.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PresentedCertificate {
    /// Distinguished name of the subject; empty if it has none.
    pub subject: String,
    /// Distinguished name of the issuer.
    pub issuer: String,
    /// Start of its validity.
    pub not_before: UnixTime,
    /// End of its validity.
    pub not_after: UnixTime,
}

impl PresentedCertificate {
    /// The first certificate of a text in PEM, if it can be read.
    pub fn read(pem: &[u8]) -> Option<Self> {
        let CertificateSummary { subject, issuer, not_before, not_after, .. } = describe(pem).into_iter().next()?;
        Some(Self { subject, issuer, not_before, not_after })
    }

    pub(super) fn seen(&self, at: UnixTime) -> SeenCertificate {
        let Self { subject, issuer, not_before, not_after } = self.clone();
        SeenCertificate::of(CertificateUse::ApiServer, (subject, issuer), (not_before, not_after), at)
    }
}

impl SeenCertificate {
    fn of(
        r#use: CertificateUse,
        (subject, issuer): (String, String),
        (not_before, not_after): (UnixTime, UnixTime),
        at: UnixTime,
    ) -> Self {
        let days_left = Term { not_before, not_after, authority: r#use.is_authority() }.days_left(at);
        Self { r#use, subject, issuer, not_before, not_after, days_left }
    }

    /// Those of a text in PEM at an instant, as far as they can be read: every authority of a bundle, of a chain the first. What else is
    /// there, a private key among it, is passed over.
    pub fn all(r#use: CertificateUse, pem: &[u8], at: UnixTime) -> Vec<Self> {
        let count = if r#use.is_authority() { usize::MAX } else { 1 };
        let seen =
            |one: CertificateSummary| Self::of(r#use, (one.subject, one.issuer), (one.not_before, one.not_after), at);
        describe(pem).into_iter().take(count).map(seen).collect()
    }

    /// How much of its time is left.
    pub fn remaining(&self, at: UnixTime) -> Remaining {
        self.term().remaining(at)
    }

    /// The share of its lifetime that is left, in percent.
    pub(super) fn percent_left(&self, at: UnixTime) -> i64 {
        let lifetime = self.not_after.since(self.not_before).max(1);
        (self.not_after.since(at).saturating_mul(100) / lifetime).clamp(0, 100)
    }

    fn term(&self) -> Term {
        Term { not_before: self.not_before, not_after: self.not_after, authority: self.r#use.is_authority() }
    }

    /// Judges how long certificates last that lie at one place. Of several authorities there one may be over: the others are trusted.
    pub fn judge(seen: &[Self], place: &Place, at: UnixTime, findings: &mut Findings) {
        let fit = |one: &Self| !matches!(one.remaining(at), Remaining::Nothing | Remaining::NotYet);
        let others = seen.iter().any(fit);
        for one in seen {
            let what = format!("{} ({})", one.title(), quoted(&one.subject));
            let Some(mut finding) = one.term().judge(&what, place.clone(), one.r#use.help(), at) else { continue };
            if others {
                finding.severity = Severity::Warning;
            }
            findings.push(finding);
        }
    }

    /// What a message calls it.
    const fn title(&self) -> &'static str {
        match self.r#use {
            CertificateUse::ExternalIdentity => "the authority of the external AAI",
            CertificateUse::ClusterAuthority => "the authority of the cluster",
            CertificateUse::Administrator => "the administrator's certificate",
            CertificateUse::ApiServer => "the API server's certificate",
        }
    }
}
