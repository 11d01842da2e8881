//! One certificate, read once: what it says, where it stands, and OpenSSL's view of it.

use std::net::IpAddr;

use openssl::x509::X509;
use sha2::{Digest, Sha256};
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::UnixTime;
use super::algorithm::{self, Key};
use super::summary::{CertificateSummary, Serial, hexadecimal};
use crate::diagnostic::Place;

/// A certificate of a file.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    pub(super) summary: CertificateSummary,
    pub(super) place: Place,
    pub(super) x509: X509,
    pub(super) der: Vec<u8>,
    /// Encoded names: compared byte by byte, as they were issued.
    pub(super) subject: Vec<u8>,
    pub(super) issuer: Vec<u8>,
    pub(super) key: Key,
    pub(super) public_key: Vec<u8>,
    pub(super) weak_signature: bool,
    pub(super) usage: Usage,
}

/// What the extensions allow the certificate to be used for.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Usage {
    /// Whether there are subject alternative names at all.
    pub(super) alternative_names: bool,
    /// Key usage: whether `digitalSignature` is set, if the extension is there.
    pub(super) digital_signature: Option<bool>,
    /// Extended key usage: whether `serverAuth` is named, if the extension is there.
    pub(super) server_auth: Option<bool>,
    /// TLS feature `status_request` (RFC 7633), called must-staple.
    pub(super) must_staple: bool,
    /// Object identifiers of critical extensions that are not understood.
    pub(super) unknown_critical: Vec<String>,
}

impl Certificate {
    /// Reads a DER certificate with nothing behind it; `trusted` forgives OpenSSL's auxiliary trust data. The refusal is a
    /// reason in words.
    pub(super) fn read(der: &[u8], trusted: bool, position: usize, place: Place) -> Result<Self, String> {
        let (rest, parsed) = X509Certificate::from_der(der).map_err(|_| "it is not a certificate in DER".to_owned())?;
        if !rest.is_empty() && !trusted {
            return Err(format!("{} bytes follow the certificate inside the block", rest.len()));
        }
        let der = der.get(..der.len() - rest.len()).unwrap_or_default();
        let x509 = X509::from_der(der).map_err(|error| format!("OpenSSL does not read it: {}", reason(&error)))?;
        let line = place.span().map_or(1, |(start, _)| start.line);
        let key = key(&parsed);
        let (signature, weak_signature) = algorithm_of(&parsed);
        let (dns_names, ip_addresses) = names(&parsed);
        let summary = CertificateSummary {
            position,
            line,
            subject: parsed.subject().to_string(),
            issuer: parsed.issuer().to_string(),
            serial: Serial::from_bytes(parsed.raw_serial()),
            dns_names,
            ip_addresses,
            not_before: UnixTime::new(parsed.validity().not_before.timestamp()),
            not_after: UnixTime::new(parsed.validity().not_after.timestamp()),
            key: key.to_string(),
            signature,
            authority: parsed.is_ca(),
            fingerprint: hexadecimal(&Sha256::digest(der)),
        };
        Ok(Self {
            summary,
            place,
            x509,
            der: der.to_vec(),
            subject: parsed.subject().as_raw().to_vec(),
            issuer: parsed.issuer().as_raw().to_vec(),
            key,
            public_key: parsed.public_key().raw.to_vec(),
            weak_signature,
            usage: usage(&parsed),
        })
    }

    /// How a message calls it: its position (0 is that of a trust anchor that the file does not hold) and whose it is.
    pub(super) fn title(&self) -> String {
        match self.summary.position {
            0 => format!("trust anchor ({})", quoted(&self.summary.subject)),
            position => format!("certificate {position} ({})", quoted(&self.summary.subject)),
        }
    }

    /// Whether subject and issuer are the same name.
    pub(super) fn self_issued(&self) -> bool {
        self.subject == self.issuer
    }
}

/// A distinguished name as a message quotes it: escaped, and not longer than a line.
pub(crate) fn quoted(name: &str) -> String {
    if name.is_empty() {
        return "no subject".to_owned();
    }
    let escaped = name.escape_debug().to_string();
    let short: String = escaped.chars().take(100).collect();
    if short.len() < escaped.len() { format!("`{short}...`") } else { format!("`{short}`") }
}

/// The last word of OpenSSL on why.
pub(super) fn reason(error: &openssl::error::ErrorStack) -> String {
    error.errors().last().and_then(openssl::error::Error::reason).unwrap_or("no reason given").to_owned()
}

fn key(parsed: &X509Certificate<'_>) -> Key {
    let info = parsed.public_key();
    let parameter = info.algorithm.parameters.as_ref().and_then(|any| any.as_oid().ok()).map(|oid| oid.to_id_string());
    let bits = match info.parsed() {
        Ok(x509_parser::public_key::PublicKey::RSA(rsa)) => Some(modulus_bits(rsa.modulus)),
        _ => None,
    };
    Key::new(&info.algorithm.algorithm.to_id_string(), parameter.as_deref(), bits)
}

fn modulus_bits(modulus: &[u8]) -> usize {
    let significant: &[u8] = modulus.iter().position(|b| *b != 0).and_then(|at| modulus.get(at..)).unwrap_or_default();
    let zeros = significant.first().map_or(0, |first| first.leading_zeros() as usize);
    significant.len() * 8 - zeros
}

fn algorithm_of(parsed: &X509Certificate<'_>) -> (String, bool) {
    let oid = parsed.signature_algorithm.algorithm.to_id_string();
    let (name, weak) = algorithm::signature(&oid);
    (name.to_owned(), weak)
}

fn names(parsed: &X509Certificate<'_>) -> (Vec<String>, Vec<IpAddr>) {
    let (mut hosts, mut addresses) = (Vec::new(), Vec::new());
    let extension = parsed.subject_alternative_name().ok().flatten();
    for name in extension.iter().flat_map(|extension| extension.value.general_names.iter()) {
        match name {
            GeneralName::DNSName(host) => hosts.push((*host).to_owned()),
            GeneralName::IPAddress(bytes) => {
                let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
                addresses.extend(four.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from)));
            }
            _ => {}
        }
    }
    (hosts, addresses)
}

/// `id-pe-tlsfeature` (RFC 7633) and its feature `status_request` as a DER integer.
const TLS_FEATURE: &str = "1.3.6.1.5.5.7.1.24";
const STATUS_REQUEST: &[u8] = &[0x02, 0x01, 0x05];

fn usage(parsed: &X509Certificate<'_>) -> Usage {
    let mut usage = Usage::default();
    for extension in parsed.extensions() {
        let oid = extension.oid.to_id_string();
        match extension.parsed_extension() {
            ParsedExtension::SubjectAlternativeName(names) => usage.alternative_names = !names.general_names.is_empty(),
            ParsedExtension::KeyUsage(key) => usage.digital_signature = Some(key.digital_signature()),
            ParsedExtension::ExtendedKeyUsage(purposes) => usage.server_auth = Some(purposes.server_auth),
            _ if oid == TLS_FEATURE => {
                usage.must_staple = extension.value.windows(3).any(|window| window == STATUS_REQUEST);
            }
            unknown if extension.critical && unknown.unsupported() => usage.unknown_critical.push(oid),
            _ => {}
        }
    }
    usage
}
