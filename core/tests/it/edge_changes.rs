//! What a running nginx makes of a reload, and what the inspection foretells; what it serves of a challenge, and of odd words.

use std::net::SocketAddr;

use pharos_core::diagnostic::{Findings, Severity, Source};
use pharos_core::edge::inspect::{Observed, Ours, Site, bound, listener_change, report};
use pharos_core::edge::nginx::{Configuration, Files, parse};

use crate::real_nginx::{Bench, Request, SERIES, wrong};

fn load(main: &str) -> Configuration {
    let mut files = Files::new();
    files.insert("/nginx.conf", main.as_bytes());
    Configuration::load(&files, "/nginx.conf", &mut Findings::new())
}

/// Listens before and after, and whether nginx has to be restarted.
const CHANGES: &[(&str, &str, bool)] = &[
    ("listen 8080;", "listen 8080; listen [::]:8080;", false),
    ("listen 8080;", "listen 8081;", false),
    ("listen 8080;", "listen 192.0.2.1:8080;", true),
    ("listen 192.0.2.1:8080;", "listen 8080;", true),
    ("listen 8080;", "listen 8080; listen 192.0.2.1:8080;", false),
    ("listen 8080; listen 192.0.2.1:8080;", "listen 192.0.2.1:8080;", true),
    ("listen 192.0.2.1:8080;", "listen 192.0.2.2:8080;", false),
    ("listen 8080;", "listen [::]:8080 ipv6only=off;", true),
    ("listen [::]:8080 ipv6only=off;", "listen 8080;", true),
    ("listen [::]:8080 ipv6only=off;", "listen [::]:8080;", true),
    ("listen [::]:8080;", "listen [::]:8080 ipv6only=off;", true),
    ("listen [::]:8080 ipv6only=on;", "listen [::]:8080; listen 8080;", false),
    ("listen 8080;", "listen 8080; listen 127.0.0.1:8080 bind;", true),
    ("listen 8080 reuseport;", "listen 192.0.2.1:8080 reuseport;", false),
    ("listen 8080;", "listen 8080 reuseport backlog=64;", false),
];

/// A reload does if nginx's log owns to no failure and every address is then served as after a start.
fn reload_suffices(series: &'static str, before: &str, after: &str) -> bool {
    let server = |listens: &str, name: &str| format!("server {{ {listens} return 200 \"{name}\"; }}");
    let requests: Vec<Request> = ["127.0.0.1", "192.0.2.1", "192.0.2.2", "[::1]", "[2001:db8::1]"]
        .iter()
        .flat_map(|address| [8080, 8081].map(|port| format!("{address}:{port}").parse::<SocketAddr>().unwrap()))
        .map(|to| Request { to, host: "a".to_owned(), path: "/".to_owned() })
        .collect();
    let bench = Bench::new(series);
    let (old, new) = (bench.main(&server(before, "before")), bench.main(&server(after, "after")));
    let (reloaded, failed) = bench.reload(&old, &new, &requests);
    let fresh = Bench::new(series);
    let main = fresh.main(&server(after, "after"));
    !failed && (!fresh.starts(&main) || reloaded == fresh.ask(&main, &requests))
}

fn changes_agree(series: &'static str) {
    let sockets = |listens: &str| {
        let configuration = load(&format!("http {{ server {{ {listens} }} }}"));
        bound(&Site::read(&configuration, &mut Findings::new()))
    };
    let wrong = wrong(CHANGES, |(before, after, restart)| {
        let change = listener_change(&sockets(before), &sockets(after));
        let suffices = reload_suffices(series, before, after);
        let agrees = change.needs_restart() == *restart && suffices != *restart;
        (!agrees).then(|| format!("nginx {series}: {before} -> {after}: a reload does: {suffices}, but {change:?}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn changes_agree_with_nginx_1_22() {
    changes_agree(SERIES[0]);
}

#[test]
fn changes_agree_with_nginx_1_26() {
    changes_agree(SERIES[1]);
}

/// Servers for `h.example.org` on port 80, and whether they serve the challenge from the folder: `Some(true)`, not, or not foreseen.
const CHALLENGES: &[(&str, Option<bool>)] = &[
    ("root WEBROOT;", Some(true)),
    (
        "location ^~ /.well-known/acme-challenge/ { root WEBROOT; } location / { return 301 https://$host$request_uri; }",
        Some(true),
    ),
    ("location /.well-known/acme-challenge/ { alias WEBROOT/.well-known/acme-challenge/; }", Some(true)),
    ("location = /.well-known/acme-challenge/TOKEN { root WEBROOT; } return 404;", Some(false)),
    ("location ^~ /.well-known/acme-challenge/ { root WEBROOT; } return 301 https://$host$request_uri;", Some(false)),
    ("root WEBROOT; if ($host = h.example.org) { return 301 https://$host$request_uri; }", Some(false)),
    ("root WEBROOT; if ($host = other.example.org) { return 301 https://$host$request_uri; }", Some(true)),
    ("root WEBROOT; if ($scheme = http) { return 301 https://$host$request_uri; }", Some(false)),
    ("root WEBROOT; if ($https) { return 200 no; }", Some(true)),
    ("root WEBROOT; if ($request_uri !~ ^/\\.well-known/) { return 301 https://$host$request_uri; }", Some(true)),
    ("root WEBROOT; if ($request_uri ~* ^/\\.WELL-known/) { return 403; }", Some(false)),
    ("root WEBROOT; if ($http_user_agent ~ curl) { return 403; }", None),
    ("root WEBROOT; rewrite ^/(.*)$ https://h.example.org/$1 permanent;", Some(false)),
    ("root WEBROOT; rewrite ^/old/(.*)$ /new/$1;", Some(true)),
    ("root WEBROOT; location ~ /\\. { deny all; }", Some(false)),
    ("root WEBROOT; location ~ /\\. { deny all; } location ^~ /.well-known/ { }", Some(true)),
    ("root WEBROOT; location / { proxy_pass http://127.0.0.1:19999; }", Some(false)),
    ("root WEBROOT; location / { try_files $uri $uri/ /index.php; }", Some(true)),
    ("root WEBROOT; deny all;", Some(false)),
    ("root WEBROOT; deny all; location /.well-known/ { allow all; }", Some(true)),
    ("root WEBROOT; auth_basic closed; auth_basic_user_file /nowhere;", Some(false)),
    (
        "root WEBROOT; auth_basic closed; auth_basic_user_file /nowhere; location /.well-known/ { auth_basic off; }",
        Some(true),
    ),
    ("root /srv; location /.well-known/acme-challenge { root WEBROOT; location ~ /x$ { return 404; } }", Some(true)),
    ("root WEBROOT; location / { internal; }", Some(false)),
    ("root /nowhere;", Some(false)),
    ("", Some(false)),
];

fn challenges_agree(series: &'static str) {
    const TOKEN: &str = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr_oA";
    let bench = Bench::new(series);
    bench.write(&format!("web/.well-known/acme-challenge/{TOKEN}"), "token");
    let webroot = bench.folder().join("web").to_string_lossy().into_owned();
    for (index, (body, _)) in CHALLENGES.iter().enumerate() {
        let body = body.replace("WEBROOT", &webroot).replace("TOKEN", TOKEN);
        bench.write(
            &format!("server-{index}.conf"),
            &format!("server {{ listen 127.0.0.1:{}; {body} }}", 20_200 + index),
        );
    }
    let include = |index: usize| format!("include {}/server-{index}.conf;\n", bench.folder().display());
    let main = bench.main(&(0..CHALLENGES.len()).map(include).collect::<String>());
    let requests: Vec<Request> = (0..CHALLENGES.len())
        .map(|index| Request {
            to: SocketAddr::from(([127, 0, 0, 1], u16::try_from(20_200 + index).unwrap())),
            host: "h.example.org".to_owned(),
            path: format!("/.well-known/acme-challenge/{TOKEN}"),
        })
        .collect();
    let answers = bench.ask(&main, &requests);
    let ours = Ours { hosts: vec!["h.example.org".to_owned()], webroot: Some(webroot.clone()), ..Ours::default() };
    for (answer, (body, expected)) in answers.iter().zip(CHALLENGES) {
        let text = format!("server {{ listen 80; {} }}", body.replace("WEBROOT", &webroot).replace("TOKEN", TOKEN));
        let (_, report) = report(&[("server.conf".to_owned(), text.into_bytes())], &ours, &Observed::default());
        let said = match (report.count(Severity::Error), report.count(Severity::Warning)) {
            (0, 0) => Some(true),
            (0, _) => None,
            _ => Some(false),
        };
        assert_eq!(said, *expected, "{body}\n{report}");
        if let Some(expected) = expected {
            assert_eq!(answer.as_deref() == Some("token"), *expected, "nginx {series}, {body}: {answer:?}");
        }
    }
}

#[test]
fn challenges_agree_with_nginx_1_22() {
    challenges_agree(SERIES[0]);
}

#[test]
fn challenges_agree_with_nginx_1_26() {
    challenges_agree(SERIES[1]);
}

/// Words as a configuration may spell them.
const WORDS: &[&str] = &[
    "plain",
    "'single'",
    "\"double\"",
    "\"es\\\"caped\"",
    "'it\\'s'",
    "\"it's\"",
    "a\\ b",
    "a\\;b",
    "a\\{b",
    "a}b",
    "a#b",
    "a\"b",
    "a'b",
    "\\\"start",
    "\\#start",
    "\"tab\\there\"",
    "'new\\nline'",
    "\"a\\rb\"",
    "\"\\d\\.\\w\"",
    "\\d+\\.",
    "\"a\\\\b\"",
    "a\\\\b",
    "\"a;b{c}d\"",
    "'multi\nline'",
    "\"ünïcode\"",
    "\"\"",
    "a)b",
    "(a",
    "\"a  b\"",
    "\"\\\\\\\"\"",
    "a\\tb",
    "\\q",
    "'a\\'",
    "\"{\"json\"",
];

/// Each word is served by nginx as the reader reads it.
fn words_agree(series: &'static str) {
    let legal = |word: &&&str| {
        let mut findings = Findings::new();
        let tree = parse(&Source::public("w", &format!("return 200 {word};")), &mut findings);
        findings.is_empty() && tree.len() == 1
    };
    let (read, refused): (Vec<&&str>, Vec<&&str>) = WORDS.iter().partition(legal);
    let bench = Bench::new(series);
    let server = |(at, word): (usize, &&&str)| format!("location = /{at} {{ return 200 {word}; }}\n");
    let http = format!("server {{ listen 20300;\n{} }}", read.iter().enumerate().map(server).collect::<String>());
    let main = bench.main(&http);
    let to = SocketAddr::from(([127, 0, 0, 1], 20_300));
    let requests: Vec<Request> =
        (0..read.len()).map(|at| Request { to, host: "a".to_owned(), path: format!("/{at}") }).collect();
    for (word, answer) in read.iter().zip(bench.ask(&main, &requests)) {
        let tree = parse(&Source::public("w", &format!("return 200 {word};")), &mut Findings::new());
        assert_eq!(answer.as_deref(), tree[0].argument(1), "nginx {series}: {word}");
    }
    assert!(!refused.is_empty());
    for word in refused {
        let path = bench.write("refused.conf", &bench.main(&format!("server {{ return 200 {word}; }}")));
        assert!(!bench.test(&path).accepted, "nginx {series}: {word}");
    }
}

#[test]
fn words_agree_with_nginx_1_22() {
    words_agree(SERIES[0]);
}

#[test]
fn words_agree_with_nginx_1_26() {
    words_agree(SERIES[1]);
}
