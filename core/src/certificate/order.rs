//! The order of a file: the server's certificate first, each issuer after what it issued, nothing else.

use super::codes;
use super::facts::Certificate;
use super::key::{PrivateKey, belongs};
use super::{Remaining, UnixTime};
use crate::diagnostic::{Diagnostic, Findings};

/// The index of the server's certificate: the first one, unless the key or its kind says that it is another.
pub(super) fn leaf(certificates: &[Certificate], key: Option<&PrivateKey>, findings: &mut Findings) -> usize {
    let owned = |certificate: &Certificate| key.is_some_and(|key| belongs(key, certificate));
    let Some(first) = certificates.first() else {
        return 0;
    };
    let other = if owned(first) {
        None
    } else {
        certificates.iter().position(owned).or_else(|| {
            first.summary.authority.then(|| certificates.iter().position(|c| !c.summary.authority)).flatten()
        })
    };
    let Some((index, found)) = other.and_then(|index| certificates.get(index).map(|found| (index, found))) else {
        return 0;
    };
    findings.push(
        Diagnostic::error(
            codes::LEAF_NOT_FIRST,
            format!("the server's certificate is {}, not the first", found.title()),
        )
        .at(found.place.clone(), "this is the server's certificate")
        .at(first.place.clone(), "nginx takes this one")
        .help("put the server's certificate first, then each issuer after what it issued"),
    );
    index
}

/// Judges what stands in the file beside and around the path.
pub(super) fn check(all: &[Certificate], path: &[&Certificate], at: UnixTime, findings: &mut Findings) {
    let sent: Vec<&Certificate> = path.iter().copied().filter(|certificate| certificate.summary.position > 0).collect();
    // With the server's certificate out of place, that is the fault to mend.
    let leads = all.first().zip(path.first()).is_some_and(|(first, leaf)| first.der == leaf.der);
    for pair in sent.windows(2).filter(|_| leads) {
        if let [issued, issuer] = pair
            && issuer.summary.position < issued.summary.position
        {
            findings.push(
                Diagnostic::warning(codes::ORDER, format!("{} stands before what it issued", issuer.title()))
                    .at(issuer.place.clone(), "the issuer")
                    .at(issued.place.clone(), "what it issued")
                    .help("put each issuer after what it issued: some clients do not sort them"),
            );
        }
    }
    if let Some(root) = sent.last().filter(|last| last.self_issued() && sent.len() > 1) {
        findings.push(
            Diagnostic::note(codes::ROOT_SENT, format!("{} is the root, which clients have already", root.title()))
                .at(root.place.clone(), "")
                .help("it may be left out: each handshake carries it in vain"),
        );
    }
    for (index, certificate) in all.iter().enumerate() {
        let twin = all.iter().take(index).find(|earlier| earlier.der == certificate.der);
        let used = path.iter().any(|used| used.der == certificate.der);
        match twin {
            Some(twin) => findings.push(duplicate(certificate, twin)),
            None if used || alternative(certificate, path, at) => {}
            None => findings.push(surplus(certificate, at)),
        }
    }
}

fn duplicate(certificate: &Certificate, twin: &Certificate) -> Diagnostic {
    Diagnostic::warning(codes::DUPLICATE, format!("{} stands in the file twice", certificate.title()))
        .at(certificate.place.clone(), "again")
        .at(twin.place.clone(), "first")
        .help("remove one of them")
}

/// A valid certificate of the same name and key as one in the path leads older clients to another root (a cross-sign).
fn alternative(certificate: &Certificate, path: &[&Certificate], at: UnixTime) -> bool {
    let summary = &certificate.summary;
    let valid =
        !matches!(Remaining::grade(summary.not_before, summary.not_after, at), Remaining::NotYet | Remaining::Nothing);
    let same = |used: &&Certificate| used.subject == certificate.subject && used.public_key == certificate.public_key;
    valid && path.iter().skip(1).any(same)
}

fn surplus(certificate: &Certificate, at: UnixTime) -> Diagnostic {
    let why = if certificate.summary.not_after <= at { "it has expired, too" } else { "" };
    Diagnostic::warning(codes::SURPLUS, format!("{} is not part of the path to the trust anchor", certificate.title()))
        .at(certificate.place.clone(), why)
        .help("remove it: each handshake carries it in vain, and some clients stumble over it")
}
