//! What the gateway is told of a request, and what of its answer reaches the client.

use std::io::{Read, Write};

use super::client::{self, connect, get_with, header};
use super::{SERIES, backend, bed, site};

const FORGED: [&str; 16] = [
    "X-Forwarded-For: 192.0.2.66",
    "X-Real-IP: 192.0.2.66",
    "X-Forwarded-Proto: http",
    "X-Forwarded-Host: evil.example.net",
    "X-Forwarded-Port: 1",
    "X-Forwarded: for=192.0.2.66",
    "X-Forwarded-Server: evil.example.net",
    "X-Original-Forwarded-For: 192.0.2.66",
    "X-Client-IP: 192.0.2.66",
    "X-Cluster-Client-IP: 192.0.2.66",
    "True-Client-IP: 192.0.2.66",
    "CF-Connecting-IP: 192.0.2.66",
    "Forwarded: for=192.0.2.66;proto=http",
    "Proxy: http://192.0.2.66/",
    "Upgrade: h2c",
    "Authorization: Bearer kept",
];

#[test]
fn forged_headers_are_overwritten_in_every_location() {
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", backend::echo);
    // Headers that an operator states for everybody else must neither replace ours nor join them.
    let hostile = "proxy_set_header X-Operator yes;\nproxy_pass_request_headers on;";
    for series in SERIES {
        let edge = site::start(series, site::ordinary(), hostile);
        for (host, path) in [
            ("platform.example.org", "/"),
            ("platform.example.org", "/auth/callback"),
            ("platform.example.org", "/realtime/x"),
            ("platform.example.org", "/v1/admin/x"),
            ("git.example.org", "/a%2fb"),
            ("site.example.org", "/v1/site/commands/x"),
            ("models.example.org", "/v1/chat/x"),
        ] {
            let answer = get_with(host, path, &FORGED);
            assert_eq!(answer.status, 200, "{host}{path}: {}", answer.head);
            let mut told: Vec<&str> = answer.body.lines().skip(1).filter(|line| !line.is_empty()).collect();
            told.sort_unstable();
            let expected = [
                "Authorization: Bearer kept".to_owned(),
                format!("Host: {host}"),
                "X-Forwarded-For: 127.0.0.1".to_owned(),
                format!("X-Forwarded-Host: {host}"),
                "X-Forwarded-Port: 443".to_owned(),
                "X-Forwarded-Proto: https".to_owned(),
                "X-Real-IP: 127.0.0.1".to_owned(),
            ];
            assert_eq!(told, expected, "{host}{path} with nginx {series}");
            // The policy's own words, and not those of the backend.
            let expected = "max-age=31536000; includeSubDomains";
            assert_eq!(answer.header("Strict-Transport-Security"), Some(expected), "{host}{path}");
        }
        let refused = client::get("platform.example.org", "//");
        assert_eq!(refused.header("Server"), Some("nginx"), "no version is told");
        assert!(refused.header("Strict-Transport-Security").is_some(), "refusals carry it as well");
        drop(edge);
    }
}

#[test]
fn nobody_insists_on_a_staging_certificate() {
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let mut case = site::case("certbot-behind-issuer");
        case.environment.hsts = site::ordinary().environment.hsts;
        let _edge = site::start(series, case, "");
        let answer = client::get("platform.example.org", "/");
        assert_eq!((answer.status, answer.header("Strict-Transport-Security")), (200, None));
    }
}

#[test]
fn only_websockets_are_upgraded_and_only_where_a_route_says_so() {
    bed::enter();
    let gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let _edge = site::start(series, site::ordinary(), "");
        for upgrade in ["websocket", "WebSocket"] {
            let mut stream = connect("platform.example.org");
            let request = format!(
                "GET /realtime/x HTTP/1.1\r\nHost: platform.example.org\r\nConnection: keep-alive, Upgrade\r\n\
                 Upgrade: {upgrade}\r\nSec-WebSocket-Key: a2V5\r\nSec-WebSocket-Version: 13\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") {
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            assert!(head.starts_with(b"HTTP/1.1 101 "), "nginx {series}: {}", String::from_utf8_lossy(&head));
            stream.write_all(b"frame").unwrap();
            let mut frame = [0; 5];
            stream.read_exact(&mut frame).unwrap();
            assert_eq!(&frame, b"frame");
            let seen = gateway.take().remove(0);
            assert_eq!((header(&seen, "Upgrade"), header(&seen, "Connection")), (Some("websocket"), Some("upgrade")));
            assert_eq!(header(&seen, "Sec-WebSocket-Key"), Some("a2V5"));
        }
        for (path, upgrade) in [
            ("/", "websocket"),
            ("/v1/x", "on:websocket"),
            ("/realtime/x", "h2c"),
            ("/realtime/x", "h2c, websocket"),
            ("/realtime/x", "TLS/1.0"),
        ] {
            let headers = [format!("Upgrade: {upgrade}"), "HTTP2-Settings: AAMAAABk".to_owned()];
            let answer = get_with("platform.example.org", path, &[&headers[0], &headers[1]]);
            assert_eq!((answer.status, header(&answer.body, "Upgrade")), (200, None), "{path} {upgrade}");
            assert_eq!(header(&answer.body, "Connection"), None, "{path} {upgrade}");
            gateway.take();
        }
    }
}
