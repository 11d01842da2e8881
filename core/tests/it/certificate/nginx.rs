//! Agreement with nginx: it starts with whatever we let pass, and where `exceptions.yaml` says that it does not, it does not.

use std::fmt::Write as _;

use super::cases::{Case, FURTHER, MEASURED, Reject, find};
use super::matrix::verdict;
use crate::real_nginx::{Bench, SERIES, Verdict, wrong};

/// Cases that `openssl verify` accepts and nginx does not start with.
const REFUSED: [&str; 7] = [
    "key_mismatch",
    "key_encrypted",
    "key_empty",
    "key_damaged",
    "key_is_chain",
    "not_a_certificate",
    "header_in_block",
];

/// What `nginx -t` says of a server for each case.
fn tested(cases: &[&Case], series: &'static str) -> Verdict {
    let bench = Bench::new(series);
    let folder = bench.folder();
    let mut servers = String::new();
    for case in cases {
        let (chain, key) = (format!("{}.chain.pem", case.name), format!("{}.key.pem", case.name));
        std::fs::write(folder.join(&chain), &case.chain).unwrap();
        std::fs::write(folder.join(&key), &case.key).unwrap();
        let (name, folder) = (case.name, folder.display());
        writeln!(
            servers,
            "server {{ listen 127.0.0.1:19443 ssl; server_name {name}; ssl_certificate {folder}/{chain}; \
             ssl_certificate_key {folder}/{key}; }}"
        )
        .unwrap();
    }
    bench.test(&bench.write("nginx.conf", &bench.main(&servers)))
}

#[test]
fn nginx_starts_with_what_we_let_pass() {
    let passed: Vec<&Case> = MEASURED.iter().chain(FURTHER.iter()).filter(|case| verdict(case) != Reject).collect();
    assert!(passed.len() > 40, "{}", passed.len());
    for series in SERIES {
        let verdict = tested(&passed, series);
        assert!(verdict.accepted, "{series}: {verdict:?}");
    }
}

#[test]
fn nginx_does_not_start_with_a_wrong_key_or_a_damaged_file() {
    let rows: Vec<(&str, &'static str)> =
        REFUSED.iter().flat_map(|name| SERIES.map(|series| (*name, series))).collect();
    let accepted = wrong(&rows, |(name, series)| {
        tested(&[find(name)], series).accepted.then(|| format!("nginx {series} accepts {name}"))
    });
    assert!(accepted.is_empty(), "{accepted:#?}");
}
