//! Dates of the server's certificate, and the names in it.

use super::{Accept, Case, HOST, Reject, Warn, World};
use crate::certificate::draft::{Draft, address, dns};

pub(super) fn cases(world: &World) -> Vec<Case> {
    let case =
        |name, what, policy, draft: &Draft| world.case(name, what, policy, &[&world.issue(draft), &world.middle]);
    let good = Draft::server(&[HOST]);
    let wildcard = Draft::server(&["*.edge.test"]).subject("*.edge.test");
    let hundred: Vec<String> = (0..99).map(|n| format!("h{n}.edge.test")).chain([HOST.to_owned()]).collect();
    let hundred: Vec<&str> = hundred.iter().map(String::as_str).collect();
    let loopback = || Draft { names: vec![address(&[127, 0, 0, 1])], ..Draft::server(&[]).subject("127.0.0.1") };
    vec![
        world.case("good_ec256", "leaf and intermediate, P-256", Accept, &[&world.good, &world.middle]),
        world.case("good_root_included", "root also sent", Accept, &[&world.good, &world.middle, &world.root]),
        case("validity_5y", "longer than the 398 days of public authorities", Warn, &good.clone().days(-1, 1826)),
        case("expires_soon", "3 days left", Warn, &good.clone().days(-1, 3)),
        case("expired", "ended yesterday", Reject, &good.clone().days(-90, -1)),
        case("not_yet_valid", "begins in 2 days", Reject, &good.clone().days(2, 80)),
        case("wrong_host", "another name", Reject, &Draft::server(&["b.edge.test"]).subject("b.edge.test")),
        case("no_san_cn_only", "the common name matches, no alternative name", Reject, &Draft::server(&[])),
        case(
            "san_other_cn_matches",
            "the common name matches, the alternative name does not",
            Reject,
            &Draft::server(&["b.edge.test"]),
        ),
        case("wildcard", "one label deep", Accept, &wildcard),
        case("wildcard_two_labels", "a wildcard covers one label", Reject, &wildcard).for_host("a.b.edge.test"),
        case("wildcard_apex", "a wildcard does not cover the apex", Reject, &wildcard).for_host("edge.test"),
        case("wildcard_partial", "a wildcard inside a label", Reject, &Draft::server(&["a*.edge.test"]))
            .for_host("ab.edge.test"),
        case("wildcard_tld", "a wildcard under a single label", Reject, &Draft::server(&["*.test"]))
            .for_host("edge.test"),
        case("ip_san", "an address", Accept, &loopback()).for_host("127.0.0.1"),
        case(
            "ip_as_dns_san",
            "an address as a DNS name",
            Reject,
            &Draft { names: vec![dns("127.0.0.1")], ..loopback() },
        )
        .for_host("127.0.0.1"),
        case("san_uppercase", "case does not matter", Accept, &Draft::server(&["A.EDGE.TEST"])),
        case("san_trailing_dot", "a final dot does not match", Reject, &Draft::server(&["a.edge.test."]).subject("x")),
        case("san_idn", "an A-label", Accept, &Draft::server(&["xn--bcher-kva.edge.test"]).subject("x"))
            .for_host("xn--bcher-kva.edge.test"),
        case(
            "san_only_no_subject",
            "no subject, critical alternative names",
            Accept,
            &Draft { names_critical: true, ..good.subject("") },
        ),
        case("san_100", "the host is the hundredth name", Accept, &Draft::server(&hundred)),
    ]
}
