//! A word that stands for a secret is planted beside faults of every kind, and no form of the report shows it.

use pharos_core::diagnostic::human::{self, Style};
use pharos_core::diagnostic::{Diagnostic, Findings, Report, Source, json, junit, sarif};
use pharos_core::edge::inspect::{self, Observed, Ours};
use pharos_core::{name, site};

use crate::committed::repository;

const WORD: &str = "hunter2";

/// All forms of a report.
fn forms(report: &Report) -> [String; 5] {
    [
        human::render(report, Style::Plain),
        human::render(report, Style::Colour),
        json::render(report).to_string(),
        sarif::render(report).to_string(),
        junit::render(report, &["policy.yaml"]),
    ]
}

fn silent(report: &Report, input: &str) {
    for text in forms(report) {
        assert!(!text.contains(WORD), "{text}\n---\n{input}");
    }
}

/// Faults of a policy at one of its lines: what is put there, where `{line}` is the line, `{indent}` its indentation and `{key}`
/// its key.
const FAULTS: [&str; 24] = [
    "{line}\n{indent}smtp.password: hunter2",
    "{line}\n{indent}relay_password: hunter2",
    "{line}\n{indent}passwrod: hunter2",
    "{line}\n{indent}argo_password: \"hunter2",
    "{line}\n{indent}argo_password: 'hunter2",
    "{line}\n{indent}\"secret\": \"a\\qhunter2\"",
    "{indent}{key}: https://user:hunter2@host.example\n{indent}{key}: https://user:hunter2@host.example",
    "{indent}{key}: {repository: \"https://bot:hunter2@x/y.git\", password: hunter2, colour: red}",
    "{indent}{key}: {password: hunter2",
    "{indent}{key}: [\"https://hunter2@host\", \"https://hunter2@host\"]",
    "{line}\n\tpassword: hunter2",
    "{line}\n{indent}password: !hunter2",
    "{line}\n{indent}password: *hunter2",
    "{line}\n{indent}token: !!int hunter2",
    "{line}\n{indent}password hunter2",
    "{line}\n{indent}password: |\n{indent}  hunter2\n{indent}{key}: again",
    "{line}\n{indent}passwords:\n{indent}- hunter2\n{indent}- hunter2",
    "{line}\n{indent}password: {a: [hunter2, hunter2], a: hunter2}",
    "{line}\n{indent}password:\n{indent}  inner: hunter2\n{indent}  inner: hunter2",
    "{line}\n{indent}password: \"one\n{indent} hunter2\" two",
    "{indent}{key}: [no]  # the password: hunter2",
    "{indent}{key}: {authorization: \"Bearer hunter2\"}",
    "{line} {password: hunter2}",
    "{line}\n{indent}password: hunter2: hunter2",
];

#[test]
fn no_fault_of_a_policy_shows_the_secret_beside_it() {
    let text = std::fs::read_to_string(repository().join("environments/icarus-cloud/policy.yaml")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let keyed: Vec<usize> =
        (0..lines.len()).filter(|at| !lines[*at].trim_start().starts_with('#') && lines[*at].contains(':')).collect();
    assert!(keyed.len() > 30, "{}", keyed.len());
    for fault in FAULTS {
        for at in &keyed {
            let line = lines[*at];
            let key = line.trim_start().split(':').next().unwrap();
            let indent = &line[..line.len() - line.trim_start().len()];
            let planted = fault.replace("{line}", line).replace("{indent}", indent).replace("{key}", key);
            let input = [&lines[..*at], &[planted.as_str()], &lines[at + 1..]].concat().join("\n");
            let report = site::check(&[Source::public("policy.yaml", &input)]);
            assert!(report.refuses(), "{input}");
            silent(&report, &input);
        }
    }
}

/// The finding keeps its place and its key.
#[test]
fn the_place_remains() {
    let text = "version: 1\nenvironment: a\nmode: distributed\nsmtp:\n  password: hunter2\n";
    let report = site::check(&[Source::public("policy.yaml", text)]);
    assert!(human::render(&report, Style::Plain).contains("policy.yaml:5:3"), "{report}");
    assert!(report.to_string().contains("`password`"), "{report}");
}

/// A line that one finding conceals is concealed at the labels of all others, and between them.
#[test]
fn what_one_finding_conceals_no_other_shows() {
    let source = Source::public("a.yaml", "first: 1\nplain: hunter2\nlast: 1\n");
    let finding = || Diagnostic::error(name::codes::NETWORK, "wrong");
    let place = |word: &str| {
        source.place({
            let at = source.text().find(word).unwrap();
            at..at + word.len()
        })
    };
    let mut findings = Findings::new();
    findings.push(finding().at(place("first"), "one").at(place("plain"), "two").at(place("last"), "three"));
    findings.push(finding().at(place("first"), "one").at(place("last"), "three"));
    let open = findings.clone().into_report();
    assert!(open.to_string().contains(WORD), "the line is harmless by itself\n{open}");
    findings.push(finding().at(place("hunter2").conceal(), ""));
    let report = findings.into_report();
    silent(&report, source.text());
    insta::assert_snapshot!(report.to_string());
    // A report that becomes part of another one takes along what it conceals.
    let mut whole = Findings::new();
    whole.push(finding().at(place("plain"), ""));
    whole.extend(report);
    silent(&whole.into_report(), source.text());
}

/// A line that may hold a secret and stands between two labels is replaced, and the labels stay where they were.
#[test]
fn a_line_between_two_labels_is_replaced() {
    let source = Source::public("a.yaml", "name: a\npassword: hunter2\nname: b\n");
    let finding = Diagnostic::error(name::codes::NETWORK, "wrong")
        .at(source.place(26..30), "again")
        .at(source.place(0..4), "first");
    let report = Report::from(finding);
    silent(&report, source.text());
    insta::assert_snapshot!(report.to_string());
}

/// Directives of other people, each of which may hold a credential.
const DIRECTIVES: [&str; 14] = [
    "proxy_set_header Authorization \"Bearer hunter2\";",
    "proxy_set_header X-Api-Key hunter2;",
    "auth_basic \"hunter2\";",
    "proxy_pass http://user:hunter2@127.0.0.1:8080;",
    "set $token hunter2;",
    "return 200 \"hunter2\";",
    "return 301 https://user:hunter2@host.example;",
    "add_header Set-Cookie hunter2;",
    "fastcgi_param PASSWORD hunter2;",
    "rewrite ^ /hunter2 break;",
    "if ($http_x_token = hunter2) { return 403; }",
    "location / { proxy_set_header Authorization hunter2; return 200 hunter2; }",
    "# password hunter2\n",
    "ssl_password_file hunter2;",
];

/// Where such a directive stands: whole files, most of them with a fault.
const FILES: [&str; 9] = [
    "server { listen 80 default_server; {d} server_name a.example; {d} }\nserver { {d} listen 80 default_server; server_name a.example a.example; {d} }",
    "server {\n listen 80;\n {d}\n server_name a.example;\n {d}\n listen 80;\n {d}\n}\nserver {\n {d}\n server_name a.example b.example;\n listen 80; {d}\n}",
    "server {\n {d}\n listen 80 nonsense; {d}\n {d}\n}",
    "server {\n {d}\n listen nowhere:here:80; {d}\n}",
    "server {\n listen 80; {d} server_name a.example }",
    "server { listen 80; {d} server_name \"a.example; {d}\n {d} }",
    "server { listen 80; {d} } {d} }",
    "server { listen 80; {d}",
    "server { listen 80; server_name a.example; {d} location ~ .* { {d} } {d} }\nserver { listen 443 ssl; {d} server_name a.example; {d} }",
];

#[test]
fn nothing_of_other_peoples_nginx_is_shown_but_what_is_harmless() {
    let ours = Ours {
        hosts: vec!["a.example".to_owned(), "b.example".to_owned()],
        ports: vec![80, 443],
        webroot: Some("/var/lib/acme".to_owned()),
        ..Ours::default()
    };
    let mut codes = std::collections::BTreeSet::new();
    for directive in DIRECTIVES {
        for file in FILES {
            // Also without its end, which makes a fault of its own.
            for directive in [directive, directive.trim_end_matches([';', '}'])] {
                let text = file.replace("{d}", directive);
                let files = [("/etc/nginx/conf.d/a.conf".to_owned(), text.clone().into_bytes())];
                let (_, report) = inspect::report(&files, &ours, &Observed::default());
                codes.extend(report.diagnostics().iter().map(|found| found.code.name()));
                silent(&report, &text);
            }
        }
    }
    assert!(codes.len() >= 6, "{codes:?}");
}

/// What is harmless is still shown.
#[test]
fn a_harmless_line_of_other_people_is_shown() {
    let text = "server {\n listen 80 default_server;\n}\nserver {\n listen 80 default_server;\n}\n";
    let files = [("/etc/nginx/conf.d/a.conf".to_owned(), text.as_bytes().to_vec())];
    let (_, report) = inspect::report(&files, &Ours::default(), &Observed::default());
    assert!(report.to_string().contains("2 |  listen 80 default_server;"), "{report}");
}
