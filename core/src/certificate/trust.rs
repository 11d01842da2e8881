//! The path to a trust anchor, by OpenSSL's verifier at a given instant.

use openssl::error::ErrorStack;
use openssl::stack::Stack;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::{X509VerifyFlags, X509VerifyParam};
use openssl::x509::{X509, X509PurposeId, X509StoreContext};

use super::UnixTime;
use super::bundle::{Keys, is_private_key, report_keys};
use super::codes;
use super::input::{Budget, Input, scan};
use super::pem::decode;
use crate::diagnostic::{Diagnostic, Findings, Report};

/// The largest file of trust anchors that is read, in bytes.
pub const MAX_TRUST_BYTES: usize = 8 * 1024 * 1024;

/// A system's bundle holds 150 anchors in 220 KB.
const ANCHORS: Budget = Budget { bytes: MAX_TRUST_BYTES, certificates: 4000 };

/// The certificates that a path may end in. There are no others: the system's store is never looked at.
#[derive(Clone)]
pub struct TrustAnchors {
    name: String,
    certificates: Vec<X509>,
    /// Whether it is known which there are.
    known: bool,
}

impl std::fmt::Debug for TrustAnchors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} trust anchors)", self.name, self.certificates.len())
    }
}

impl TrustAnchors {
    /// Reads a PEM bundle of trust anchors. One that OpenSSL does not read is left out with a warning
    /// (`certificate/anchor-unreadable`): the others of a system's bundle are as good as before.
    ///
    /// # Errors
    /// The codes of unreadable PEM, `certificate/key-in-chain` for a private key among the anchors, which are public, and
    /// `certificate/no-anchor` if there is none left.
    pub fn read(input: &Input<'_>) -> Result<(Self, Report), Report> {
        let mut findings = Findings::new();
        let mut certificates = Vec::new();
        if let Some(scanned) = scan(input, ANCHORS, false, &mut findings) {
            let blocks = scanned.scan.blocks.iter().filter(|block| block.label.ends_with("CERTIFICATE"));
            for block in blocks.take(ANCHORS.certificates) {
                match decode(scanned.body(block)).and_then(|der| X509::from_der(&der).ok()) {
                    Some(certificate) => certificates.push(certificate),
                    None => findings.push(
                        Diagnostic::warning(codes::ANCHOR_UNREADABLE, "this trust anchor cannot be read")
                            .at(scanned.place(&block.begin), "left out")
                            .help("copy the file again from its source"),
                    ),
                }
            }
            let keys: Vec<_> = scanned.scan.blocks.iter().filter(|block| is_private_key(block)).collect();
            report_keys(&scanned, &keys, Keys::Refused, &mut findings);
            if certificates.is_empty() && !findings.refused() {
                findings.push(
                    Diagnostic::error(codes::NO_ANCHOR, "the file holds no trust anchor")
                        .at(scanned.source.whole(), "")
                        .help("name a PEM file with the root certificates that clients trust"),
                );
            }
        }
        findings.conclude(Self { name: input.name.to_owned(), certificates, known: true })
    }

    /// In the place of those that could not be read: of a chain is said what holds whatever they are, and nothing is proven.
    pub fn unknown(name: &str) -> Self {
        Self { name: name.to_owned(), certificates: Vec::new(), known: false }
    }

    pub(super) fn are_known(&self) -> bool {
        self.known
    }

    /// What messages call them: the name of their file.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn has_subject(&self, subject: &[u8]) -> bool {
        self.certificates.iter().any(|anchor| anchor.subject_name().to_der().is_ok_and(|name| name == subject))
    }

    /// The certificates themselves.
    pub fn certificates(&self) -> &[X509] {
        &self.certificates
    }
}

/// How strictly a path is verified.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Rigour {
    /// RFC 5280 to the letter, security level 2, dates at the instant.
    Full,
    /// The same, and any anchor may end the path, whether it is a root or not.
    Partial,
    /// Without dates and key sizes: finds what else is wrong once those have been reported.
    Remainder,
    /// That, and any anchor may end the path.
    PartialRemainder,
}

impl Rigour {
    /// The same, and any anchor may end the path.
    pub(super) fn partial(self) -> Self {
        match self {
            Self::Full | Self::Partial => Self::Partial,
            Self::Remainder | Self::PartialRemainder => Self::PartialRemainder,
        }
    }
}

/// What OpenSSL says of a path.
pub(super) struct Verdict {
    /// The path as far as it was built, the server's certificate first.
    pub(super) path: Vec<X509>,
    /// The first fault.
    pub(super) failure: Option<Failure>,
    /// Whether the path ends in a certificate of the file because the policy is one of staging.
    pub(super) staged: bool,
}

/// Why OpenSSL refuses a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    /// `X509_V_ERR_*`.
    pub(super) error: i32,
    /// The index in the path.
    pub(super) depth: usize,
    /// OpenSSL's words.
    pub(super) words: &'static str,
}

impl Failure {
    /// Whether no trust anchor was reached: the path is what was built up to there.
    pub(super) fn no_anchor(self) -> bool {
        matches!(self.error, 2 | 18..=21)
    }

    /// Whether it is about a date, a key or a signature, on which our own rules report every certificate of the path.
    pub(super) fn date_or_strength(self) -> bool {
        matches!(self.error, 9 | 10 | 66..=68)
    }
}

/// Builds and verifies the path of `leaf` through `sent` to one of `anchors`.
pub(super) fn verify<'a>(
    anchors: &[X509],
    leaf: &X509,
    sent: impl Iterator<Item = &'a X509>,
    at: UnixTime,
    rigour: Rigour,
) -> Result<Verdict, ErrorStack> {
    let mut store = X509StoreBuilder::new()?;
    let param = parameters(at, rigour)?;
    store.set_param(&param)?;
    for anchor in anchors {
        store.add_cert(anchor.clone())?;
    }
    let mut untrusted = Stack::new()?;
    for certificate in sent {
        untrusted.push(certificate.clone())?;
    }
    let mut context = X509StoreContext::new()?;
    context.init(&store.build(), leaf, &untrusted, |context| {
        let verified = context.verify_cert()?;
        let path = context.chain().map(|chain| chain.iter().map(ToOwned::to_owned).collect()).unwrap_or_default();
        let (error, depth) = (context.error(), context.error_depth() as usize);
        let failure = (!verified).then(|| Failure { error: error.as_raw(), depth, words: error.error_string() });
        Ok(Verdict { path, failure, staged: false })
    })
}

fn parameters(at: UnixTime, rigour: Rigour) -> Result<X509VerifyParam, ErrorStack> {
    let mut param = X509VerifyParam::new()?;
    let mut flags = X509VerifyFlags::X509_STRICT | X509VerifyFlags::TRUSTED_FIRST;
    param.set_auth_level(2);
    match rigour {
        Rigour::Full | Rigour::Partial => {}
        Rigour::Remainder | Rigour::PartialRemainder => {
            param.set_auth_level(0);
            flags |= X509VerifyFlags::NO_CHECK_TIME;
        }
    }
    if matches!(rigour, Rigour::Partial | Rigour::PartialRemainder) {
        flags |= X509VerifyFlags::PARTIAL_CHAIN;
    }
    param.set_flags(flags)?;
    // set_time also makes the verifier use it in place of the clock.
    param.set_time(at.seconds());
    param.set_purpose(X509PurposeId::SSL_SERVER)?;
    Ok(param)
}
