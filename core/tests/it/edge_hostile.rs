//! Configurations that nobody means: whatever is passed, the inspection answers with findings.

use pharos_core::diagnostic::{Findings, Report, Source};
use pharos_core::edge::inspect::{Inspection, MAX_BYTES, Observed, Ours, report};
use pharos_core::edge::nginx::{parse, print};

use crate::edge_corpus::corpus;

fn ours() -> Ours {
    Ours {
        files: vec!["/etc/nginx/conf.d/pharos-platform-http.conf".to_owned()],
        hosts: vec!["platform.example.org".to_owned(), "shop.example.org".to_owned()],
        ports: vec![80, 443],
        webroot: Some("/var/lib/pharos-edge/acme".to_owned()),
    }
}

fn inspect(bytes: &[u8]) -> (Inspection, Report) {
    let name = "/etc/nginx/conf.d/pharos-platform-http.conf".to_owned();
    report(&[(name, bytes.to_vec())], &ours(), &Observed::default())
}

fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let (_, report) = inspect(bytes);
    let mut codes: Vec<&str> = report.diagnostics().iter().map(|diagnostic| diagnostic.code.name()).collect();
    codes.dedup();
    codes
}

/// A sequence that looks random and is the same in every run (xorshift).
struct Noise(u64);

impl Noise {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// One change: a byte more, less or other, a piece doubled, moved or cut off.
fn mutate(bytes: &mut Vec<u8>, noise: &mut Noise) {
    const BYTES: &[u8] = b"{};\"'\\$#\n\r\t (){}*~^=:[]-.,0129azA\x00\xc3\xff/";
    let at = noise.below(bytes.len() + 1);
    let end = (at + noise.below(40)).min(bytes.len());
    let byte = BYTES[noise.below(BYTES.len())];
    match noise.below(7) {
        0 | 1 => bytes.insert(at, byte),
        2 => drop(bytes.drain(at..end)),
        3 if at < bytes.len() => bytes[at] = byte,
        4 => {
            let piece = bytes[at..end].to_vec();
            let to = noise.below(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
        5 => bytes.splice(at..at, *b"listen [::]:443 default_server;").for_each(drop),
        _ => bytes.truncate(bytes.len() - noise.below(bytes.len() / 8 + 1)),
    }
}

#[test]
fn changed_configurations_are_judged_and_printed() {
    let mut noise = Noise(0x5eed);
    let corpus: Vec<Vec<u8>> = corpus().into_iter().map(|(_, text)| text.into_bytes()).collect();
    let mut sound = 0;
    for round in 0..2_000 {
        let mut bytes = corpus[round % corpus.len()].clone();
        for _ in 0..=noise.below(4) {
            mutate(&mut bytes, &mut noise);
        }
        inspect(&bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut findings = Findings::new();
        let tree = parse(&Source::public("x", &text), &mut findings);
        if findings.is_empty() {
            sound += 1;
            let printed = print(&tree);
            let mut again = Findings::new();
            assert_eq!(parse(&Source::public("x", &printed), &mut again), tree, "{text:?}");
            assert!(again.is_empty(), "{text:?}\n{}", again.into_report());
        }
    }
    assert!(sound > 250, "{sound} of the changed configurations were still sound");
}

#[test]
fn nesting_is_bounded() {
    for deep in ["a{".repeat(200_000), "a { ".repeat(100) + &"}".repeat(100), "{".repeat(200_000)] {
        assert!(inspect(deep.as_bytes()).1.refuses());
    }
    let legal = "a { ".repeat(64) + &"}".repeat(64);
    assert!(codes(legal.as_bytes()).iter().all(|code| *code != "edge/nginx-budget"));
}

#[test]
fn words_and_quotes_are_bounded() {
    let x = "x".repeat(1 << 20);
    for text in [
        x.clone(),
        format!("\"{x}"),
        format!("a '{x}';"),
        format!("#{x}\na;"),
        "\\".repeat(1 << 20),
        "\"".repeat(1 << 20),
    ] {
        assert_eq!(codes(text.as_bytes()), ["edge/nginx-syntax"]);
    }
}

#[test]
fn lua_that_is_never_closed_ends() {
    for open in ["x_by_lua_block {", "x_by_lua_block {[[", "x_by_lua_block {--[==[ ]]", "x_by_lua_block {'\\"] {
        assert_eq!(codes(format!("{open}{}", "[".repeat(1 << 18)).as_bytes()), ["edge/nginx-syntax"]);
    }
}

#[test]
fn ranges_of_ports_are_bounded() {
    let all = (0..40).map(|n| format!("listen 127.0.0.{n}:1-65535;")).collect::<Vec<_>>().concat();
    assert!(codes(format!("server {{ {all} }}").as_bytes()).contains(&"edge/nginx-budget"));
    let many = (0..3_000).map(|n| format!("listen 10.0.{}.{}:80;", n / 250, n % 250)).collect::<Vec<_>>().concat();
    assert!(!codes(format!("server {{ listen 80; {many} }}").as_bytes()).contains(&"edge/nginx-budget"));
}

#[test]
fn many_servers_are_judged() {
    let server = |n: usize| format!("server {{ listen 443 ssl; server_name h{n}.example.org; }}\n");
    let servers = (0..5_000).map(server).collect::<Vec<_>>().concat();
    let (inspection, report) = inspect(servers.as_bytes());
    assert_eq!(inspection.configurations[0].listeners[0].servers.len(), 5_000);
    assert!(report.is_empty(), "{report}");
}

#[test]
fn expressions_that_explode_are_left_unjudged() {
    let server = "server { listen 80; server_name ~^(a+)+(?=b)(?<!c)\\1$; } server { listen 80; server_name b; }";
    let host = format!("{}.example.org", "a".repeat(60));
    let ours = Ours { hosts: vec![host], webroot: Some("/w".to_owned()), ..Ours::default() };
    let (_, report) = report(&[("x".to_owned(), server.as_bytes().to_vec())], &ours, &Observed::default());
    let found = &report.diagnostics()[0];
    assert_eq!(found.code.name(), "edge/challenge-shadowed");
}

#[test]
fn nothing_is_nothing() {
    let file = |text: &str| ("x".to_owned(), text.as_bytes().to_vec());
    let judged = |files: &[_]| report(files, &Ours::default(), &Observed::default());
    let failed = "nginx: [emerg] host not found in upstream \"a;\" in /etc/nginx/nginx.conf:3;\n";
    let logged = "2026/11/30 13:00:00 [emerg] 7#7: bind() to 0.0.0.0:80 failed;\n";
    let dump = "# configuration file :\n\n# configuration file /a:";
    let nothing = [vec![], vec![file("")], vec![file(" \n# a\n"), file("")], vec![file(dump)], vec![file(failed)]];
    for files in nothing.into_iter().chain([vec![file(logged)], vec![file("server { listen 80; }"), file(failed)]]) {
        let (_, report) = judged(&files);
        let codes: Vec<_> = report.diagnostics().iter().map(|finding| finding.code.name()).collect();
        assert_eq!(codes, ["edge/no-configuration"], "{files:?}");
        assert!(report.refuses());
    }
    assert_eq!(judged(&[file(dump)]).0.configurations.len(), 1);
    for some in ["user a;", "include conf.d/*.conf;", "server { listen 80; }"] {
        let report = judged(&[file(some), ("y".to_owned(), Vec::new())]).1;
        assert!(!report.refuses(), "{report}");
    }
}

#[test]
fn the_whole_input_is_bounded() {
    let half = vec![b' '; MAX_BYTES / 2];
    let files = ["a", "b", "c"].map(|name| (name.to_owned(), half.clone()));
    let (_, report) = report(&files, &Ours::default(), &Observed::default());
    let found = &report.diagnostics()[0];
    assert_eq!((found.code.name(), found.place().unwrap().file()), ("edge/nginx-budget", "c"));
}

/// The whole answer for programs, for a host as the package leaves it with one more site.
#[test]
fn the_answer_for_programs() {
    let text = include_str!("../nginx-inspection/host.txt");
    let (inspection, report) =
        report(&[("dump".to_owned(), text.as_bytes().to_vec())], &Ours::default(), &Observed::default());
    let said = serde_json::to_string(&inspection).unwrap() + &report.to_string();
    assert!(!said.contains("kept-out"), "{said}");
    insta::with_settings!({ snapshot_path => "../nginx-inspection", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_json_snapshot!("host.json", inspection);
        insta::assert_snapshot!("host.report", report.to_string());
    });
}

/// `pharos edge render` prints a part of a configuration in the form of `nginx -T`: it is inspected as a part, beside others.
#[test]
fn an_output_without_a_root_is_parts() {
    let rendered =
        b"# configuration file /etc/nginx/conf.d/ours.conf:\nserver { listen 443 ssl default_server; }\n".to_vec();
    let standing = b"server { listen 443 ssl default_server; }\n".to_vec();
    let files = [("rendered".to_owned(), rendered), ("standing.conf".to_owned(), standing)];
    let (inspection, found) = report(&files, &Ours::default(), &Observed::default());
    assert_eq!(inspection.configurations.len(), 1);
    assert!(found.to_string().contains("edge/second-default-server"), "{found}");
}
