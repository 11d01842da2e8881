//! Making an authority and issuing a certificate: keys and serial numbers are drawn here.

use std::collections::BTreeSet;

use openssl::asn1::Asn1Time;
use openssl::bn::{BigNum, MsbOption};
use openssl::ec::{EcGroup, EcKey};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::x509::extension::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAlternativeName, SubjectKeyIdentifier,
};
use openssl::x509::{X509, X509Builder, X509Name, X509NameRef, X509Ref};
use pharos_core::certificate::development::Validity;
use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::module::codes;
use pharos_core::name::HostName;

/// A certificate and its private key, both in PEM.
pub(super) struct Pair {
    pub(super) certificate: Vec<u8>,
    pub(super) key: Vec<u8>,
}

/// The same, borrowed.
pub(super) struct PairRef<'a> {
    pub(super) certificate: &'a [u8],
    pub(super) key: &'a [u8],
}

/// The bits of a serial number: more than an authority's rules ask for, and never a negative number.
const SERIAL_BITS: i32 = 126;

/// A self-signed authority. A part of its serial number ends its name, so that the authorities of two boxes are told apart.
pub(super) fn authority(name: &str, validity: Validity) -> Result<Pair, Report> {
    made(|| {
        let key = key()?;
        let serial = serial()?;
        let digits: String = serial.to_hex_str()?.chars().take(8).collect();
        let subject = common_name(&format!("{name} {}", digits.to_ascii_lowercase()))?;
        let mut builder = builder(&subject, &subject, &key, &serial, validity)?;
        builder.append_extension(BasicConstraints::new().critical().ca().pathlen(0).build()?)?;
        builder.append_extension(KeyUsage::new().critical().key_cert_sign().crl_sign().build()?)?;
        let identifier = SubjectKeyIdentifier::new().build(&builder.x509v3_context(None, None))?;
        builder.append_extension(identifier)?;
        builder.sign(&key, MessageDigest::sha256())?;
        pair(&builder.build(), &key)
    })
}

/// A server's certificate for these hosts.
pub(super) fn leaf(by: &PairRef<'_>, hosts: &BTreeSet<HostName>, validity: Validity) -> Result<Pair, Report> {
    made(|| {
        let issuer = X509::from_pem(by.certificate)?;
        // The callback answers an empty passphrase: without it OpenSSL would ask at the terminal.
        let issuer_key = PKey::private_key_from_pem_callback(by.key, |_| Ok(0))?;
        let key = key()?;
        // Without a subject: a common name holds 64 characters, and no client looks at it.
        let mut builder = builder(&X509Name::builder()?.build(), issuer.subject_name(), &key, &serial()?, validity)?;
        builder.append_extension(BasicConstraints::new().critical().build()?)?;
        builder.append_extension(KeyUsage::new().critical().digital_signature().build()?)?;
        builder.append_extension(ExtendedKeyUsage::new().server_auth().build()?)?;
        with_identifiers(&mut builder, &issuer, hosts)?;
        builder.sign(&issuer_key, MessageDigest::sha256())?;
        pair(&builder.build(), &key)
    })
}

fn with_identifiers(builder: &mut X509Builder, issuer: &X509Ref, hosts: &BTreeSet<HostName>) -> Result<(), ErrorStack> {
    let context = builder.x509v3_context(Some(issuer), None);
    let mut names = SubjectAlternativeName::new();
    // RFC 5280 section 4.2.1.6: critical where there is no subject.
    names.critical();
    for host in hosts {
        names.dns(host.as_str());
    }
    let names = names.build(&context)?;
    let own = SubjectKeyIdentifier::new().build(&context)?;
    let issuers = AuthorityKeyIdentifier::new().keyid(true).build(&context)?;
    for extension in [names, own, issuers] {
        builder.append_extension(extension)?;
    }
    Ok(())
}

fn key() -> Result<PKey<Private>, ErrorStack> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
    PKey::from_ec_key(EcKey::generate(&group)?)
}

fn serial() -> Result<BigNum, ErrorStack> {
    let mut serial = BigNum::new()?;
    serial.rand(SERIAL_BITS, MsbOption::ONE, false)?;
    Ok(serial)
}

fn common_name(text: &str) -> Result<X509Name, ErrorStack> {
    let mut builder = X509Name::builder()?;
    builder.append_entry_by_nid(Nid::COMMONNAME, text)?;
    Ok(builder.build())
}

fn builder(
    subject: &X509NameRef,
    issuer: &X509NameRef,
    key: &PKey<Private>,
    serial: &BigNum,
    validity: Validity,
) -> Result<X509Builder, ErrorStack> {
    let number = serial.to_asn1_integer()?;
    let (from, to) = (Asn1Time::from_unix(validity.from.seconds())?, Asn1Time::from_unix(validity.to.seconds())?);
    let mut builder = X509::builder()?;
    builder.set_version(2)?;
    builder.set_serial_number(&number)?;
    builder.set_subject_name(subject)?;
    builder.set_issuer_name(issuer)?;
    builder.set_not_before(&from)?;
    builder.set_not_after(&to)?;
    builder.set_pubkey(key)?;
    Ok(builder)
}

fn pair(certificate: &X509, key: &PKey<Private>) -> Result<Pair, ErrorStack> {
    Ok(Pair { certificate: certificate.to_pem()?, key: key.private_key_to_pem_pkcs8()? })
}

/// What OpenSSL made; what it could not make is a fault of the program, for everything given to it was judged.
fn made(work: impl FnOnce() -> Result<Pair, ErrorStack>) -> Result<Pair, Report> {
    work().map_err(|error| {
        let reason = error.errors().last().and_then(openssl::error::Error::reason).unwrap_or("no reason given");
        Diagnostic::error(codes::INTERNAL_FAULT, format!("OpenSSL cannot make a certificate: {reason}"))
            .at(Place::named("development_certificate"), "")
            .help("report this message; it is no fault of the task")
            .into()
    })
}
