//! A host judged for a transaction, with Debian's own files as its configuration.

use std::net::SocketAddr;

use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::inspect::{ListeningSocket, Master, Observed};
use pharos_core::edge::install::{
    Assessment, Challenge, Desired, Listener, Live, Observation, OsRelease, ROOT, System, Unit, WELCOME_SITE, assess,
};
use pharos_core::edge::nginx::Files;

use crate::edge_case;

const AT: UnixTime = UnixTime::new(1_700_000_000);
const NGINX_CONF: &str = "user www-data;\npid /run/nginx.pid;\nerror_log /var/log/nginx/error.log;\nevents {}\n\
    http {\n    include /etc/nginx/conf.d/*.conf;\n    include /etc/nginx/sites-enabled/*;\n}\n";
const WELCOME: &str = "server {\n    listen 80 default_server;\n    listen [::]:80 default_server;\n    root /var/www/html;\n\
    \x20   index index.html;\n    server_name _;\n    location / {\n        try_files $uri $uri/ =404;\n    }\n}\n";

/// What a case of `tests/edge` wants.
fn desired(case: &str, listener: Listener) -> Desired {
    let case = edge_case::read(&edge_case::root().join(case)).unwrap();
    Desired {
        listener,
        table: case.table,
        environment: case.environment,
        certificates: case.host.certificates,
        listen_addresses: case.host.listen_addresses,
        allow_restart: false,
        retire_welcome: false,
        serials: std::collections::BTreeMap::new(),
    }
}

fn socket(address: &str, process: &str) -> ListeningSocket {
    let address: SocketAddr = address.parse().unwrap();
    let unit = Some(format!("{process}.service"));
    ListeningSocket {
        address,
        ipv6only: true,
        pid: Some(if process == "nginx" { 812 } else { 4711 }),
        process: Some(process.to_owned()),
        unit,
    }
}

/// Debian 13 as it is after `apt install nginx`.
fn debian() -> Observation {
    let mut files = Files::new();
    files.insert(ROOT, NGINX_CONF.as_bytes());
    files.insert(WELCOME_SITE, WELCOME.as_bytes());
    Observation {
        system: System {
            os: OsRelease::parse("ID=debian\nVERSION_ID=\"13\"\n"),
            init: "systemd".to_owned(),
            nginx: Some(
                "nginx version: nginx/1.26.3\nbuilt with OpenSSL 3.5.1 1 Jul 2025\n\
                configure arguments: --conf-path=/etc/nginx/nginx.conf\n"
                    .to_owned(),
            ),
            unit: Unit::parse("LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nMainPID=812\n"),
            clock: AT.seconds(),
        },
        observed: Observed {
            sockets: vec![socket("0.0.0.0:80", "nginx"), socket("[::]:80", "nginx")],
            masters: vec![Master { pid: 812, unit: None, configuration: None }],
        },
        files,
        welcome_link: Some("/etc/nginx/sites-available/default".to_owned()),
        ipv6: true,
        ..Observation::default()
    }
}

fn judge(desired: &Desired, observation: &Observation) -> (Option<Assessment>, Report) {
    let mut findings = Findings::new();
    let assessment = assess(desired, observation, AT, false, &mut findings);
    (assessment, findings.into_report())
}

fn accepted(desired: &Desired, observation: &Observation) -> Assessment {
    let (assessment, report) = judge(desired, observation);
    assert!(!report.refuses(), "{report}");
    assessment.unwrap()
}

fn errors(report: &Report) -> Vec<&str> {
    let errors = report.diagnostics().iter().filter(|d| d.severity == pharos_core::diagnostic::Severity::Error);
    errors.map(|d| d.code.name()).collect()
}

/// The observation after the assessment's text was installed and read.
fn installed(mut observation: Observation, assessment: &Assessment) -> Observation {
    let text = assessment.goal.text.clone().unwrap();
    let listener = assessment.goal.listener;
    observation.files.insert(listener.file(), text.as_bytes());
    observation.live = Live::Text(text);
    if listener == Listener::Http {
        observation.files.remove(WELCOME_SITE);
        observation.welcome_link = None;
    } else {
        observation.observed.sockets.extend([socket("0.0.0.0:443", "nginx"), socket("[::]:443", "nginx")]);
    }
    observation
}

#[test]
fn a_fresh_host_gets_each_listener_and_then_nothing() {
    let http = desired("certbot-trixie", Listener::Http);
    let assessment = accepted(&http, &debian());
    let plan = assessment.plan(|| panic!("not asked while there is something to do")).unwrap();
    assert_eq!(plan.words(), ["mark", "retire_welcome", "write", "test", "mark", "reload", "prove", "clear"]);
    assert_eq!(assessment.proof.challenge, Some(Challenge::Webroot("/var/www/pharos-acme".parse().unwrap())));
    assert_eq!(assessment.error_log, "/var/log/nginx/error.log");

    let with_http = installed(debian(), &assessment);
    let again = accepted(&http, &with_http);
    assert!(again.plan(|| true).unwrap().is_empty());
    assert_eq!(again.plan(|| false).unwrap().words(), ["test", "mark", "reload", "prove", "clear"]);

    let https = desired("certbot-trixie", Listener::Https);
    let assessment = accepted(&https, &with_http);
    assert_eq!(
        assessment.plan(|| true).unwrap().words(),
        ["mark", "write", "test", "mark", "reload", "prove", "clear"]
    );
    let addresses: Vec<String> = assessment.proof.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["127.0.0.1", "::1"]);
    assert!(accepted(&https, &installed(with_http, &assessment)).plan(|| true).unwrap().is_empty());
}

#[test]
fn an_existing_owner_has_no_listener_on_port_80_and_one_that_was_there_is_removed() {
    let want = desired("existing-bookworm", Listener::Http);
    assert!(accepted(&want, &debian()).plan(|| panic!("nothing is served")).unwrap().is_empty());
    let old = accepted(&desired("certbot-trixie", Listener::Http), &debian());
    let plan = accepted(&want, &installed(debian(), &old)).plan(|| true).unwrap();
    assert_eq!(plan.words(), ["mark", "remove", "test", "mark", "reload", "prove", "clear"]);
}

#[test]
fn an_occupied_port_names_the_file_and_line_or_the_process() {
    let http = desired("certbot-trixie", Listener::Http);
    let mut observation = debian();
    observation.files.insert(
        "/etc/nginx/conf.d/shop.conf",
        b"# shop\nserver {\n    listen *:80 default;\n    server_name shop.example.org;\n}\n",
    );
    let (_, report) = judge(&http, &observation);
    assert_eq!(errors(&report), ["edge/second-default-server"]);
    assert!(report.to_string().contains("/etc/nginx/conf.d/shop.conf:3"), "{report}");

    let mut observation = debian();
    observation.observed.sockets = vec![socket("0.0.0.0:443", "haproxy")];
    let (_, report) = judge(&desired("certbot-trixie", Listener::Https), &observation);
    assert_eq!(errors(&report), ["edge/port-held"]);
    assert!(report.to_string().contains("haproxy (pid 4711, haproxy.service)"), "{report}");
    assert_eq!(errors(&judge(&http, &observation).1), [""; 0], "port 443 is nothing to the other listener");
}

#[test]
fn a_welcome_site_that_somebody_uses_is_not_retired() {
    let mut observation = debian();
    observation.files.insert(WELCOME_SITE, WELCOME.replace("/var/www/html", "/srv/shop").as_bytes());
    let (_, report) = judge(&desired("certbot-trixie", Listener::Http), &observation);
    assert!(errors(&report).contains(&"edge/second-default-server"), "{report}");
    let mut observation = debian();
    observation.welcome_link = Some("/srv/shop.conf".to_owned());
    let (_, report) = judge(&desired("certbot-trixie", Listener::Http), &observation);
    assert!(errors(&report).contains(&"edge/second-default-server"), "{report}");
}

#[test]
fn without_nginx_the_ports_are_judged_all_the_same() {
    let mut observation = debian();
    observation.system.nginx = None;
    observation.system.unit = Unit::parse("LoadState=not-found\nActiveState=inactive\n");
    observation.observed = Observed { sockets: vec![socket("[::]:443", "apache2")], masters: Vec::new() };
    let want = desired("certbot-trixie", Listener::Https);
    let (assessment, report) = judge(&want, &observation);
    assert!(assessment.is_none());
    assert_eq!(errors(&report), ["edge/nginx-missing", "edge/port-held"]);
    let mut findings = Findings::new();
    assert!(assess(&want, &observation, AT, true, &mut findings).is_none());
    assert_eq!(errors(&findings.into_report()), ["edge/port-held"], "in check mode the package may yet come");
}

#[test]
fn a_changed_listen_address_needs_a_restart() {
    let want = desired("certbot-trixie", Listener::Https);
    let running = installed(debian(), &accepted(&want, &debian()));
    let narrow = Desired { listen_addresses: vec!["192.0.2.7".parse().unwrap()], ..want };
    let assessment = accepted(&narrow, &running);
    let report = assessment.plan(|| true).unwrap_err();
    assert_eq!(errors(&report), ["edge/restart-needed"]);
    let allowed = Desired { allow_restart: true, ..narrow };
    let plan = accepted(&allowed, &running).plan(|| true).unwrap();
    assert_eq!(plan.words(), ["mark", "write", "test", "mark", "restart", "prove", "clear"]);
}

#[test]
fn an_address_that_the_host_does_not_have_is_refused_before_all_else() {
    let absent = "192.0.2.7".parse().unwrap();
    let want = Desired { listen_addresses: vec![absent], ..desired("certbot-trixie", Listener::Https) };
    let mut running = installed(debian(), &accepted(&desired("certbot-trixie", Listener::Https), &debian()));
    running.addresses.refused = [(absent, "Cannot assign requested address".to_owned())].into();
    assert_eq!(errors(&judge(&want, &running).1), ["edge/listen-address-absent"]);
    running.system.nginx = None;
    let mut findings = Findings::new();
    assert!(assess(&want, &running, AT, true, &mut findings).is_none());
    assert!(errors(&findings.into_report()).contains(&"edge/listen-address-absent"), "also before there is an nginx");
}

#[test]
fn certbots_files_are_awaited_by_the_challenge_listener_alone() {
    let to_come = |listener| accepted(&desired("certbot-trixie", listener), &debian()).to_come;
    assert!(to_come(Listener::Http).iter().any(|file| file.as_str().ends_with("/fullchain.pem")));
    assert!(to_come(Listener::Https).is_empty());
    assert!(accepted(&desired("existing-bookworm", Listener::Http), &debian()).to_come.is_empty());
}

#[test]
fn settings_of_other_files_are_not_given_twice() {
    let want = desired("long-names", Listener::Https);
    let text = accepted(&want, &debian()).goal.text.unwrap();
    assert!(text.contains("server_names_hash_bucket_size"));
    let mut observation = debian();
    let conf = NGINX_CONF
        .replace("http {", "http {\n    server_names_hash_bucket_size 1k;\n    server_names_hash_max_size 8k;");
    observation.files.insert(ROOT, conf.as_bytes());
    let text = accepted(&want, &observation).goal.text.unwrap();
    assert!(!text.contains("server_names_hash_bucket_size"));
}

#[test]
fn only_our_own_file_is_replaced() {
    let want = desired("certbot-trixie", Listener::Https);
    for live in [Live::Text("server {}\n".to_owned()), Live::Other(pharos_core::file::Kind::Link)] {
        let (assessment, report) = judge(&want, &Observation { live, ..debian() });
        assert!(assessment.is_none());
        assert_eq!(errors(&report), ["edge/foreign-file"]);
    }
    let text = accepted(&want, &debian()).goal.text.unwrap();
    let mut edited = installed(debian(), &accepted(&want, &debian()));
    edited.live = Live::Text(text.replace("server_tokens off", "server_tokens on"));
    let (assessment, report) = judge(&want, &edited);
    assert!(report.diagnostics().iter().any(|d| d.code.name() == "edge/file-changed"), "{report}");
    assert!(assessment.unwrap().plan(|| true).unwrap().words().contains(&"write"));
}
