//! What extensions allow and forbid.

use openssl::x509::X509;

use super::{Accept, Case, HOST, Reject, Verdict, Warn, World};
use crate::certificate::draft::{Draft, Issuer, Purpose, Usage, constraints, dns, p256};

const NAME_CONSTRAINTS: &str = "2.5.29.30";
const UNKNOWN: &str = "1.3.6.1.4.1.55555.1";
const TLS_FEATURE: &str = "1.3.6.1.5.5.7.1.24";

pub(super) fn cases(world: &World) -> Vec<Case> {
    [names(world), authorities(world), usages(world)].concat()
}

fn names(world: &World) -> Vec<Case> {
    let case = |name, what, policy, leaf: &Draft, permitted: &[&str], excluded: &[&str]| {
        let middle = Draft::authority("Case Bound", Some(0))
            .extension(NAME_CONSTRAINTS, true, &constraints(permitted, excluded))
            .issue(&world.middle_key, world.by_root());
        let leaf = leaf.issue(&world.key, Issuer { name: "Case Bound", key: &world.middle_key });
        world.case(name, what, policy, &[&leaf, &middle])
    };
    let leaf = Draft::server(&[HOST]);
    let two = Draft::server(&[HOST, "x.other.test"]);
    vec![
        case("nc_permitted_ok", "inside the permitted subtree", Accept, &leaf, &["edge.test"], &[]),
        case("nc_permitted_violated", "outside the permitted subtree", Reject, &leaf, &["other.test"], &[]),
        case("nc_excluded", "inside an excluded subtree", Reject, &leaf, &[], &["edge.test"]),
        case("nc_one_san_outside", "one of two names is outside", Reject, &two, &["edge.test"], &[]),
    ]
}

fn authorities(world: &World) -> Vec<Case> {
    let below = |issuer: &Draft| -> [X509; 2] {
        let by = Issuer { name: &issuer.subject, key: &world.middle_key };
        [Draft::server(&[HOST]).issue(&world.key, by), issuer.issue(&world.middle_key, world.by_root())]
    };
    let case = |name, what, issuer: &Draft| {
        let [leaf, middle] = below(issuer);
        world.case(name, what, Reject, &[&leaf, &middle])
    };
    let plain = Draft { names: vec![dns("n.test")], ..Draft::server(&[]).subject("NotCA").days(-1, 1800) };
    let unmarked = Draft {
        authority: None,
        usage: Usage::SignsCertificates,
        purpose: Purpose::Unsaid,
        ..Draft::server(&[]).subject("NoBC").days(-1, 1800)
    };
    let lower_key = p256();
    let upper = Draft::authority("P0", Some(0)).days(-1, 1800).issue(&world.middle_key, world.by_root());
    let by_upper = Issuer { name: "P0", key: &world.middle_key };
    let lower = Draft::authority("P1", None).days(-1, 1800).issue(&lower_key, by_upper);
    let deep = Draft::server(&[HOST]).issue(&world.key, Issuer { name: "P1", key: &lower_key });
    let authority = Draft { names: vec![dns(HOST)], ..Draft::authority(HOST, None).days(-1, 80) };
    let mismatched =
        Draft { subject_key: false, authority_key: Some(world.other_key.clone()), ..Draft::server(&[HOST]) };
    vec![
        case("intermediate_not_ca", "the issuer has CA:FALSE", &plain),
        case("intermediate_no_bc", "the issuer has no basic constraints", &unmarked),
        world.case("pathlen_violated", "path length 0 with one more authority below", Reject, &[&deep, &lower, &upper]),
        world.case("leaf_is_ca", "the leaf has CA:TRUE", Reject, &[&world.issue(&authority), &world.middle]),
        world.case(
            "no_skid_akid_wrong",
            "the key identifier of another issuer",
            Reject,
            &[&world.issue(&mismatched), &world.middle],
        ),
    ]
}

fn usages(world: &World) -> Vec<Case> {
    let case = |name, what, policy: Verdict, leaf: &Draft| {
        world.case(name, what, policy, &[&world.issue(leaf), &world.middle])
    };
    let leaf = Draft::server(&[HOST]);
    vec![
        case("eku_client_only", "for clients alone", Reject, &Draft { purpose: Purpose::Client, ..leaf.clone() }),
        case("eku_none", "no extended key usage", Warn, &Draft { purpose: Purpose::Unsaid, ..leaf.clone() }),
        case(
            "ku_certsign_only",
            "no digitalSignature",
            Reject,
            &Draft { usage: Usage::SignsCertificates, ..leaf.clone() },
        ),
        case(
            "unknown_critical_ext",
            "an unknown critical extension",
            Reject,
            &leaf.clone().extension(UNKNOWN, true, &[5, 0]),
        ),
        case(
            "unknown_noncritical_ext",
            "an unknown extension",
            Accept,
            &leaf.clone().extension(UNKNOWN, false, &[5, 0]),
        ),
        case("must_staple", "must-staple", Warn, &leaf.extension(TLS_FEATURE, false, &[0x30, 3, 2, 1, 5])),
    ]
}
