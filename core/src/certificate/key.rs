//! The private key: whether it can be used, and whether it belongs to the certificate. Nothing of it is ever quoted.

use openssl::pkey::{PKey, Private};

use super::bundle::MAX_CHAIN_BYTES;
use super::codes;
use super::facts::{Certificate, reason};
use super::input::{Budget, Input, Scanned, scan};
use super::pem::Block;
use crate::diagnostic::{Diagnostic, Findings, Place};

/// An RSA key of 16 384 bits takes 13 KB; a combined file adds a chain to it.
const KEY: Budget = Budget { bytes: MAX_CHAIN_BYTES, certificates: 0 };

/// A private key and where it stands.
pub(super) struct PrivateKey {
    key: PKey<Private>,
    place: Place,
}

/// Reads the first private key of a file, as nginx does; whatever is wrong with it becomes a finding.
pub(super) fn read(input: &Input<'_>, findings: &mut Findings) -> Option<PrivateKey> {
    let scanned = scan(input, KEY, true, findings)?;
    let keys: Vec<&Block> = scanned.scan.blocks.iter().filter(|block| block.label.ends_with("PRIVATE KEY")).collect();
    let Some(first) = keys.first() else {
        if scanned.scan.faults.is_empty() {
            findings.push(missing(input, &scanned));
        }
        return None;
    };
    let place = scanned.place(&first.begin);
    if let Some(second) = keys.get(1) {
        findings.push(
            Diagnostic::warning(codes::SEVERAL_KEYS, "the file holds more than one private key")
                .at(scanned.place(&second.begin), "nginx reads the first one alone")
                .help("keep the key of the certificate alone"),
        );
    }
    let encrypted = scanned.body(first).windows(9).any(|window| window == b"ENCRYPTED");
    if encrypted || first.label == "ENCRYPTED PRIVATE KEY" {
        findings.push(
            Diagnostic::error(codes::KEY_ENCRYPTED, "the private key is encrypted, and nginx has nobody to ask")
                .at(place, "")
                .help("store it without a passphrase, readable by root alone: `openssl pkey -in OLD -out NEW`"),
        );
        return None;
    }
    // The callback answers an empty passphrase: without it OpenSSL would ask at the terminal.
    match PKey::private_key_from_pem_callback(input.bytes, |_| Ok(0)) {
        Ok(key) => Some(PrivateKey { key, place }),
        Err(error) => {
            let message = format!("the private key cannot be read: {}", reason(&error));
            findings.push(Diagnostic::error(codes::KEY_UNREADABLE, message).at(place, "").help(
                "store it as PKCS#8 (`BEGIN PRIVATE KEY`): `openssl pkey -in OLD -out NEW`; an OpenSSH key is converted \
                 by `ssh-keygen -p -m PKCS8 -f FILE`",
            ));
            None
        }
    }
}

fn missing(input: &Input<'_>, scanned: &Scanned<'_>) -> Diagnostic {
    let message = if input.bytes.iter().all(u8::is_ascii_whitespace) {
        "the key file is empty".to_owned()
    } else if scanned.scan.blocks.iter().any(|block| block.label.ends_with("CERTIFICATE")) {
        "the key file holds certificates and no private key".to_owned()
    } else {
        "the key file holds no private key in PEM".to_owned()
    };
    Diagnostic::error(codes::KEY_MISSING, message)
        .at(scanned.source.whole(), "")
        .help("name the file with the `PRIVATE KEY` block that the certificate was requested with (`privkey.pem`)")
}

/// Whether the key is the one that the certificate was issued for.
pub(super) fn belongs(key: &PrivateKey, certificate: &Certificate) -> bool {
    certificate.x509.public_key().is_ok_and(|public| public.public_eq(&key.key))
}

/// Reports a key of another certificate.
pub(super) fn matches(key: &PrivateKey, leaf: &Certificate, findings: &mut Findings) {
    if belongs(key, leaf) {
        return;
    }
    let other_kind = leaf.x509.public_key().is_ok_and(|public| public.id() != key.key.id());
    let surplus = if other_kind { ": it is even of another kind" } else { "" };
    findings.push(
        Diagnostic::error(codes::KEY_MISMATCH, format!("the private key is not that of {}{surplus}", leaf.title()))
            .at(leaf.place.clone(), format!("its key is {}", leaf.key))
            .at(key.place.clone(), "this key is another one")
            .help("install certificate and key of the same issue together, or request the certificate anew"),
    );
}
