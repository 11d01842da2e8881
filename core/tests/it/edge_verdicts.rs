//! What the inspection says and what `nginx -t` says of the same configuration.

use pharos_core::diagnostic::{Findings, Report, Severity, Source};
use pharos_core::edge::inspect::{Observed, Ours, report};
use pharos_core::edge::nginx::{parse, print};

use crate::real_nginx::{Bench, SERIES, Verdict, message, wrong};

/// What nginx makes of a configuration.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Real {
    /// nginx starts, without a warning.
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
    ("include gone/*.conf;", Real::Fine, "edge/include-not-given"),
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

/// What `nginx -t` says, and whether nginx starts. Where it should be fine, starting is asked alone: it reads and says the same.
fn real(bench: &Bench, main: &str, expected: Real) -> (Verdict, bool) {
    let path = bench.write("nginx.conf", main);
    if expected == Real::Fine {
        let starts = bench.starts(main);
        return (Verdict { accepted: starts, lines: bench.log().lines().map(message).collect() }, starts);
    }
    let verdict = bench.test(&path);
    let starts = expected == Real::DiesLater && bench.starts(main);
    (verdict, starts)
}

fn says(verdict: &Verdict, starts: bool, expected: Real) -> bool {
    let line = |start: &str| verdict.lines.iter().any(|line| line.starts_with(start));
    match expected {
        Real::Fine => verdict.accepted && starts && !line("[warn]"),
        Real::Warns(start) => verdict.accepted && line(start),
        Real::Refuses(start) => !verdict.accepted && line(start),
        Real::DiesLater => verdict.accepted && !starts,
    }
}

/// What differs between the two, for people.
fn disagreement(series: &'static str, http: &str, expected: Real, code: &str) -> Option<String> {
    let bench = Bench::new(series);
    let main = bench.main(http);
    let (verdict, starts) = real(&bench, &main, expected);
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
    let wrong = wrong(ROWS, |(http, expected, code)| disagreement(series, http, *expected, code));
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

/// `listen` of a stream server, `listen` of an HTTP server, and whether both can be open.
const STREAMS: &[(&str, &str, bool)] = &[
    ("8080", "8080", false),
    ("192.0.2.1:8080", "8080", false),
    ("8080", "192.0.2.1:8080", false),
    ("[::]:8080 ipv6only=off", "8080", false),
    ("[::]:8080", "8080", true),
    ("8080 udp", "8080", true),
    ("192.0.2.1:8080", "192.0.2.2:8080", true),
    ("8079-8081", "8080", false),
    ("8081", "8080", true),
];

fn streams_agree(series: &'static str) {
    let wrong = wrong(STREAMS, |(stream, http, fits)| {
        let bench = Bench::new(series);
        let head = format!("load_module {};\n", bench.stream_module().display());
        let main = head + &bench.main(&format!("server {{ listen {http}; }}"));
        let main = main + &format!("stream {{ server {{ listen {stream}; return x; }} }}\n");
        let (verdict, starts) = real(&bench, &main, if *fits { Real::Fine } else { Real::DiesLater });
        let report = inspected(&bench, &main);
        let said = report.diagnostics().iter().any(|diagnostic| diagnostic.code.name() == "edge/foreign-listener");
        let agrees = verdict.accepted && starts == *fits && said != *fits;
        (!agrees).then(|| format!("nginx {series}, {stream} and {http}: {verdict:?}, starts: {starts}\n{report}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn streams_agree_with_nginx_1_22() {
    streams_agree(SERIES[0]);
}

#[test]
fn streams_agree_with_nginx_1_26() {
    streams_agree(SERIES[1]);
}

/// Each configuration of the corpus and what we print of it: nginx says the same of both, whatever it is.
fn prints_agree(series: &'static str) {
    let wrong = wrong(&crate::edge_corpus::corpus(), |(name, text)| {
        let bench = Bench::new(series);
        let main = ["debian-main.conf", "ubuntu-main.conf", "stream.conf", "mail.conf", "one-line.conf"];
        let tree = parse(&Source::public(name, text), &mut Findings::new());
        let said = |file: &str, text: &str| {
            let part = bench.write(file, text);
            let whole = bench.write("main.conf", &bench.main(&format!("include {};", part.display())));
            let verdict = bench.test(if main.contains(&name.as_str()) { &part } else { &whole });
            let first =
                verdict.lines.first().and_then(|line| line.split(" in /").next()).unwrap_or_default().to_owned();
            (verdict.accepted, first.replace(file, "x"))
        };
        let (original, printed) = (said("original.conf", text), said("printed.conf", &print(&tree)));
        (original != printed).then(|| format!("nginx {series}, {name}: {original:?} but {printed:?}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn prints_agree_with_nginx_1_22() {
    prints_agree(SERIES[0]);
}

#[test]
fn prints_agree_with_nginx_1_26() {
    prints_agree(SERIES[1]);
}
