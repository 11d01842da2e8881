//! The key file, and kinds of keys and signatures.

use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::PKey;
use openssl::symm::Cipher;

use super::{Accept, Case, HOST, Reject, Verdict, Warn, World, pem};
use crate::certificate::draft::{Draft, Issuer, Key, curve, p256, rsa};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const P256_PARAMETERS: &[u8] = b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

pub(super) fn cases(world: &World) -> Vec<Case> {
    [files(world), kinds(world), signatures(world)].concat()
}

fn pkcs8(key: &Key) -> Vec<u8> {
    key.private_key_to_pem_pkcs8().unwrap()
}

fn files(world: &World) -> Vec<Case> {
    let own = pkcs8(&world.key);
    let sec1 = world.key.ec_key().unwrap().private_key_to_pem().unwrap();
    let encrypted = world.key.private_key_to_pem_pkcs8_passphrase(Cipher::aes_256_cbc(), b"secret").unwrap();
    let crlf = String::from_utf8(own.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    let both = [own.clone(), pem(&[&world.good, &world.middle])].concat();
    let combined = world.with_key("key_in_chain_first", "one file for certificate and key", Warn, both.clone());
    vec![
        world.with_key("key_mismatch", "the key of another certificate", Reject, pkcs8(&p256())),
        world.with_key("key_mismatch_type", "an RSA key, an EC certificate", Reject, pkcs8(&rsa(2048))),
        world.with_key("key_encrypted", "a passphrase is needed", Reject, encrypted),
        world.with_key("key_sec1", "BEGIN EC PRIVATE KEY", Accept, sec1.clone()),
        world.with_key(
            "key_sec1_params",
            "as openssl ecparam -genkey writes",
            Accept,
            [P256_PARAMETERS, &sec1].concat(),
        ),
        world.with_key("key_empty", "an empty key file", Reject, Vec::new()),
        world.with_key("key_crlf", "CRLF line ends", Accept, crlf),
        world.with_key("key_bom", "a byte order mark before the key", Warn, [BYTE_ORDER_MARK, &own].concat()),
        Case { chain: both, ..combined },
    ]
}

fn kinds(world: &World) -> Vec<Case> {
    let case = |name: &'static str, key: Key, policy: Verdict| {
        let leaf = Draft::server(&[HOST]).issue(&key, world.by_middle());
        Case { key: pkcs8(&key), ..world.case(name, "the kind of the server's key", policy, &[&leaf, &world.middle]) }
    };
    vec![
        case("key_p384", curve(Nid::SECP384R1), Accept),
        case("key_p521", curve(Nid::SECP521R1), Warn),
        case("key_p224", curve(Nid::SECP224R1), Reject),
        case("key_secp256k1", curve(Nid::SECP256K1), Reject),
        case("key_ed25519", PKey::generate_ed25519().unwrap(), Warn),
        case("key_rsa1024", rsa(1024), Reject),
        case("key_rsa2048", rsa(2048), Accept),
        case("key_rsa3072", rsa(3072), Accept),
    ]
}

fn signatures(world: &World) -> Vec<Case> {
    let key = rsa(2048);
    let issuer = Issuer { name: "Case RSA Int", key: &key };
    let middle = Draft::authority(issuer.name, Some(0)).issue(&key, world.by_root());
    let leaf = Draft::server(&[HOST]);
    let forgeable = Draft { digest: MessageDigest::sha1(), ..leaf.clone() };
    let weak_key = rsa(1024);
    let weak = Issuer { name: "Case Weak Int", key: &weak_key };
    let weak_middle = Draft::authority(weak.name, None).issue(&weak_key, world.by_root());
    vec![
        world.case(
            "mixed_rsa_intermediate",
            "EC leaf, RSA intermediate, EC root",
            Accept,
            &[&leaf.issue(&world.key, issuer), &middle],
        ),
        world.case("sha1_leaf", "signed with SHA-1", Reject, &[&forgeable.issue(&world.key, issuer), &middle]),
        world.case(
            "rsa1024_intermediate",
            "a weak intermediate",
            Reject,
            &[&leaf.issue(&world.key, weak), &weak_middle],
        ),
    ]
}
