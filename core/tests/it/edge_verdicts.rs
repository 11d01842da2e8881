//! What the inspection says and what `nginx -t` says of the same configuration.

use pharos_core::diagnostic::{Report, Severity};
use pharos_core::edge::inspect::{Observed, Ours, report};

use crate::real_nginx::{Bench, SERIES, Verdict};

/// What nginx makes of a configuration.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Real {
    /// `nginx -t` succeeds without a warning, and nginx starts.
    Fine,
    /// `nginx -t` succeeds with a warning that begins like this.
    Warns(&'static str),
    /// `nginx -t` fails with a message that begins like this.
    Refuses(&'static str),
    /// `nginx -t` succeeds, and nginx does not start.
    DiesLater,
}

/// Servers inside `http`, what nginx makes of them, and the code that the inspection gives (none: no error, no warning).
const ROWS: &[(&str, Real, &str)] = &[
    ("server { listen 8080; }", Real::Fine, ""),
    ("server { listen 8080; server_name a; } server { listen 8080; server_name b; }", Real::Fine, ""),
    (
        "server { listen 8080 default_server; } server { listen *:8080 default_server; server_name b; }",
        Real::Refuses("[emerg] a duplicate default server for 0.0.0.0:8080"),
        "edge/second-default-server",
    ),
    (
        "server { listen [::]:8080 default; } server { listen [0:0::0]:8080 default_server; server_name b; }",
        Real::Refuses("[emerg] a duplicate default server for [::]:8080"),
        "edge/second-default-server",
    ),
    (
        "server { listen 8080 default_server; } server { listen [::]:8080 default_server; server_name b; }",
        Real::Fine,
        "",
    ),
    (
        "server { listen 8080; listen 0.0.0.0:8080; }",
        Real::Refuses("[emerg] a duplicate listen"),
        "edge/duplicate-listen",
    ),
    (
        "server { listen [::]:8080 ipv6only=on; } server { listen [::]:8080 ipv6only=on; server_name b; }",
        Real::Refuses("[emerg] duplicate listen options"),
        "edge/duplicate-listen",
    ),
    (
        "server { listen 8080; server_name a; } server { listen *:8080; server_name a b; }",
        Real::Warns("[warn] conflicting server name \"a\" on 0.0.0.0:8080"),
        "edge/duplicate-server-name",
    ),
    (
        "server { listen 8080; server_name a.b; } server { listen 8080; server_name .a.b; }",
        Real::Warns("[warn] conflicting server name \".a.b\""),
        "edge/duplicate-server-name",
    ),
    (
        "server { listen 8080; server_name *.a.b; } server { listen 8080; server_name .a.b; }",
        Real::Warns("[warn] conflicting server name \".a.b\""),
        "edge/duplicate-server-name",
    ),
    ("server { listen 8080; server_name *.a.b; } server { listen 8080; server_name a.b; }", Real::Fine, ""),
    ("server { listen 8080; server_name a.*; } server { listen 8080; server_name a.b; }", Real::Fine, ""),
    (
        "server { listen 8080; server_name a.*; } server { listen 8080; server_name x A.*; }",
        Real::Warns("[warn] conflicting server name \"a.*\""),
        "edge/duplicate-server-name",
    ),
    (
        "server { listen 8080; server_name x A x; } server { listen 8080; server_name b; }",
        Real::Warns("[warn] conflicting server name \"x\""),
        "edge/duplicate-server-name",
    ),
    (
        "server { listen 8080; } server { listen 8080; }",
        Real::Warns("[warn] conflicting server name \"\""),
        "edge/duplicate-server-name",
    ),
    ("server { listen 8080; server_name a a; }", Real::Fine, ""),
    ("server { listen 8080; server_name www.*.a; }", Real::Fine, ""),
    (
        "server { listen 8080; server_name www.*.a; } server { listen 8080; server_name b; }",
        Real::Refuses("[emerg] invalid server name or wildcard \"www.*.a\" on 0.0.0.0:8080"),
        "edge/server-name",
    ),
    (
        "server { listen 8080; server_name *a.b; }",
        Real::Refuses("[emerg] server name \"*a.b\" is invalid"),
        "edge/server-name",
    ),
    (
        "server { listen 8080; server_name ~; }",
        Real::Refuses("[emerg] empty regex in server name \"~\""),
        "edge/server-name",
    ),
    ("server { listen 70000; }", Real::Refuses("[emerg] invalid port in \"70000\""), "edge/listen-invalid"),
    ("server { listen 8080 defer; }", Real::Refuses("[emerg] invalid parameter \"defer\""), "edge/listen-invalid"),
    (
        "server { listen [::]:8080 ipv6only=yes; }",
        Real::Refuses("[emerg] invalid parameter \"ipv6only=yes\""),
        "edge/listen-invalid",
    ),
    (
        "server { listen [::]:8080 ipv6only=once; }",
        Real::Refuses("[emerg] invalid ipv6only flags"),
        "edge/listen-invalid",
    ),
    ("server { listen [::g]:8080; }", Real::Refuses("[emerg] invalid IPv6 address in"), "edge/listen-invalid"),
    ("server { listen /x; }", Real::Refuses("[emerg] invalid host in"), "edge/listen-invalid"),
    ("server { listen :80; }", Real::Refuses("[emerg] no host in"), "edge/listen-invalid"),
    ("server { listen 8081-8083; } server { listen 8082; server_name b; }", Real::Fine, ""),
    ("server { listen 8080 backlog=100 so_keepalive=on reuseport; }", Real::Fine, ""),
    ("server { listen 8080; listen [::]:8080 ipv6only=off; }", Real::DiesLater, "edge/socket-conflict"),
    ("server { listen 8080; listen 192.0.2.1:8080 bind; }", Real::DiesLater, "edge/socket-conflict"),
    ("server { listen 8080; listen 192.0.2.1:8080 reuseport; }", Real::DiesLater, "edge/socket-conflict"),
    ("server { listen 8080 reuseport; listen 192.0.2.1:8080 reuseport; }", Real::Fine, ""),
    ("server { listen 8080; listen 192.0.2.1:8080; }", Real::Fine, ""),
    ("server { listen [::]:8080 ipv6only=off; listen 192.0.2.1:8080; }", Real::DiesLater, "edge/socket-conflict"),
    ("server { listen [2001:db8::1]:8080 ipv6only=off; listen 8080; }", Real::Fine, ""),
    (
        "server { listen 8080; server_name a; } server { listen 192.0.2.1:8080; server_name b; }",
        Real::Fine,
        "edge/specific-address",
    ),
    ("include gone.conf;", Real::Refuses("[emerg] open() "), "edge/include-missing"),
    ("include gone/*.conf;", Real::Fine, ""),
    ("server { listen 8080; add_header a \"b\"c; }", Real::Refuses("[emerg] unexpected \"c\""), "edge/nginx-syntax"),
    (
        "server { listen 8080; location ~ ^/a{2}$ { return 200; } }",
        Real::Refuses("[emerg] unknown directive \"2}$\""),
        "edge/nginx-syntax",
    ),
    (
        "server { listen 8080; location / { return 200; }",
        Real::Refuses("[emerg] unexpected end of file"),
        "edge/nginx-syntax",
    ),
    ("server { listen 8080; } }", Real::Refuses("[emerg] unexpected \"}\""), "edge/nginx-syntax"),
    ("server { listen 8080;; }", Real::Refuses("[emerg] unexpected \";\""), "edge/nginx-syntax"),
];

fn inspected(bench: &Bench, main: &str) -> Report {
    let path = bench.write("nginx.conf", main).to_string_lossy().into_owned();
    report(&[(path, main.as_bytes().to_vec())], &Ours::default(), &Observed::default()).1
}

fn real(bench: &Bench, main: &str) -> (Verdict, bool) {
    let path = bench.write("nginx.conf", main);
    let verdict = bench.test(&path);
    let starts = verdict.accepted && bench.starts(main);
    (verdict, starts)
}

fn says(verdict: &Verdict, starts: bool, expected: Real) -> bool {
    let line = |start: &str| verdict.lines.iter().any(|line| line.starts_with(start));
    match expected {
        Real::Fine => verdict.accepted && starts && !line("[warn]"),
        Real::Warns(start) => verdict.accepted && starts && line(start),
        Real::Refuses(start) => !verdict.accepted && line(start),
        Real::DiesLater => verdict.accepted && !starts,
    }
}

/// What differs between the two, for people.
fn disagreement(series: &'static str, http: &str, expected: Real, code: &str) -> Option<String> {
    let bench = Bench::new(series);
    let main = bench.main(http);
    let (verdict, starts) = real(&bench, &main);
    if !says(&verdict, starts, expected) {
        return Some(format!("nginx {series}, {http}\n{verdict:?}, starts: {starts}\n{}", bench.log()));
    }
    let report = inspected(&bench, &main);
    let codes: Vec<&str> = report.diagnostics().iter().map(|diagnostic| diagnostic.code.name()).collect();
    let error = report.count(Severity::Error) > 0;
    let fails = matches!(expected, Real::Refuses(_) | Real::DiesLater);
    let agrees = codes.first().copied().unwrap_or_default() == code && error == fails;
    (!agrees).then(|| format!("inspection, {http}\n{report}"))
}

fn verdicts_agree(series: &'static str) {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> = ROWS
            .chunks(ROWS.len().div_ceil(3))
            .map(|rows| {
                let judge = move || rows.iter().filter_map(|row| disagreement(series, row.0, row.1, row.2)).collect();
                scope.spawn(judge)
            })
            .collect();
        halves.into_iter().flat_map(|half| -> Vec<String> { half.join().unwrap() }).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn verdicts_agree_with_nginx_1_22() {
    verdicts_agree(SERIES[0]);
}

#[test]
fn verdicts_agree_with_nginx_1_26() {
    verdicts_agree(SERIES[1]);
}
