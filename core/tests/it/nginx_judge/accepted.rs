//! `nginx -t` of both releases accepts every case, and has nothing to remark.

use super::SERIES;
use super::bed::{self, Nginx};
use super::site::{self, for_series, pki, readable};
use crate::edge_case::{self, Case};
use crate::{committed, large_site};

fn assert_accepted(series: &'static str, case: &Case, extra: &str, what: &str) {
    let pki = pki();
    let output = Nginx::new(series, extra, &readable(case, pki.path())).test();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{what} with nginx {series}: {said}");
    assert!(!said.contains("[warn]"), "{what} with nginx {series}: {said}");
}

#[test]
fn nginx_accepts_every_case() {
    bed::enter();
    for series in SERIES {
        for name in edge_case::all() {
            let case = for_series(site::case(&name), series);
            assert_accepted(series, &case, "", &name);
        }
    }
}

/// Every committed environment that has an edge.
#[test]
fn nginx_accepts_the_committed_environments() {
    bed::enter();
    let catalogue = committed::catalogue();
    let mut edges = 0;
    for name in committed::environments() {
        let policy = committed::policy(&name);
        let Ok(environment) = pharos_core::policy::edge_environment(&policy) else { continue };
        edges += 1;
        for series in SERIES {
            let (table, _) = pharos_core::catalogue::resolve(&catalogue, &policy).unwrap();
            let case = Case { table, environment: environment.clone(), host: large_site::host() };
            assert_accepted(series, &for_series(case, series), "", &name);
        }
    }
    assert!(edges > 0);
}

/// The shared memory of the upstreams, the tables of names and variables: what 4,000 routes on 100 hosts need is stated.
#[test]
fn nginx_accepts_thousands_of_routes() {
    bed::enter();
    for series in SERIES {
        let (catalogue, environment) = large_site::documents(100);
        let (table, _) = pharos_core::catalogue::resolve(&catalogue, &environment).unwrap();
        let case = Case { table, environment: environment.value, host: large_site::host() };
        assert_accepted(series, &for_series(case, series), "", "a large site");
    }
}
