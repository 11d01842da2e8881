//! Agreement with the `openssl` program: where its verdict on a case differs from ours, `exceptions.yaml` says why.
//!
//! An entry that differs no longer fails the test as well: the reasons stay true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use pharos_core::certificate::describe;
use pharos_core::diagnostic::Source;
use pharos_core::document;
use schemars::JsonSchema;
use serde::Deserialize;

use super::cases::{Case, FURTHER, MEASURED, Reject};
use super::draft::AT;
use super::matrix::verdict;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Exceptions {
    openssl: Vec<Exception>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Exception {
    case: String,
    openssl: Outcome,
    reason: String,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Accepts,
    Refuses,
}

/// What `openssl verify` says of a chain, as strictly as we ask it to be.
fn verified(case: &Case, folder: &Path) -> Outcome {
    let (chain, anchors) = (folder.join("fullchain.pem"), folder.join("roots.pem"));
    std::fs::write(&chain, &case.chain).unwrap();
    std::fs::write(&anchors, &case.anchors).unwrap();
    let name = if case.host.parse::<std::net::IpAddr>().is_ok() { "-verify_ip" } else { "-verify_hostname" };
    let output = Command::new("openssl")
        .args(["verify", "-no-CApath", "-no-CAstore", "-purpose", "sslserver", "-x509_strict", "-auth_level", "2"])
        .args(["-attime", &AT.to_string(), name, case.host])
        .args([Path::new("-CAfile"), &anchors, Path::new("-untrusted"), &chain, &chain])
        .output()
        .expect("the program `openssl` (Debian: package openssl)");
    if output.status.success() { Outcome::Accepts } else { Outcome::Refuses }
}

#[test]
fn openssl_agrees_or_the_reason_is_stated() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates/exceptions.yaml");
    let source = Source::public("exceptions.yaml", &std::fs::read_to_string(file).unwrap());
    let exceptions = document::read::<Exceptions>(&source).unwrap().value;
    let stated: BTreeMap<&str, &Exception> = exceptions.openssl.iter().map(|e| (e.case.as_str(), e)).collect();
    assert_eq!(stated.len(), exceptions.openssl.len(), "a case is stated once");
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    let mut differing = BTreeSet::new();
    for case in MEASURED.iter().chain(FURTHER.iter().filter(|case| !case.staging)) {
        let theirs = verified(case, folder.path());
        let ours = if verdict(case) == Reject { Outcome::Refuses } else { Outcome::Accepts };
        if theirs == ours {
            continue;
        }
        differing.insert(case.name);
        match stated.get(case.name) {
            Some(exception) if exception.openssl == theirs && !exception.reason.is_empty() => {}
            _ => wrong.push(format!("{}: openssl {theirs:?}, ours {ours:?}", case.name)),
        }
    }
    wrong.extend(
        stated.keys().filter(|name| !differing.contains(*name)).map(|name| format!("{name}: differs no longer")),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What `x509-parser` reads is what OpenSSL reads. (Its PEM reader skips the label of `pem_trusted`.)
#[test]
fn both_readers_say_the_same() {
    for case in MEASURED.iter().filter(|case| case.name != "pem_trusted") {
        let ours = describe(&case.chain);
        let Ok(theirs) = openssl::x509::X509::stack_from_pem(&case.chain) else { continue };
        for (our, their) in ours.iter().zip(&theirs) {
            let serial = their.serial_number().to_bn().unwrap().to_hex_str().unwrap().to_string();
            assert_eq!(our.serial, serial.parse().unwrap(), "{}", case.name);
            let digest = their.digest(openssl::hash::MessageDigest::sha256()).unwrap();
            let nibbles = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            let digits: String = nibbles.map(|nibble| char::from_digit(nibble.into(), 16).unwrap()).collect();
            assert_eq!(our.fingerprint, digits, "{}", case.name);
            let ends = |at: i64| openssl::asn1::Asn1Time::from_unix(at).unwrap();
            assert!(their.not_after() == ends(our.not_after.seconds()), "{}", case.name);
            assert!(their.not_before() == ends(our.not_before.seconds()), "{}", case.name);
            let names: Vec<String> =
                their.subject_alt_names().iter().flatten().filter_map(|n| n.dnsname().map(str::to_owned)).collect();
            assert_eq!(our.dns_names, names, "{}", case.name);
            let common: Vec<String> = their.subject_name().entries().map(|e| e.data().to_string().unwrap()).collect();
            assert_eq!(
                our.subject,
                common.first().map(|name| format!("CN={name}")).unwrap_or_default(),
                "{}",
                case.name
            );
        }
    }
}
