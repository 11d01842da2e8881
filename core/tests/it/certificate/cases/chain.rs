//! What stands in the file and in which order: missing, surplus, swapped, expired and foreign certificates.

use super::{Accept, Case, HOST, MIDDLE, ROOT, Reject, Warn, World};
use crate::certificate::draft::{Draft, Issuer, p256};

pub(super) fn cases(world: &World) -> Vec<Case> {
    [order(world), foreign(world), expired(world), crossed(world)].concat()
}

fn order(world: &World) -> Vec<Case> {
    let lower_key = p256();
    let (upper, lower) = ("Case Int A", "Case Int B");
    let by_upper = Issuer { name: upper, key: &world.middle_key };
    let by_lower = Issuer { name: lower, key: &lower_key };
    let upper = Draft::authority(upper, Some(1)).issue(&world.middle_key, world.by_root());
    let lower = Draft::authority(lower, Some(0)).issue(&lower_key, by_upper);
    let leaf = Draft::server(&[HOST]).issue(&world.key, by_lower);
    let (good, middle) = (&world.good, &world.middle);
    vec![
        world.case("chain_missing_intermediate", "cert.pem in place of fullchain.pem", Reject, &[good]),
        world.case("chain_two_intermediates", "right order", Accept, &[&leaf, &lower, &upper]),
        world.case("chain_wrong_order", "intermediates swapped", Warn, &[&leaf, &upper, &lower]),
        world.case("chain_gap", "the issuing intermediate is missing", Reject, &[&leaf, &upper]),
        world.case("chain_leaf_last", "the leaf at the end", Reject, &[middle, good]),
        world.case("chain_leaf_middle", "the leaf in the middle", Reject, &[&lower, &leaf, &upper]),
        world.case("chain_duplicate_leaf", "the leaf twice", Warn, &[good, good, middle]),
    ]
}

fn foreign(world: &World) -> Vec<Case> {
    let other = Issuer { name: "Other Root", key: &world.other_key };
    let other_root = Draft::authority(other.name, None).days(-1, 3650).issue(&world.other_key, other);
    let other_middle = Draft::authority("Other Int", None).days(-1, 1800).issue(&world.other_key, other);
    let leaf = Draft::server(&[HOST]);
    let own = Issuer { name: HOST, key: &world.key };
    let imposter = Issuer { name: ROOT, key: &world.other_key };
    let fake = Draft::authority(ROOT, None).days(-1, 3650).issue(&world.other_key, imposter);
    let (good, middle) = (&world.good, &world.middle);
    vec![
        world.case("chain_unrelated_intermediate", "somebody else's intermediate", Reject, &[good, &other_middle]),
        world.case("chain_extra_unrelated", "an unrelated certificate appended", Warn, &[good, middle, &other_middle]),
        world.case("self_signed", "a self-signed leaf", Reject, &[&leaf.issue(&world.key, own)]),
        world.case(
            "untrusted_root",
            "sound, from an unknown root",
            Reject,
            &[&leaf.issue(&world.key, other), &other_root],
        ),
        world.case(
            "fake_root_same_name",
            "a root of the same name",
            Reject,
            &[&leaf.issue(&world.key, imposter), &fake],
        ),
    ]
}

fn expired(world: &World) -> Vec<Case> {
    let (good, middle) = (&world.good, &world.middle);
    let draft = Draft::authority(MIDDLE, Some(0));
    let old = draft.clone().days(-400, -2).issue(&world.middle_key, world.by_root());
    let early = draft.days(2, 1800).issue(&world.middle_key, world.by_root());
    vec![
        world.case("intermediate_expired", "ended 2 days ago", Reject, &[good, &old]),
        world.case(
            "intermediate_expired_then_valid",
            "expired first, its valid twin after it",
            Warn,
            &[good, &old, middle],
        ),
        world.case(
            "intermediate_valid_then_expired",
            "valid first, its expired twin after it",
            Warn,
            &[good, middle, &old],
        ),
        world.case("intermediate_not_yet_valid", "begins in 2 days", Reject, &[good, &early]),
    ]
}

fn crossed(world: &World) -> Vec<Case> {
    let old_key = p256();
    let old = Issuer { name: "Old Root", key: &old_key };
    let expired = Draft::authority(ROOT, None).days(-1000, -5).issue(&world.root_key, old);
    let new_key = p256();
    let new = Issuer { name: "New Root", key: &new_key };
    let cross = Draft::authority(new.name, None).issue(&new_key, world.by_root());
    let middle = Draft::authority("New Int", Some(0)).issue(&world.middle_key, new);
    let leaf = Draft::server(&[HOST]).issue(&world.key, Issuer { name: "New Int", key: &world.middle_key });
    vec![
        world.case(
            "cross_sign_expired_appended",
            "an expired cross-sign of the root sent too",
            Warn,
            &[&world.good, &world.middle, &expired],
        ),
        world.case("cross_sign_needed", "a new root reached through a cross-sign", Accept, &[&leaf, &middle, &cross]),
        world.case("cross_sign_missing", "the cross-sign is not sent", Reject, &[&leaf, &middle]),
    ]
}
