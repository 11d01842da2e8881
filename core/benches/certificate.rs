//! Reading and verifying a bundle of three certificates, beside the same work by OpenSSL alone, without findings.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

#[allow(dead_code, reason = "the cases of the tests take more of it")]
#[path = "../tests/it/certificate/draft.rs"]
mod draft;

use std::hint::black_box;

use divan::Bencher;
use draft::{AT, Draft, HOST, Issuer, p256};
use openssl::pkey::PKey;
use openssl::stack::Stack;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::X509VerifyParam;
use openssl::x509::{X509, X509StoreContext, X509StoreContextRef};
use pharos_core::certificate::{CertificatePolicy, Input, Request, TrustAnchors, UnixTime, check, describe};

fn main() {
    divan::main();
}

struct Files {
    chain: Vec<u8>,
    key: Vec<u8>,
    /// As many anchors as a Debian system has.
    anchors: Vec<u8>,
}

fn files() -> Files {
    let keys = [p256(), p256(), p256(), p256()];
    let [root_key, upper_key, lower_key, key] = &keys;
    let root = Draft::authority("Root", None).days(-30, 3650).issue(root_key, Issuer { name: "Root", key: root_key });
    let upper = Draft::authority("Upper", Some(1)).issue(upper_key, Issuer { name: "Root", key: root_key });
    let lower = Draft::authority("Lower", Some(0)).issue(lower_key, Issuer { name: "Upper", key: upper_key });
    let leaf = Draft::server(&[HOST]).issue(key, Issuer { name: "Lower", key: lower_key });
    let others = (0..149).map(|n| {
        let (name, key) = (format!("Root {n}"), p256());
        Draft::authority(&name, None).days(-30, 3650).issue(&key, Issuer { name: &name, key: &key }).to_pem().unwrap()
    });
    Files {
        chain: [&leaf, &lower, &upper].map(|certificate| certificate.to_pem().unwrap()).concat(),
        key: key.private_key_to_pem_pkcs8().unwrap(),
        anchors: others.chain([root.to_pem().unwrap()]).flatten().collect(),
    }
}

#[divan::bench]
fn inspect_and_verify(bencher: Bencher) {
    let files = files();
    let anchors = TrustAnchors::read(&Input { name: "roots.pem", bytes: &files.anchors }).unwrap().0;
    let request = Request {
        chain: Input { name: "fullchain.pem", bytes: &files.chain },
        key: Some(Input { name: "privkey.pem", bytes: &files.key }),
        anchors: &anchors,
        hosts: &[HOST.parse().unwrap()],
        policy: CertificatePolicy::default(),
        at: UnixTime::new(AT),
    };
    bencher.bench(|| check(black_box(&request)).unwrap());
}

#[divan::bench]
fn inspect(bencher: Bencher) {
    let files = files();
    bencher.bench(|| describe(black_box(&files.chain)));
}

#[divan::bench]
fn read_150_anchors(bencher: Bencher) {
    let files = files();
    bencher.bench(|| TrustAnchors::read(black_box(&Input { name: "roots.pem", bytes: &files.anchors })).unwrap());
}

/// The peer: OpenSSL reads the same files, builds the path and compares the key.
#[divan::bench]
fn peer_openssl_alone(bencher: Bencher) {
    let files = files();
    let anchors = X509::stack_from_pem(&files.anchors).unwrap();
    bencher.bench(|| {
        let chain = X509::stack_from_pem(black_box(&files.chain)).unwrap();
        let key = PKey::private_key_from_pem(&files.key).unwrap();
        let mut param = X509VerifyParam::new().unwrap();
        param.set_time(AT);
        param.set_host(HOST).unwrap();
        let mut store = X509StoreBuilder::new().unwrap();
        store.set_param(&param).unwrap();
        for anchor in &anchors {
            store.add_cert(anchor.clone()).unwrap();
        }
        let mut sent = Stack::new().unwrap();
        for certificate in chain.iter().skip(1) {
            sent.push(certificate.clone()).unwrap();
        }
        let leaf = chain.first().unwrap();
        let mut context = X509StoreContext::new().unwrap();
        let verified = context.init(&store.build(), leaf, &sent, X509StoreContextRef::verify_cert).unwrap();
        assert!(verified && leaf.public_key().unwrap().public_eq(&key));
    });
}
