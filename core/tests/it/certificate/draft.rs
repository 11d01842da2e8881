//! Certificates as a test wants them: sound unless a draft says otherwise, issued relative to one fixed instant.

use openssl::asn1::{Asn1Object, Asn1OctetString, Asn1Time};
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sha::sha256;
use openssl::x509::{X509, X509Extension, X509Name};

/// The host that most cases are judged for, and the common name of their certificates.
pub(crate) const HOST: &str = "a.edge.test";

/// The instant at which every case is judged: 2026-06-01T00:00:00Z.
pub(crate) const AT: i64 = 1_780_272_000;
const DAY: i64 = 86_400;

pub(crate) type Key = PKey<Private>;

pub(crate) fn curve(nid: Nid) -> Key {
    let group = EcGroup::from_curve_name(nid).unwrap();
    PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
}

pub(crate) fn p256() -> Key {
    curve(Nid::X9_62_PRIME256V1)
}

pub(crate) fn rsa(bits: u32) -> Key {
    PKey::from_rsa(Rsa::generate(bits).unwrap()).unwrap()
}

/// Who signs: the name that stands as issuer, and the key.
#[derive(Clone, Copy)]
pub(crate) struct Issuer<'a> {
    pub(crate) name: &'a str,
    pub(crate) key: &'a Key,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Usage {
    /// What the kind of certificate asks for.
    Fitting,
    /// keyCertSign and cRLSign alone.
    SignsCertificates,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Purpose {
    Server,
    Client,
    Unsaid,
}

/// A certificate before it is issued.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) subject: String,
    /// Days from the instant to the ends of validity.
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// Basic constraints: none, CA:FALSE or CA:TRUE.
    pub(crate) authority: Option<bool>,
    pub(crate) path_length: Option<u8>,
    pub(crate) names: Vec<Vec<u8>>,
    pub(crate) names_critical: bool,
    pub(crate) usage: Usage,
    pub(crate) purpose: Purpose,
    pub(crate) subject_key: bool,
    /// Whose key the authority key identifier names, if not the issuer's.
    pub(crate) authority_key: Option<Key>,
    /// Further extensions: object identifier, whether critical, value.
    pub(crate) extra: Vec<(&'static str, bool, Vec<u8>)>,
    pub(crate) digest: MessageDigest,
}

impl Draft {
    /// A server's certificate for these DNS names.
    pub(crate) fn server(names: &[&str]) -> Self {
        Self {
            subject: HOST.to_owned(),
            from: -1,
            to: 80,
            authority: Some(false),
            path_length: None,
            names: names.iter().map(|name| dns(name)).collect(),
            names_critical: false,
            usage: Usage::Fitting,
            purpose: Purpose::Server,
            subject_key: true,
            authority_key: None,
            extra: Vec::new(),
            digest: MessageDigest::sha256(),
        }
    }

    /// An intermediate.
    pub(crate) fn authority(subject: &str, path_length: Option<u8>) -> Self {
        let server = Self::server(&[]);
        Self { subject: subject.to_owned(), from: -20, to: 1800, authority: Some(true), path_length, ..server }
    }

    pub(crate) fn days(self, from: i64, to: i64) -> Self {
        Self { from, to, ..self }
    }

    pub(crate) fn subject(self, subject: &str) -> Self {
        Self { subject: subject.to_owned(), ..self }
    }

    pub(crate) fn extension(mut self, oid: &'static str, critical: bool, value: &[u8]) -> Self {
        self.extra.push((oid, critical, value.to_vec()));
        self
    }

    /// Issues the certificate for the key. ECDSA signatures vary in length, and with them the lines of the PEM form: it is
    /// signed until the length is the common one, so that places in reports are always the same.
    pub(crate) fn issue(&self, key: &Key, issuer: Issuer<'_>) -> X509 {
        let p256 = issuer.key.ec_key().is_ok_and(|key| key.group().curve_name() == Some(Nid::X9_62_PRIME256V1));
        loop {
            let certificate = self.sign(key, issuer);
            if !p256 || certificate.signature().len() == 71 {
                return certificate;
            }
        }
    }

    fn sign(&self, key: &Key, issuer: Issuer<'_>) -> X509 {
        let mut builder = X509::builder().unwrap();
        builder.set_version(2).unwrap();
        let mut serial = BigNum::new().unwrap();
        serial.rand(127, openssl::bn::MsbOption::ONE, false).unwrap();
        builder.set_serial_number(&serial.to_asn1_integer().unwrap()).unwrap();
        builder.set_subject_name(&name(&self.subject)).unwrap();
        builder.set_issuer_name(&name(issuer.name)).unwrap();
        builder.set_not_before(&Asn1Time::from_unix(AT + self.from * DAY).unwrap()).unwrap();
        builder.set_not_after(&Asn1Time::from_unix(AT + self.to * DAY).unwrap()).unwrap();
        builder.set_pubkey(key).unwrap();
        for (oid, critical, value) in self.extensions(key, issuer) {
            let oid = Asn1Object::from_str(oid).unwrap();
            let value = Asn1OctetString::new_from_bytes(&value).unwrap();
            builder.append_extension(X509Extension::new_from_der(&oid, critical, &value).unwrap()).unwrap();
        }
        builder.sign(issuer.key, self.digest).unwrap();
        builder.build()
    }

    fn extensions(&self, key: &Key, issuer: Issuer<'_>) -> Vec<(&'static str, bool, Vec<u8>)> {
        let mut list = Vec::new();
        let is_authority = self.authority == Some(true);
        if let Some(authority) = self.authority {
            let mut value = if authority { tlv(0x01, &[0xff]) } else { Vec::new() };
            value.extend(self.path_length.iter().flat_map(|length| tlv(0x02, &[*length])));
            list.push(("2.5.29.19", true, tlv(0x30, &value)));
        }
        // Named bits from the left: digitalSignature 0, keyCertSign 5, cRLSign 6.
        let bits = if is_authority || self.usage == Usage::SignsCertificates { [0x01, 0x06] } else { [0x07, 0x80] };
        list.push(("2.5.29.15", true, tlv(0x03, &bits)));
        let purpose: Option<&[u8]> = match self.purpose {
            Purpose::Server if is_authority => None,
            Purpose::Server => Some(&[0x2b, 6, 1, 5, 5, 7, 3, 1]),
            Purpose::Client => Some(&[0x2b, 6, 1, 5, 5, 7, 3, 2]),
            Purpose::Unsaid => None,
        };
        list.extend(purpose.map(|oid| ("2.5.29.37", false, tlv(0x30, &tlv(0x06, oid)))));
        if !self.names.is_empty() {
            list.push(("2.5.29.17", self.names_critical, tlv(0x30, &self.names.concat())));
        }
        if self.subject_key {
            list.push(("2.5.29.14", false, tlv(0x04, &identifier(key))));
        }
        let named = self.authority_key.as_ref().unwrap_or(issuer.key);
        list.push(("2.5.29.35", false, tlv(0x30, &tlv(0x80, &identifier(named)))));
        list.extend(self.extra.iter().cloned());
        list
    }
}

/// An alternative name: a DNS name.
pub(crate) fn dns(name: &str) -> Vec<u8> {
    tlv(0x82, name.as_bytes())
}

/// An alternative name: an address.
pub(crate) fn address(bytes: &[u8]) -> Vec<u8> {
    tlv(0x87, bytes)
}

/// The value of name constraints: permitted and excluded domains.
pub(crate) fn constraints(permitted: &[&str], excluded: &[&str]) -> Vec<u8> {
    let subtrees = |tag: u8, domains: &[&str]| {
        let list: Vec<u8> = domains.iter().flat_map(|domain| tlv(0x30, &dns(domain))).collect();
        if list.is_empty() { list } else { tlv(tag, &list) }
    };
    tlv(0x30, &[subtrees(0xa0, permitted), subtrees(0xa1, excluded)].concat())
}

/// A DER element.
pub(crate) fn tlv(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = match u8::try_from(body.len()) {
        Ok(short @ 0..=127) => vec![short],
        Ok(long) => vec![0x81, long],
        Err(_) => {
            let bytes = u16::try_from(body.len()).unwrap().to_be_bytes();
            vec![0x82, bytes[0], bytes[1]]
        }
    };
    [&[tag], length.as_slice(), body].concat()
}

/// A key identifier: any twenty octets do, as long as a key always has the same ones.
fn identifier(key: &Key) -> Vec<u8> {
    sha256(&key.public_key_to_der().unwrap())[..20].to_vec()
}

fn name(common: &str) -> X509Name {
    let mut builder = X509Name::builder().unwrap();
    if !common.is_empty() {
        builder.append_entry_by_nid(Nid::COMMONNAME, common).unwrap();
    }
    builder.build()
}
