//! Which server and which location a running nginx chooses, and which the inspection says it will.

use std::fmt::Write as _;
use std::net::SocketAddr;

use pharos_core::diagnostic::Findings;
use pharos_core::edge::inspect::{Site, location};
use pharos_core::edge::nginx::{Configuration, Files};

use crate::real_nginx::{Bench, Request, SERIES};

/// A sequence that looks random and is the same in every run (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 16) as usize % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

const NAMES: &[&str] = &[
    "a.example.org",
    "b.example.org",
    "A.Example.ORG",
    "example.org",
    "*.example.org",
    ".example.org",
    "*.a.example.org",
    ".a.example.org",
    "*.org",
    "www.example.*",
    "a.example.*",
    "a.*",
    "_",
    "",
    "example.com",
    ".com",
    "~^a\\.",
    "~^(?<label>[a-z]+)\\.example\\.(org|net)$",
    "~EXAMPLE\\.NET$",
    "\"~^x{1,2}\\.\"",
    "~^(?!a)[^.]+\\.example\\.net$",
    "192.0.2.1",
];

const HOSTS: &[&str] = &[
    "a.example.org",
    "A.EXAMPLE.ORG.",
    "b.example.org:8080",
    "x.a.example.org",
    "example.org",
    "www.example.org",
    "www.example.co.uk",
    "a.example.net",
    "xx.example.net",
    "deep.x.a.example.org",
    "a.org",
    "a.b",
    "example.com",
    "sub.example.com",
    "192.0.2.1",
    "[2001:db8::1]",
    "_",
    "",
];

const ADDRESSES: &[&str] = &["127.0.0.1", "192.0.2.1", "192.0.2.2", "[::1]", "[2001:db8::1]"];

/// The servers of one port, which is their number and 20000.
fn servers(dice: &mut Dice, port: usize) -> String {
    let mut text = String::new();
    let listens = ["", "*:", "0.0.0.0:", "192.0.2.1:", "192.0.2.2:", "127.0.0.1:", "[::]:", "[2001:db8::1]:"];
    let same = |one: &str, two: &str| one == two || [one, two].iter().all(|l| ["", "*:", "0.0.0.0:"].contains(l));
    let mut defaults: Vec<&str> = Vec::new();
    for server in 0..2 + dice.roll(5) {
        let mut used: Vec<&str> = Vec::new();
        writeln!(text, "server {{").unwrap();
        for _ in 0..=dice.roll(3) {
            let listen = dice.pick(&listens);
            if used.iter().any(|other| same(other, listen)) {
                continue;
            }
            used.push(listen);
            let default = dice.roll(4) == 0 && !defaults.iter().any(|other| same(other, listen));
            if default {
                defaults.push(listen);
            }
            writeln!(text, "  listen {listen}{port}{};", if default { " default_server" } else { "" }).unwrap();
        }
        let names: Vec<&str> = (0..dice.roll(4)).map(|_| dice.pick(NAMES)).collect();
        if !names.is_empty() {
            let words: Vec<String> =
                names.iter().map(|n| if n.is_empty() { "\"\"".to_owned() } else { (*n).to_owned() }).collect();
            writeln!(text, "  server_name {};", words.join(" ")).unwrap();
        }
        writeln!(text, "  return 200 \"server-{server}\";\n}}").unwrap();
    }
    text
}

fn load(main: &str) -> Configuration {
    let mut files = Files::new();
    files.insert("/nginx.conf", main.as_bytes());
    let mut findings = Findings::new();
    let configuration = Configuration::load(&files, "/nginx.conf", &mut findings);
    assert!(findings.is_empty(), "{}", findings.into_report());
    configuration
}

/// The text that the chosen block returns, or nothing if nobody listens there.
fn expected(site: &Site<'_>, to: SocketAddr, host: &str) -> Option<String> {
    let (server, _) = site.listener_at(to)?.select(host);
    let returned = site.server(server)?.directive.children().iter().find(|child| child.is("return"))?;
    returned.argument(1).map(str::to_owned)
}

/// The servers of this port.
fn scenario(http: &str, port: u16) -> String {
    let servers = http.split_inclusive("\n}\n");
    servers.filter(|server| server.contains(&format!("{port} ")) || server.contains(&format!("{port};"))).collect()
}

fn servers_agree(series: &'static str) {
    let mut dice = Dice(20);
    let ports = 20_000..20_048;
    let http: String = ports.clone().map(|port| servers(&mut dice, port)).collect();
    let bench = Bench::new(series);
    let main = bench.main(&http);
    let requests: Vec<Request> = ports
        .flat_map(|port| {
            let to = move |address: &&str| format!("{address}:{port}").parse::<SocketAddr>().unwrap();
            let host = |to: SocketAddr| {
                HOSTS.iter().map(move |host| Request { to, host: (*host).to_owned(), path: "/".to_owned() })
            };
            ADDRESSES.iter().map(to).flat_map(host).collect::<Vec<_>>()
        })
        .collect();
    let answers = bench.ask(&main, &requests);
    let configuration = load(&main);
    let mut findings = Findings::new();
    let site = Site::read(&configuration, &mut findings);
    assert!(findings.is_empty(), "{}", findings.into_report());
    for (request, answer) in requests.iter().zip(&answers) {
        let said = expected(&site, request.to, &request.host);
        let port = request.to.port();
        assert_eq!(&said, answer, "nginx {series}, {request:?}\n{}", scenario(&http, port));
    }
    let served = answers.iter().flatten().count();
    assert!(served > 2_000, "{served} answers were compared");
}

#[test]
fn servers_agree_with_nginx_1_22() {
    servers_agree(SERIES[0]);
}

#[test]
fn servers_agree_with_nginx_1_26() {
    servers_agree(SERIES[1]);
}

const PATHS: &[&str] = &[
    "/",
    "/.well-known/acme-challenge/tok_en-1",
    "/.well-known/acme-challenge/",
    "/.well-known/acme-challenge",
    "/.well-known/other",
    "/index.php",
    "/a/b/c.php",
    "/a/b",
];

const LOCATIONS: &[&str] = &[
    "/",
    "= /",
    "/.well-known/",
    "^~ /.well-known/",
    "/.well-known/acme-challenge/",
    "^~ /.well-known/acme-challenge/",
    "= /.well-known/acme-challenge/tok_en-1",
    "~ /\\.",
    "~ /\\.(?!well-known)",
    "~* \\.PHP$",
    "~ ^/\\.well-known/acme-challenge/([-_a-zA-Z0-9]+)$",
    "/a/",
    "^~ /a/b",
    "=/a/b",
    "~^/a/",
    "@named",
];

/// A tree of locations, each of which returns its number.
fn locations(dice: &mut Dice, inside: Option<&str>, number: &mut usize, depth: usize) -> String {
    let mut text = String::new();
    let mut used: Vec<&str> = Vec::new();
    for _ in 0..2 + dice.roll(4) {
        let location = dice.pick(LOCATIONS);
        let path = location.trim_start_matches(['=', '^', '~', '*', ' ']);
        let regex = location.starts_with('~');
        let legal = inside.is_none_or(|outer| regex || (path.starts_with(outer) && !location.starts_with('@')));
        let twice = used.iter().any(|other| {
            other == &location
                || (!regex && !other.starts_with('~') && other.trim_start_matches(['^', '~', ' ']) == path)
        });
        if !legal || twice {
            continue;
        }
        used.push(location);
        let own = *number;
        *number += 1;
        writeln!(text, "location {location} {{").unwrap();
        let nests = depth < 2 && !regex && !location.starts_with(['=', '@']) && dice.roll(2) == 0;
        if nests {
            text += &locations(dice, Some(path), number, depth + 1);
        }
        writeln!(text, "  return 200 \"location-{own}\";\n}}").unwrap();
    }
    text
}

fn locations_agree(series: &'static str) {
    let mut dice = Dice(7);
    let mut http = String::new();
    let ports = 20_100..20_140;
    for port in ports.clone() {
        let inner = locations(&mut dice, None, &mut 0, 0);
        write!(http, "server {{\nlisten {port};\nroot /nowhere;\n{inner}}}\n").unwrap();
    }
    let bench = Bench::new(series);
    let main = bench.main(&http);
    let requests: Vec<Request> = ports
        .flat_map(|port| {
            let to = SocketAddr::from(([127, 0, 0, 1], port));
            PATHS.iter().map(move |path| Request { to, host: "a".to_owned(), path: (*path).to_owned() })
        })
        .collect();
    let answers = bench.ask(&main, &requests);
    let configuration = load(&main);
    let site = Site::read(&configuration, &mut Findings::new());
    for (request, answer) in requests.iter().zip(&answers) {
        let (server, _) = site.listener_at(request.to).unwrap().select(&request.host);
        let chosen = location::choose(site.server(server).unwrap().directive, &request.path);
        assert!(chosen.sure);
        let block = chosen.blocks.last();
        let said = block.map(|block| block.children().iter().find(|child| child.is("return")).unwrap());
        let said = said.map_or("404", |returned| returned.argument(1).unwrap());
        let moved = answer.as_deref() == Some("301");
        assert!(
            Some(said) == answer.as_deref() || moved,
            "nginx {series}, {request:?}: {said} is not {answer:?}\n{http}"
        );
    }
}

#[test]
fn locations_agree_with_nginx_1_22() {
    locations_agree(SERIES[0]);
}

#[test]
fn locations_agree_with_nginx_1_26() {
    locations_agree(SERIES[1]);
}
