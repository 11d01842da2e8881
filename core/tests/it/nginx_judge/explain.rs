//! The edge of `pharos route explain` and the real nginx agree: on a table of requests, and on made-up ones.

use std::fmt::Write as _;
use std::io::Write as _;

use pharos_core::catalogue::Transport;
use pharos_core::edge::nginx::Word;
use pharos_core::explain::edge::{Edge, Outcome};
use pharos_core::explain::{Answered, Caller, Question, Vantage};

use super::bed::{Nginx, rewritten};
use super::client::{answer, handshake_at, header};
use super::site::{case, for_series, pki, readable};
use super::{SERIES, backend, bed};
use crate::edge_render::files;

/// The addresses of this host: within the management networks, outside them, and its loopback.
const ADDRESSES: [&str; 3] = ["192.0.2.7", "198.51.100.7", "127.0.0.1"];

const HOSTS: [&str; 4] = ["platform.example.org", "site.example.org", "git.example.org", "models.example.org"];

/// What a request became, as far as it can be seen from both of its ends.
#[derive(Debug, Eq, PartialEq)]
enum Seen {
    NoHandshake,
    Answered(u16),
    Passed {
        route: String,
        line: String,
        host: String,
        forwarded_for: String,
    },
    /// The stand-in for the gateway speaks no HTTP/2: nginx tried to pass it on.
    PassedByGrpc,
}

/// A running nginx with the model of the same files beside it.
struct Pair {
    edge: Edge,
    case: crate::edge_case::Case,
    record: backend::Record,
    _nginx: Nginx,
    _pki: tempfile::TempDir,
}

fn start(series: &'static str, record: &backend::Record) -> Pair {
    let mut case = case("existing-bookworm");
    case.environment.gateway.upstreams.truncate(1);
    let case = for_series(case, series);
    let pki = pki();
    let mut served = readable(&case, pki.path());
    for (_, directives) in &mut served {
        // The gateway is told the route in place of a header that is emptied.
        *directives = rewritten(directives, &mut |name, words| {
            if name == "proxy_set_header" && words[0].as_str() == "Proxy" {
                *words = vec![Word::expression("X-Route"), Word::expression("$pharos_route")];
            }
        });
    }
    let nginx = Nginx::new(series, "", &served).start(443);
    let edge = Edge::of(files(&case).0.directives());
    Pair { edge, case, record: record.clone(), _nginx: nginx, _pki: pki }
}

impl Pair {
    fn expected(&self, question: &Question) -> Seen {
        match self.edge.walk(question).unwrap().outcome {
            Outcome::Refused(Answered::Handshake, _) => Seen::NoHandshake,
            Outcome::Refused(Answered::Status(status), _) => Seen::Answered(status),
            Outcome::Refused(Answered::Unreachable, _) => panic!("all origins have port 443"),
            Outcome::Passed(passed) => {
                let (_, route) = self.case.table.routes().find(|(_, route)| route.id == *passed.route).unwrap();
                if route.transport == Transport::Grpc {
                    return Seen::PassedByGrpc;
                }
                Seen::Passed {
                    route: passed.route.to_string(),
                    line: format!("{} {} HTTP/1.1", question.method, String::from_utf8_lossy(&passed.target)),
                    host: passed.host.to_owned(),
                    forwarded_for: passed.forwarded_for.to_string(),
                }
            }
        }
    }

    fn seen(&self, question: &Question) -> Seen {
        self.record.take();
        let Vantage::Network(from) = question.from else { panic!("a request comes from somewhere") };
        let from = from.net().addr().to_string();
        let Ok(mut stream) = handshake_at(&from, question.sni.as_deref(), &["http/1.1"], &mut |_| ()) else {
            return Seen::NoHandshake;
        };
        let mut head = format!("{} {} HTTP/1.1\r\nHost: {}\r\n", question.method, question.target, question.host);
        if let Some(forged) = &question.forwarded_for {
            write!(head, "X-Forwarded-For: {forged}\r\n").unwrap();
        }
        stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
        let status = answer(&mut stream).status;
        let passed = self.record.take();
        match (status, passed.first()) {
            (502, _) => Seen::PassedByGrpc,
            (status, None) => Seen::Answered(status),
            (_, Some(head)) => {
                let value = |name| header(head, name).unwrap_or_default().to_owned();
                Seen::Passed {
                    route: value("X-Route"),
                    line: head.lines().next().unwrap().to_owned(),
                    host: value("Host"),
                    forwarded_for: value("X-Forwarded-For"),
                }
            }
        }
    }

    /// Panics unless both say the same; whether the request was passed on.
    fn agree(&self, question: &Question, series: &str) -> bool {
        let seen = self.seen(question);
        assert_eq!(self.expected(question), seen, "nginx {series}, to the right: {question:?}");
        matches!(seen, Seen::Passed { .. })
    }
}

fn question(host: &str, target: &str) -> Question {
    Question {
        caller: Caller::Client,
        from: Vantage::of(ADDRESSES[1].parse().unwrap()),
        port: pharos_core::name::Port::HTTPS,
        sni: Some(host.into()),
        method: "GET".into(),
        target: target.into(),
        host: host.into(),
        forwarded_for: None,
        websocket: false,
        gateway: None,
        backend: None,
    }
}

const TARGETS: [&str; 58] = [
    "/",
    "/v1/site/commands/x",
    "/v1/site/commandsx",
    "/v1/admin",
    "/v1/admin/x",
    "/v1/adminx",
    "/V1/admin",
    "/v1/%61dmin",
    "/v1/x/../admin",
    "/v1/./admin",
    "/v1/%2e%2e/v1/admin",
    "/x/%2e%2e%2fv1/admin",
    "/..",
    "/../v1/admin",
    "/v1/..",
    "/v1/.",
    "/v1/..?x",
    "/v1/.?x",
    "/...",
    "/a/.../b",
    "//",
    "//v1/admin",
    "/v1//admin",
    "/v1/;/admin",
    "/v1/..;/admin",
    "/admin;x",
    r"/v1\admin",
    r"/v1/..\admin",
    "/v1%5cadmin",
    "/v1%5Cadmin",
    "/v1%2fadmin",
    "/v1%2Fadmin?a",
    "/v1%252fadmin",
    "/a%00",
    "/a%0a",
    "/a%",
    "/a%4",
    "/a%zz",
    "/a%3f/../v1/admin",
    "/a%23/../v1/admin",
    "/a#/../v1/admin",
    "/a?/../v1/admin",
    "/a?x#y",
    "/a+b",
    "/é",
    "/a b",
    "/a\tb",
    "/a\u{7f}",
    "",
    "*",
    "v1/admin",
    "http://git.example.org/admin",
    "https://GIT.example.org.:1/x",
    "x+y.z-1://git.example.org?/../x",
    "http://git.example.org",
    "http://other.example.org/",
    "http://u@git.example.org/",
    "http:///x",
];

#[test]
fn explain_and_nginx_agree_on_paths() {
    bed::enter();
    let record = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let pair = start(series, &record);
        for host in HOSTS {
            for target in TARGETS {
                for address in ADDRESSES {
                    let from = Vantage::of(address.parse().unwrap());
                    pair.agree(&Question { from, ..question(host, target) }, series);
                }
            }
        }
    }
}

#[test]
fn explain_and_nginx_agree_on_names() {
    bed::enter();
    let record = backend::start("127.0.0.1:30080", backend::echo);
    let names = [
        "git.example.org",
        "GIT.example.ORG",
        "git.example.org.",
        "other.example.org",
        "git.example.org.evil.test",
        "example.org",
        "localhost",
    ];
    let hosts = [
        "git.example.org:1",
        "git.example.org.:443",
        "git.example.org:x",
        "git.example.org..",
        ".",
        "",
        ":443",
        "a/b",
        "a b",
        "[::1]",
        "a\tb",
        "[git.example.org",
        "git.example.org:.",
    ];
    for series in SERIES {
        let pair = start(series, &record);
        for host in names.into_iter().chain(hosts) {
            for sni in names.into_iter().map(Some).chain([None, Some("site.example.org")]) {
                for target in ["/x", "/admin", "https://site.example.org/v1/site/commands/x"] {
                    let sni = sni.map(Box::from);
                    pair.agree(&Question { sni, host: host.into(), ..question(host, target) }, series);
                }
            }
        }
        for method in ["POST", "HEAD", "PURGE", "M-SEARCH", "get", "G1", "TRACE", "CONNECT"] {
            pair.agree(&Question { method: method.into(), ..question("git.example.org", "/x") }, series);
        }
        let forged = Some("192.0.2.9, 127.0.0.1".into());
        for path in ["/v1/admin", "/v1/x"] {
            pair.agree(&Question { forwarded_for: forged.clone(), ..question("platform.example.org", path) }, series);
        }
    }
}

/// Parts of which paths are made that two readers could read in two ways.
const PARTS: [&str; 34] = [
    "/",
    "/",
    "/",
    "/",
    "//",
    ".",
    "..",
    "/..",
    "/.",
    "%2e",
    "%2E%2e",
    "%2f",
    "%2F",
    "%5c",
    "\\",
    ";",
    "..;",
    "#",
    "?",
    "%3f",
    "%23",
    "%25",
    "%",
    "%00",
    "%zz",
    "a",
    "v1",
    "admin",
    "%61dmin",
    "ADMIN",
    "site/commands",
    "callback",
    "é",
    " ",
];

#[test]
fn explain_and_nginx_agree_on_made_up_requests() {
    bed::enter();
    let record = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let pair = start(series, &record);
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut passed = 0;
        for _ in 0..1500 {
            let host = random.one(&HOSTS);
            let length = random.below(9);
            let body: String = (0..length).map(|_| random.one(&PARTS)).collect();
            let start = random.one(&[
                "/",
                "/",
                "/",
                "/v1/",
                "/admin",
                "/v1/admin",
                "",
                "https://git.example.org/",
                "http://git.example.org",
            ]);
            let from = Vantage::of(random.one(&ADDRESSES).parse().unwrap());
            let asked = Question { from, ..question(host, &format!("{start}{body}")) };
            passed += usize::from(pair.agree(&asked, series));
        }
        assert!((200..1300).contains(&passed), "{passed} of 1500 requests were passed on");
    }
}

/// A generator that makes the same numbers in every run (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}
