//! Sizes, streams, and when a request is tried again.

use std::io::{Read, Write};
use std::time::Duration;

use super::client::{answer, connect, send};
use super::{SERIES, backend, bed, site};

#[test]
fn bodies_are_as_large_as_the_route_says() {
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let _edge = site::start(series, site::ordinary(), "client_max_body_size 1;");
        let status = |host: &str, path: &str, length: usize| {
            let lines = [format!("POST {path} HTTP/1.1"), format!("Host: {host}"), format!("Content-Length: {length}")];
            // A refusal comes before the body is read.
            let body = if length > 60 << 20 { String::new() } else { "x".repeat(length) };
            send(host, &[&lines[0], &lines[1], &lines[2]], &body).status
        };
        assert_eq!(status("platform.example.org", "/", 1 << 20), 200, "1 MiB where the route says nothing");
        assert_eq!(status("platform.example.org", "/", (60 << 20) + 1), 413);
        assert_eq!(status("platform.example.org", "/v1/x", 2 << 20), 200, "50 MiB where it says so");
        assert_eq!(status("platform.example.org", "/v1/x", (60 << 20) + 1), 413);
        assert_eq!(status("git.example.org", "/x", 2 << 20), 200, "unlimited");
    }
}

/// Answers as soon as it has the first part of a request's body, and says the second half of its own answer only when the client
/// has sent the rest: neither half of the exchange may wait for its end.
fn conversation(stream: &mut dyn backend::Connection, record: &backend::Record) {
    let Some(head) = backend::read_head(stream) else { return };
    record.keep(head);
    let mut part = [0; 5];
    stream.read_exact(&mut part).unwrap();
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nfirst").unwrap();
    stream.read_exact(&mut part).unwrap();
    stream.write_all(&part).unwrap();
}

#[test]
fn streams_flow_both_ways_before_either_ends() {
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", conversation);
    for series in SERIES {
        let _edge = site::start(series, site::ordinary(), "");
        let mut stream = connect("git.example.org");
        stream
            .write_all(
                b"POST /x HTTP/1.1\r\nHost: git.example.org\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhello",
            )
            .unwrap();
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(b"first") {
            stream.read_exact(&mut byte).unwrap_or_else(|error| {
                panic!("nginx {series} keeps the exchange to itself: {error}: {}", String::from_utf8_lossy(&seen))
            });
            seen.push(byte[0]);
        }
        stream.write_all(b"again").unwrap();
        let mut rest = [0; 5];
        stream.read_exact(&mut rest).unwrap();
        assert_eq!(&rest, b"again");
    }
}

/// A gateway that takes a request and dies.
fn dying(stream: &mut dyn backend::Connection, record: &backend::Record) {
    record.keep(backend::read_head(stream).unwrap_or_default());
}

#[test]
fn only_idempotent_requests_are_tried_again() {
    bed::enter();
    let first = backend::start("127.0.0.1:30080", dying);
    let second = backend::start("127.0.0.1:30081", backend::echo);
    for series in SERIES {
        let mut case = site::ordinary();
        case.environment.gateway.upstreams =
            ["127.0.0.1:30080", "127.0.0.1:30081"].map(|a| a.parse().unwrap()).to_vec();
        let _edge = site::start(series, case, "proxy_next_upstream error timeout non_idempotent http_502;");
        // Each route has its own record of failures: two requests a route are too few for the first address to be left out.
        let status = |method: &str, path: &str| {
            let lines = [format!("{method} {path} HTTP/1.1"), "Host: platform.example.org".to_owned()];
            send("platform.example.org", &[&lines[0], &lines[1], "Content-Length: 1"], "x").status
        };
        let paths = ["/", "/v1/x", "/auth/callback", "/realtime/x"];
        let mut posts: Vec<u16> = paths.iter().flat_map(|path| [status("POST", path), status("POST", path)]).collect();
        posts.sort_unstable();
        let (died, answered) = (first.take().len(), second.take().len());
        assert_eq!(died + answered, posts.len(), "nginx {series}: each POST reached one gateway, once");
        assert!(died > 0 && answered > 0, "nginx {series}: both gateways were asked");
        assert_eq!(posts.iter().filter(|status| **status == 502).count(), died);
        assert!(paths.iter().all(|path| status("GET", path) == 200 && status("GET", path) == 200), "nginx {series}");
        first.take();
        second.take();
    }
}

#[test]
fn a_gateway_that_fails_is_left_out_by_all_workers_for_that_route() {
    bed::enter();
    let dead = backend::start("127.0.0.1:30080", dying);
    let alive = backend::start("127.0.0.1:30081", backend::echo);
    for series in SERIES {
        let mut case = site::ordinary();
        case.environment.gateway.upstreams =
            ["127.0.0.1:30080", "127.0.0.1:30081"].map(|address| address.parse().unwrap()).to_vec();
        let _edge = site::start(series, case, "");
        let post = |path: &str| {
            let line = format!("POST {path} HTTP/1.1");
            send("platform.example.org", &[&line, "Host: platform.example.org", "Content-Length: 1"], "x").status
        };
        let answers: Vec<u16> = (0..16).map(|_| post("/v1/x")).collect();
        // Two workers count together, as they share the upstreams' memory.
        assert_eq!(dead.take().len(), 3, "nginx {series}: {answers:?}");
        assert_eq!(alive.take().len(), 13);
        // Another route has its own record.
        let _ = [post("/auth/callback"), post("/auth/callback")];
        assert_eq!((dead.take().len(), alive.take().len()), (1, 1), "nginx {series}");
    }
}

#[test]
fn silence_is_borne_as_long_as_the_route_says() {
    fn slow(stream: &mut dyn backend::Connection, record: &backend::Record) {
        let Some(head) = backend::read_head(stream) else { return };
        record.keep(head);
        std::thread::sleep(Duration::from_millis(2500));
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", slow);
    for series in SERIES {
        // The operator's own impatience does not reach our routes.
        let hostile = "proxy_read_timeout 1s;\nsend_timeout 1s;\nclient_body_timeout 1s;";
        let mut case = site::ordinary();
        case.environment.gateway.upstreams = vec!["127.0.0.1:30080".parse().unwrap()];
        let _edge = site::start(series, case, hostile);
        assert_eq!(super::client::get("platform.example.org", "/").status, 200);
        let mut stream = connect("git.example.org");
        stream
            .write_all(b"POST /x HTTP/1.1\r\nHost: git.example.org\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        stream.write_all(b"ok").unwrap();
        assert_eq!(answer(&mut stream).status, 200, "nginx {series}");
    }
}
