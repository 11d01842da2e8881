//! No log of the edge holds a query string, a `Referer` or a credential, whatever becomes of a request.

use std::collections::BTreeSet;

use pharos_core::edge::nginx::Word;

use super::bed::{self, Nginx, rewritten};
use super::client::{handshake_at, send, send_over};
use super::{SERIES, backend, site};

const HEADERS: [&str; 4] = [
    "Referer: https://mail.example.net/?secret-referer",
    "Authorization: Bearer secret-token",
    "Cookie: session=secret-cookie",
    "X-Api-Key: secret-key",
];

/// Requests that end in as many ways as there are, each with secrets in its query and headers; gives the statuses that came.
fn misuse() -> BTreeSet<u16> {
    let request = |host: &str, line: &str, more: &[&str], body: &str| {
        let host_line = format!("Host: {host}");
        let sni = if host == "unknown.example.net" { "platform.example.org" } else { host };
        let mut head = vec![line, host_line.as_str()];
        head.extend(HEADERS);
        head.extend(more);
        send(sni, &head, body).status
    };
    let long = format!("GET /?secret-query={} HTTP/1.1", "x".repeat(9000));
    BTreeSet::from([
        request("platform.example.org", "GET /?code=secret-query HTTP/1.1", &[], ""),
        request("site.example.org", "GET /none?code=secret-query HTTP/1.1", &[], ""),
        request("platform.example.org", "POST /?code=secret-query HTTP/1.1", &["Content-Length: 99999999"], ""),
        // The whole request is buffered, and where it goes is gone: a failure that nginx calls critical.
        request(
            "platform.example.org",
            "POST /?code=secret-query HTTP/1.1",
            &["Content-Length: 60000"],
            &"x".repeat(60000),
        ),
        from_outside("git.example.org", "GET /admin?code=secret-query HTTP/1.1"),
        request("platform.example.org", "GET /a%5cb;secret-parameter?code=secret-query HTTP/1.1", &[], ""),
        request("platform.example.org", "GET /a#secret-fragment HTTP/1.1", &[], ""),
        request("unknown.example.net", "GET /?code=secret-query HTTP/1.1", &[], ""),
        request("models.example.org", "GET /v1/chat/?code=secret-query HTTP/1.1", &[], ""),
        request("platform.example.org", &long, &[], ""),
        request("platform.example.org", "TRACE /?code=secret-query HTTP/1.1", &[], ""),
        request("platform.example.org", "GET /?code=secret-query HTTP/1.7z", &[], ""),
        request("platform.example.org", "GET https://platform.example.org/?secret-query HTTP/1.1", &[], ""),
        request("platform.example.org", "GET /stalled?code=secret-query HTTP/1.1", &[], ""),
    ])
}

/// The status of a request from an address of no management network.
fn from_outside(host: &str, line: &str) -> u16 {
    let mut stream = handshake_at("192.0.2.7", Some(host), &[], &mut |_| ()).unwrap();
    let host_line = format!("Host: {host}");
    let head: Vec<&str> = [line, host_line.as_str()].into_iter().chain(HEADERS).collect();
    send_over(&mut stream, &head, "").status
}

/// The logs that hold a secret, by name.
fn leaks(nginx: &Nginx) -> Vec<String> {
    // Everything is logged by the time the connections are closed, except what the workers do last.
    std::thread::sleep(std::time::Duration::from_millis(500));
    nginx.logs().into_iter().filter(|(_, text)| text.contains("secret")).map(|(name, _)| name).collect()
}

/// Answers, except where it is asked to stall: then the connection is closed without a word.
fn gateway(stream: &mut dyn backend::Connection, record: &backend::Record) {
    let Some(head) = backend::read_head(stream) else { return };
    record.keep(head.clone());
    if head.contains("/stalled") {
        return;
    }
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
}

#[test]
fn no_log_holds_a_secret() {
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", gateway);
    for series in SERIES {
        // What nginx says at the levels above shows that the test would see a leak.
        for (level, leaking) in [("emerg", false), ("crit", true), ("error", true)] {
            if leaking && series != SERIES[0] {
                continue;
            }
            let pki = site::pki();
            let mut case = site::for_series(site::ordinary(), series);
            case.environment.management_networks = vec!["198.51.100.0/24".parse().unwrap()];
            let mut files = site::readable(&case, pki.path());
            let mut changed = 0;
            for (_, directives) in &mut files {
                *directives = rewritten(directives, &mut |name, words| match name {
                    "error_log" => {
                        assert_eq!(words[1].as_str(), "emerg");
                        words[1] = Word::expression(level);
                        changed += 1;
                    }
                    // The models' host stands for one whose gateway is down: 502.
                    "proxy_pass" if words[0].as_str() == "http://pharos_models-chat" => {
                        words[0] = Word::expression("http://127.0.0.1:9");
                    }
                    _ => {}
                });
            }
            assert_eq!(changed, case.table.hosts().len() + 1, "every server states its error log");
            let nginx = Nginx::new(series, "", &files).start(443);
            nginx.lose_body_folder();
            let statuses = misuse();
            assert_eq!(statuses, BTreeSet::from([200, 400, 403, 404, 405, 413, 414, 421, 500, 502]), "nginx {series}");
            assert_eq!(!leaks(&nginx).is_empty(), leaking, "nginx {series} at {level}: {:?}", leaks(&nginx));
            if !leaking {
                let logged = nginx.access_log("platform.example.org", 9);
                let paths: BTreeSet<&str> = logged.iter().map(|line| line["path"].as_str().unwrap()).collect();
                assert!(paths.is_superset(&BTreeSet::from(["/", "/a%5cb", "/a", "/stalled"])), "{paths:?}");
                let failed = nginx.access_log("models.example.org", 1);
                assert_eq!(failed[0]["upstream_status"], "502", "the access log says what failed");
            }
        }
    }
}
