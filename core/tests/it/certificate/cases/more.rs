//! Cases beyond the measured ones: budgets, damage, policies and trust anchors.

use super::{Case, HOST, MIDDLE, Reject, Verdict, Warn, World, pem};
use crate::certificate::draft::{Draft, Issuer, p256};

pub(super) fn cases(world: &World) -> Vec<Case> {
    [files(world), paths(world), anchors(world)].concat()
}

fn block(label: &str, body: &str) -> Vec<u8> {
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n").into_bytes()
}

fn files(world: &World) -> Vec<Case> {
    let good = pem(&[&world.good, &world.middle]);
    let text = String::from_utf8(good.clone()).unwrap();
    let own = world.key.private_key_to_pem_pkcs8().unwrap();
    let other = p256().private_key_to_pem_pkcs8().unwrap();
    let many: Vec<_> = std::iter::repeat_n(&world.middle, 33).collect();
    let lines: Vec<&str> = text.lines().collect();
    let split = [lines[..2].join("\n"), "\n\n".to_owned(), lines[2..].join("\n")].concat();
    let trusted = String::from_utf8(pem(&[&world.middle])).unwrap().replace(" CERT", " TRUSTED CERT").into_bytes();
    let case = |name, what, policy: Verdict, chain: Vec<u8>| world.bytes(name, what, policy, chain);
    vec![
        case("too_large", "more bytes than are read", Reject, vec![b' '; 256 * 1024 + 1]),
        case("too_many", "more certificates than are read", Reject, pem(&many)),
        case(
            "not_a_certificate",
            "base64 of something else",
            Reject,
            [good.clone(), block("CERTIFICATE", "AAAA")].concat(),
        ),
        case("header_in_block", "a blank line in a block", Reject, split.into_bytes()),
        case(
            "parameters",
            "Diffie-Hellman parameters in the chain",
            Warn,
            [good, block("DH PARAMETERS", "AAAA")].concat(),
        ),
        case("trusted_second", "TRUSTED, not in the first place", Reject, [pem(&[&world.good]), trusted].concat()),
        case("words", "a file of words", Reject, b"the certificate is with Maria\n".to_vec()),
        case(
            "der_text",
            "DER that somebody read as a text",
            Reject,
            String::from_utf8_lossy(&world.good.to_der().unwrap()).into_owned().into_bytes(),
        ),
        case("pkcs12", "a binary container", Reject, vec![0x30, 0x82, 0x01, 0xff, 0x02, 0x01, 0x03]),
        world.with_key("two_keys", "two private keys", Warn, [own, other].concat()),
        world.with_key("key_damaged", "a damaged key", Reject, block("PRIVATE KEY", "AAAA")),
        world.with_key("key_is_chain", "certificates in place of the key", Reject, pem(&[&world.good])),
    ]
}

fn paths(world: &World) -> Vec<Case> {
    let leaf = Draft::server(&[HOST]);
    let early = Draft::authority(MIDDLE, Some(0)).days(-20, 40).issue(&world.middle_key, world.by_root());
    let tired = Draft::authority(MIDDLE, Some(0)).days(-2000, 100).issue(&world.middle_key, world.by_root());
    let stranger = Issuer { name: MIDDLE, key: &world.other_key };
    let forged = Draft { authority_key: Some(world.middle_key.clone()), ..leaf.clone() }.issue(&world.key, stranger);
    let unnamed =
        Draft { subject_key: false, ..Draft::authority(MIDDLE, Some(0)) }.issue(&world.middle_key, world.by_root());
    let doubled = world.issue(&leaf.clone().extension("2.5.29.15", true, &[3, 2, 7, 0x80]));
    let clients =
        Draft::authority(MIDDLE, Some(0)).extension("2.5.29.37", false, &[0x30, 10, 6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 2]);
    let clients = clients.issue(&world.middle_key, world.by_root());
    let twin = Draft::authority(MIDDLE, Some(0)).days(-10, 1700).issue(&world.middle_key, world.by_root());
    let expired = world.issue(&leaf.days(-90, -1));
    let (good, middle) = (&world.good, &world.middle);
    vec![
        world.case("issuer_ends_first", "the intermediate ends before the leaf", Warn, &[good, &early]),
        world.case("issuer_near_its_end", "a twentieth of the intermediate's time is left", Warn, &[good, &tired]),
        world.case("forged", "signed by a key that is not the issuer's", Reject, &[&forged, middle]),
        world.case("no_subject_key", "an authority without key identifier", Reject, &[good, &unnamed]),
        world.case("usage_twice", "an extension that stands twice", Reject, &[&doubled, middle]),
        world.case("authority_for_clients", "an authority for clients alone", Reject, &[good, &clients]),
        world.case(
            "alternative_issuer",
            "a second valid issuer for older clients",
            super::Accept,
            &[good, middle, &twin],
        ),
        world.case("expired_and_alone", "expired, and the intermediate is missing", Reject, &[&expired]),
    ]
}

fn anchors(world: &World) -> Vec<Case> {
    let good = world.case("staging", "a staging authority under a staging policy", Warn, &[&world.good, &world.middle]);
    let root = pem(&[&world.root]);
    let own = Issuer { name: "Other Root", key: &world.other_key };
    let unrelated = pem(&[&Draft::authority(own.name, None).issue(&world.other_key, own)]);
    let stage = Issuer { name: "(STAGING) Case Root", key: &world.other_key };
    let stage_root = Draft::authority(stage.name, None).issue(&world.other_key, stage);
    let staged = Draft::server(&[HOST]).issue(&world.key, stage);
    let alone = Case {
        name: "staging_alone",
        staging: true,
        anchors: unrelated.clone(),
        chain: pem(&[&world.good]),
        ..good.clone()
    };
    vec![
        Case { policy: Reject, what: "a staging policy excuses no missing intermediate", ..alone },
        Case { name: "staging_in_production", policy: Reject, chain: pem(&[&staged, &stage_root]), ..good.clone() },
        Case { name: "no_anchor", policy: Reject, anchors: b"# none\n".to_vec(), ..good.clone() },
        Case { name: "anchor_damaged", anchors: [block("CERTIFICATE", "AAAA"), root].concat(), ..good.clone() },
        Case { staging: true, anchors: unrelated, ..good },
    ]
}
