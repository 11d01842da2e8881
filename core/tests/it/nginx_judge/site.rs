//! A site for the tests of behaviour: the cases' catalogue on `*.example.org`, a certificate for all its names, a gateway on
//! this host.

use std::path::Path;

use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509NameBuilder};
use pharos_core::edge::NginxBuild;
use pharos_core::edge::nginx::{Directive, Word};

use super::bed::{Nginx, rewritten};
use crate::edge_case::{self, Case};
use crate::edge_render::files;

/// A self-signed certificate for these names.
pub(crate) fn certificate(names: &[&str]) -> (X509, PKey<Private>) {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let key = PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap();
    let mut subject = X509NameBuilder::new().unwrap();
    subject.append_entry_by_nid(Nid::COMMONNAME, names[0]).unwrap();
    let subject = subject.build();
    let mut builder = X509::builder().unwrap();
    builder.set_version(2).unwrap();
    builder.set_serial_number(&BigNum::from_u32(7).unwrap().to_asn1_integer().unwrap()).unwrap();
    builder.set_subject_name(&subject).unwrap();
    builder.set_issuer_name(&subject).unwrap();
    builder.set_pubkey(&key).unwrap();
    builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
    builder.set_not_after(&Asn1Time::days_from_now(30).unwrap()).unwrap();
    builder.append_extension(BasicConstraints::new().ca().build().unwrap()).unwrap();
    let mut alternatives = SubjectAlternativeName::new();
    for name in names {
        alternatives.dns(name);
    }
    let alternatives = alternatives.build(&builder.x509v3_context(None, None)).unwrap();
    builder.append_extension(alternatives).unwrap();
    builder.sign(&key, MessageDigest::sha256()).unwrap();
    (builder.build(), key)
}

/// Writes a certificate and its key into a folder.
pub(crate) fn write_pair(folder: &Path, (certificate, key): &(X509, PKey<Private>)) {
    std::fs::write(folder.join("leaf.pem"), certificate.to_pem().unwrap()).unwrap();
    std::fs::write(folder.join("leaf.key"), key.private_key_to_pem_pkcs8().unwrap()).unwrap();
}

/// A case of `tests/edge`.
pub(crate) fn case(name: &str) -> Case {
    edge_case::read(&edge_case::root().join(name)).unwrap_or_else(|report| panic!("{report}"))
}

/// The case for the nginx of a release, as that says of itself what it is.
pub(crate) fn for_series(mut case: Case, series: &'static str) -> Case {
    let said = Nginx::new(series, "", &[]).version();
    case.host.nginx = NginxBuild::parse(&said).unwrap();
    assert!(case.host.nginx.version.to_string().starts_with(series));
    assert!(case.host.nginx.openssl.is_some(), "{said}");
    case
}

/// The case that most tests of behaviour use: four hosts, one gateway address, management from this host alone.
pub(crate) fn ordinary() -> Case {
    let mut case = case("existing-bookworm");
    case.environment.management_networks.clear();
    case.environment.gateway.upstreams.truncate(1);
    case
}

/// The files of a case, as nginx can read them here: certificates and trust are those of `folder`.
pub(crate) fn readable(case: &Case, folder: &Path) -> Vec<(&'static str, Vec<Directive>)> {
    let file = |name: &str| Word::literal(folder.join(name).to_str().unwrap()).unwrap();
    let (https, http) = files(case);
    let read = |directives: &[Directive]| {
        rewritten(directives, &mut |name, words| {
            let replaced = match name {
                "ssl_certificate" => file("leaf.pem"),
                "ssl_certificate_key" => file("leaf.key"),
                "proxy_ssl_trusted_certificate" | "grpc_ssl_trusted_certificate" => file("trust.pem"),
                // A slow machine must not look like a gateway that has recovered.
                "server" if words.len() == 3 => {
                    assert_eq!(words[2].as_str(), "fail_timeout=10s");
                    words[2] = Word::expression("fail_timeout=600s");
                    return;
                }
                _ => return,
            };
            *words = vec![replaced];
        })
    };
    let mut all = vec![("pharos-platform-https.conf", read(https.directives()))];
    all.extend(http.map(|http| ("pharos-platform-http.conf", read(http.directives()))));
    all
}

/// A folder with a certificate for every name of the cases.
pub(crate) fn pki() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let pair = certificate(&["*.example.org", "gateway.example.org"]);
    write_pair(folder.path(), &pair);
    std::fs::write(folder.path().join("trust.pem"), pair.0.to_pem().unwrap()).unwrap();
    folder
}

/// A running edge, and what it was made from.
pub(crate) struct Edge {
    pub(crate) case: Case,
    pub(crate) nginx: Nginx,
    _pki: tempfile::TempDir,
}

/// Starts a case whose gateway is verified by the authorities of a file.
pub(crate) fn start_trusting(series: &'static str, case: Case, trust: &Path) -> Edge {
    let pki = pki();
    std::fs::copy(trust, pki.path().join("trust.pem")).unwrap();
    let case = for_series(case, series);
    let nginx = Nginx::new(series, "", &readable(&case, pki.path())).start(443);
    Edge { case, nginx, _pki: pki }
}

/// Starts a case in this thread's network namespace. `extra` stands in the `http` block before our files.
pub(crate) fn start(series: &'static str, case: Case, extra: &str) -> Edge {
    let pki = pki();
    let case = for_series(case, series);
    let nginx = Nginx::new(series, extra, &readable(&case, pki.path())).start(443);
    Edge { case, nginx, _pki: pki }
}
