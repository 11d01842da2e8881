//! The modules that look at certificates: `certificate_info` and `acme_lineages_info`.

use std::path::{Path, PathBuf};

use openssl::asn1::Asn1Time;
use openssl::bn::{BigNum, MsbOption};
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::x509::extension::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAlternativeName, SubjectKeyIdentifier,
};
use openssl::x509::{X509, X509Builder, X509Name};
use serde_json::{Value, json};

use crate::ask::{AT, ask, codes, refusal};

const HOST: &str = "a.edge.test";
const DAY: i64 = 86_400;

/// Files of a host: an authority and what it has issued.
struct Files {
    folder: tempfile::TempDir,
    authority: X509,
    key: PKey<Private>,
}

fn key() -> PKey<Private> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
}

fn name(text: &str) -> X509Name {
    let mut builder = X509Name::builder().unwrap();
    builder.append_entry_by_nid(Nid::COMMONNAME, text).unwrap();
    builder.build()
}

/// What all certificates have in common, valid from the day before the instant for so many days.
fn builder(subject: &str, key: &PKey<Private>, days: i64) -> X509Builder {
    let mut builder = X509::builder().unwrap();
    builder.set_version(2).unwrap();
    let mut serial = BigNum::new().unwrap();
    serial.rand(120, MsbOption::ONE, false).unwrap();
    builder.set_serial_number(&serial.to_asn1_integer().unwrap()).unwrap();
    builder.set_subject_name(&name(subject)).unwrap();
    builder.set_issuer_name(&name("Edge Test Root")).unwrap();
    builder.set_not_before(&Asn1Time::from_unix(AT - DAY).unwrap()).unwrap();
    builder.set_not_after(&Asn1Time::from_unix(AT + days * DAY).unwrap()).unwrap();
    builder.set_pubkey(key).unwrap();
    builder
}

impl Files {
    fn new() -> Self {
        let key = key();
        let mut builder = builder("Edge Test Root", &key, 3000);
        builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
        builder.append_extension(KeyUsage::new().critical().key_cert_sign().crl_sign().build().unwrap()).unwrap();
        let identifier = SubjectKeyIdentifier::new().build(&builder.x509v3_context(None, None)).unwrap();
        builder.append_extension(identifier).unwrap();
        builder.sign(&key, MessageDigest::sha256()).unwrap();
        let files = Self { folder: tempfile::tempdir().unwrap(), authority: builder.build(), key };
        std::fs::write(files.path("trust.pem"), files.authority.to_pem().unwrap()).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a chain and its key; answers the key.
    fn issue(&self, host: &str, chain: &Path, key_file: &Path, days: i64) -> PKey<Private> {
        let key = key();
        let mut builder = builder(host, &key, days);
        let context = builder.x509v3_context(Some(&self.authority), None);
        let extensions = [
            BasicConstraints::new().critical().build().unwrap(),
            KeyUsage::new().critical().digital_signature().build().unwrap(),
            ExtendedKeyUsage::new().server_auth().build().unwrap(),
            SubjectAlternativeName::new().dns(host).build(&context).unwrap(),
            SubjectKeyIdentifier::new().build(&context).unwrap(),
            AuthorityKeyIdentifier::new().keyid(true).build(&context).unwrap(),
        ];
        for extension in extensions {
            builder.append_extension(extension).unwrap();
        }
        builder.sign(&self.key, MessageDigest::sha256()).unwrap();
        for folder in [chain.parent(), key_file.parent()].into_iter().flatten() {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(chain, builder.build().to_pem().unwrap()).unwrap();
        std::fs::write(key_file, key.private_key_to_pem_pkcs8().unwrap()).unwrap();
        key
    }

    fn certificate(&self, host: &str, days: i64) -> Value {
        let (chain, key) = (self.path(&format!("{host}.pem")), self.path(&format!("{host}.key")));
        self.issue(host, &chain, &key, days);
        json!({ "host": host, "certificate": chain, "key": key })
    }

    fn judge(&self, files: &[Value], more: &Value) -> Value {
        let mut arguments = json!({ "files": files, "trust": self.path("trust.pem") });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask("certificate_info", &arguments)
    }
}

#[test]
fn a_fit_certificate_is_described() {
    let files = Files::new();
    let answer = files.judge(&[files.certificate(HOST, 80)], &json!({}));
    assert_eq!((&answer["fit"], &answer["changed"], codes(&answer)), (&json!(true), &json!(false), vec![]));
    let one = &answer["certificates"][0];
    assert_eq!((&one["host"], &one["fit"], &one["anchored"]), (&json!(HOST), &json!(true), &json!(true)));
    assert_eq!(one["valid_until"], "2026-08-20T00:00:00Z");
    assert_eq!(one["chain"][0]["dns_names"], json!([HOST]));
}

#[test]
fn an_unfit_one_is_told_or_refused() {
    let files = Files::new();
    let mut other = files.certificate("b.edge.test", 80);
    other["host"] = json!(HOST);
    let pair = [files.certificate("c.edge.test", 80), other];
    let answer = files.judge(&pair, &json!({}));
    assert_eq!((&answer["fit"], answer.get("failed")), (&json!(false), None));
    assert_eq!((&answer["certificates"][0]["fit"], &answer["certificates"][1]["fit"]), (&json!(true), &json!(false)));
    assert_eq!(codes(&answer), ["certificate/host-mismatch"]);
    let refused = files.judge(&pair, &json!({ "refuse_unfit": true }));
    assert_eq!((&refused["failed"], &refused["fit"]), (&json!(true), &json!(false)));
    let message = refused["msg"].as_str().unwrap();
    assert!(message.contains("b.edge.test.pem") && message.contains(HOST), "{message}");
}

#[test]
fn every_file_that_cannot_be_read_is_named() {
    let files = Files::new();
    let gone = json!({ "host": HOST, "certificate": files.path("gone.pem"), "key": files.path("gone.key") });
    let answer = files.judge(&[gone], &json!({}));
    assert_eq!(codes(&answer), ["module/unreadable-file", "module/unreadable-file"]);
    let nothing = refusal("certificate_info", &json!({ "files": [files.certificate(HOST, 80)], "trust": "/nowhere" }));
    assert!(nothing.contains("`/nowhere` cannot be read"), "{nothing}");
}

/// Authorities that cannot be read fail the task in any case, and hide nothing of the chains.
#[test]
fn authorities_that_cannot_be_read_hide_no_fault_of_a_chain() {
    let files = Files::new();
    let mut other = files.certificate("b.edge.test", 80);
    other["host"] = json!(HOST);
    let trust = files.path("none.pem");
    std::fs::write(&trust, "none\n").unwrap();
    let answer = files.judge(&[other, files.certificate("c.edge.test", 80)], &json!({ "trust": trust }));
    assert_eq!((&answer["failed"], &answer["fit"]), (&json!(true), &json!(false)), "{answer}");
    assert_eq!(codes(&answer), ["certificate/no-anchor", "certificate/host-mismatch"]);
}

#[test]
fn no_key_is_ever_returned() {
    let files = Files::new();
    let mut swapped = files.certificate(HOST, 80);
    swapped["certificate"] = swapped["key"].clone();
    let key = std::fs::read_to_string(files.path(&format!("{HOST}.key"))).unwrap();
    let secret = key.lines().nth(1).unwrap();
    for more in [json!({}), json!({ "refuse_unfit": true })] {
        let answer = files.judge(&[swapped.clone()], &more);
        assert_eq!(answer["failed"] == true, more["refuse_unfit"] == true);
        assert!(!codes(&answer).is_empty() && !answer.to_string().contains(secret), "{answer}");
    }
}

fn lineages(files: &Files, more: &Value) -> Value {
    let mut arguments = json!({
        "hosts": [HOST, "b.edge.test"], "directory": files.path("letsencrypt"), "webroot": "/var/www/acme",
        "server": "https://127.0.0.1:14000/dir",
    });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ask("acme_lineages_info", &arguments)
}

/// A lineage as certbot leaves it, with this hook.
fn lineage(files: &Files, name: &str, host: &str, hook: &str) {
    let live = files.path("letsencrypt/live").join(name);
    files.issue(host, &live.join("fullchain.pem"), &live.join("privkey.pem"), 80);
    let renewal = files.path("letsencrypt/renewal");
    std::fs::create_dir_all(&renewal).unwrap();
    let own = live.display();
    let text = format!(
        "version = 4.0.0\ncert = {own}/cert.pem\nprivkey = {own}/privkey.pem\nchain = {own}/chain.pem\n\
         fullchain = {own}/fullchain.pem\n[renewalparams]\nauthenticator = webroot\n\
         server = https://127.0.0.1:14000/dir\nrenew_hook = {hook}\n[[webroot_map]]\n{host} = /var/www/acme\n"
    );
    std::fs::write(renewal.join(format!("{name}.conf")), text).unwrap();
}

#[test]
fn a_host_without_certbot_needs_everything() {
    let files = Files::new();
    let answer = lineages(&files, &json!({}));
    assert_eq!(answer["requests"], json!([HOST, "b.edge.test"]), "{answer}");
    assert_eq!(answer["lineages"][0]["action"], "issue");
    assert_eq!(answer["changed"], false);
}

#[test]
fn lineages_are_judged_one_by_one() {
    let files = Files::new();
    lineage(&files, HOST, HOST, "nginx -t && systemctl reload nginx");
    lineage(&files, "b.edge.test", "b.edge.test", "true");
    lineage(&files, "b.edge.test-0001", "b.edge.test", "true");
    lineage(&files, "of-somebody-else", "c.edge.test", "true");
    let answer = lineages(&files, &json!({}));
    let decided: Vec<(&Value, &Value)> =
        answer["lineages"].as_array().unwrap().iter().map(|one| (&one["action"], &one["reasons"][0]["kind"])).collect();
    assert_eq!(decided, [(&json!("leave"), &Value::Null), (&json!("reissue"), &json!("hook_stale"))]);
    assert_eq!(codes(&answer), ["certificate/lineage-duplicate"]);
    assert_eq!(answer["warnings"].as_array().unwrap().len(), 1);
    assert!(!answer.to_string().contains("PRIVATE KEY"));
}

#[test]
fn remnants_and_bad_arguments_are_refused() {
    let files = Files::new();
    std::fs::create_dir_all(files.path("letsencrypt/archive").join(HOST).join("x")).unwrap();
    assert_eq!(codes(&lineages(&files, &json!({}))), ["certificate/lineage-remnant"]);
    assert_eq!(codes(&lineages(&files, &json!({ "server": "http://ca" }))), ["certificate/acme-server"]);
    let bad = lineages(&files, &json!({ "hosts": [], "email": "nobody", "host": HOST }));
    assert_eq!(codes(&bad)[..2], ["module/option-value", "module/unknown-option"], "{bad}");
}
