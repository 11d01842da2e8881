//! The certificates of a file, in its order.

use openssl::x509::X509;

use super::codes;
use super::facts::{Certificate, reason};
use super::input::{Budget, Input, Scanned, scan};
use super::pem::{Block, decode};
use super::summary::CertificateSummary;
use crate::diagnostic::{Diagnostic, Findings, Report};

/// The largest file of a chain that is read, in bytes; of a key as well.
pub const MAX_CHAIN_BYTES: usize = 256 * 1024;

/// A chain is a handful of certificates of one or two kilobytes; TLS clients give up well before these bounds.
pub(super) const CHAIN: Budget = Budget { bytes: MAX_CHAIN_BYTES, certificates: 32 };

/// What a private key among the certificates is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Keys {
    /// A warning: nginx passes over it in a chain.
    PassedOver,
    /// A refusal: the file is copied to others, or its certificates alone were asked for.
    Refused,
}

/// Reads the certificates of a file; whatever is wrong with it becomes a finding.
pub(super) fn read(input: &Input<'_>, budget: Budget, keys: Keys, findings: &mut Findings) -> Vec<Certificate> {
    let Some(scanned) = scan(input, budget, false, findings) else {
        return Vec::new();
    };
    let mut reader = Reader { scanned: &scanned, certificates: Vec::new(), blocks: 0, keys: Vec::new(), findings };
    for block in &scanned.scan.blocks {
        if reader.blocks == budget.certificates {
            reader.too_many(block, budget);
            return reader.certificates;
        }
        reader.block(block);
    }
    if reader.blocks == 0 && scanned.scan.faults.is_empty() {
        reader.nothing(input);
    } else {
        report_keys(&scanned, &reader.keys, keys, reader.findings);
    }
    let certificates = reader.certificates;
    if !findings.refused() {
        as_openssl_reads(input, &scanned, &certificates, findings);
    }
    certificates
}

/// What the certificates of a file say, as far as they can be read; faults are passed over.
pub fn describe(bytes: &[u8]) -> Vec<CertificateSummary> {
    let mut findings = Findings::new();
    let certificates = read(&Input { name: "certificates", bytes }, CHAIN, Keys::PassedOver, &mut findings);
    certificates.into_iter().map(|certificate| certificate.summary).collect()
}

/// What the certificates of a file say, in its order, and what was only warned about. They are read and not judged.
///
/// # Errors
/// What keeps the file from being read: `certificate/malformed`, `certificate/empty` and others of that kind; and
/// `certificate/key-in-chain` for a private key among the certificates.
pub fn summaries(input: &Input<'_>) -> Result<(Vec<CertificateSummary>, Report), Report> {
    let mut findings = Findings::new();
    let certificates = read(input, CHAIN, Keys::Refused, &mut findings);
    findings.conclude(certificates.into_iter().map(|certificate| certificate.summary).collect())
}

struct Reader<'a> {
    scanned: &'a Scanned<'a>,
    certificates: Vec<Certificate>,
    /// Blocks labelled as certificates, read or not.
    blocks: usize,
    keys: Vec<&'a Block>,
    findings: &'a mut Findings,
}

impl<'a> Reader<'a> {
    fn block(&mut self, block: &'a Block) {
        match block.label.as_str() {
            "CERTIFICATE" => self.certificate(block, false),
            "X509 CERTIFICATE" => {
                self.odd_label(block, "older programs alone know this label");
                self.certificate(block, false);
            }
            "TRUSTED CERTIFICATE" if self.blocks == 0 => {
                self.odd_label(block, "OpenSSL alone knows this label, which carries trust settings of its own");
                self.certificate(block, true);
            }
            "TRUSTED CERTIFICATE" => self.odd_label(block, "nginx reads this label in the first place alone"),
            _ if is_private_key(block) => self.keys.push(block),
            label => {
                let message = format!("a block `{}` stands among the certificates", label.escape_debug());
                self.findings.push(
                    Diagnostic::warning(codes::FOREIGN_BLOCK, message)
                        .at(self.scanned.place(&block.begin), "nginx passes over it")
                        .help("keep certificates alone in this file"),
                );
            }
        }
    }

    fn odd_label(&mut self, block: &Block, why: &str) {
        let message = format!("the block is labelled `{}`", block.label);
        self.findings.push(
            Diagnostic::warning(codes::BLOCK_LABEL, message)
                .at(self.scanned.place(&block.begin), why)
                .help("write it anew as `CERTIFICATE`: `openssl x509 -in OLD -out NEW`"),
        );
    }

    fn certificate(&mut self, block: &Block, trusted: bool) {
        self.blocks += 1;
        let place = self.scanned.place(&block.begin);
        match decode(self.scanned.body(block)) {
            None => self.findings.push(
                Diagnostic::error(codes::BAD_BASE64, format!("the base64 of certificate {} is damaged", self.blocks))
                    .at(place, "in this block")
                    .help("copy the file again from its source, as it is"),
            ),
            Some(der) => match Certificate::read(&der, trusted, self.blocks, place.clone()) {
                Ok(certificate) => self.certificates.push(certificate),
                Err(why) => self.findings.push(
                    Diagnostic::error(codes::MALFORMED, format!("certificate {} cannot be read: {why}", self.blocks))
                        .at(place, "in this block")
                        .help("copy the file again from its source, as it is"),
                ),
            },
        }
    }

    fn too_many(&mut self, block: &Block, budget: Budget) {
        self.findings.push(
            Diagnostic::error(
                codes::TOO_MANY,
                format!("the file holds more than {} certificates", budget.certificates),
            )
            .at(self.scanned.place(&block.begin), "not read from here on")
            .help("keep the server's certificate and its intermediates; trust anchors belong in a file of their own"),
        );
    }

    /// A file without a certificate: says what it is instead.
    fn nothing(&mut self, input: &Input<'_>) {
        let place = self.scanned.source.whole();
        let diagnostic = if !self.keys.is_empty() {
            Diagnostic::error(codes::KEY_AS_CHAIN, "this is a private key, where the certificates are expected")
                .help("name the file with the certificates (`fullchain.pem`) here and this one as the key")
        } else if X509::from_der(input.bytes).is_ok() {
            Diagnostic::error(codes::NOT_PEM, "the file is a certificate in DER, where PEM is expected")
                .help("convert it: `openssl x509 -inform der -in OLD -out NEW`, then append the intermediates")
        } else if input.bytes.starts_with("0\u{fffd}".as_bytes()) {
            // What was DER until somebody read it as a text: the bytes that are no UTF-8 are lost.
            Diagnostic::error(codes::NOT_PEM, "this was a binary file (DER, PKCS#12 or PKCS#7), where PEM is expected")
                .help(
                    "convert the file: a certificate in DER by `openssl x509 -inform der -in OLD -out NEW`, PKCS#12 by \
                     `openssl pkcs12 -in OLD -nokeys -out NEW`",
                )
        } else if input.bytes.first() == Some(&0x30) && !input.bytes.is_ascii() {
            Diagnostic::error(codes::NOT_PEM, "the file is binary (PKCS#12 or PKCS#7), where PEM is expected")
                .help("convert it: `openssl pkcs12 -in OLD -nokeys -out NEW`")
        } else if input.bytes.iter().all(u8::is_ascii_whitespace) {
            Diagnostic::error(codes::EMPTY, "the file is empty").help("write the server's certificate into it")
        } else {
            Diagnostic::error(codes::EMPTY, "the file holds no certificate").help(
                "name a file with `-----BEGIN CERTIFICATE-----` blocks: the server's first, then its intermediates",
            )
        };
        self.findings.push(diagnostic.at(place, ""));
    }
}

/// Whether a block holds a private key, by any label of such.
pub(super) fn is_private_key(block: &Block) -> bool {
    block.label.ends_with("PRIVATE KEY")
}

/// Reports the private keys among certificates, by their places alone.
pub(super) fn report_keys(scanned: &Scanned<'_>, blocks: &[&Block], keys: Keys, findings: &mut Findings) {
    const WHAT: &str = "a private key stands among the certificates";
    for block in blocks {
        let place = scanned.place(&block.begin);
        findings.push(match keys {
            Keys::PassedOver => Diagnostic::warning(codes::KEY_IN_CHAIN, WHAT)
                .at(place, "nginx passes over it")
                .help("keep the key in a file of its own, readable by root alone"),
            Keys::Refused => Diagnostic::error(codes::KEY_IN_CHAIN, WHAT)
                .at(place, "certificates alone may stand here")
                .help("give the certificates alone; if others could read this file, replace the key"),
        });
    }
}

/// Lets OpenSSL read the file as nginx does, and reports a difference: what the scanner lets pass, OpenSSL must read.
fn as_openssl_reads(input: &Input<'_>, scanned: &Scanned<'_>, certificates: &[Certificate], findings: &mut Findings) {
    let expected =
        scanned.scan.blocks.iter().filter(|block| matches!(block.label.as_str(), "CERTIFICATE" | "X509 CERTIFICATE"));
    if certificates.is_empty() || expected.clone().count() == 0 {
        return;
    }
    let why = match X509::stack_from_pem(input.bytes) {
        Ok(read) if read.len() == expected.count() => return,
        Ok(read) => format!("OpenSSL reads {} certificates where {} are written", read.len(), certificates.len()),
        Err(error) => format!("OpenSSL does not read the file: {}", reason(&error)),
    };
    findings.push(
        Diagnostic::error(codes::OPENSSL_REFUSES, why)
            .at(scanned.source.whole(), "")
            .help("remove blank lines and header lines inside the blocks, or copy the file again from its source"),
    );
}
