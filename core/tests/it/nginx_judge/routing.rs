//! Which route a request belongs to, who may use it, and what becomes of other names.

use std::collections::BTreeMap;

use pharos_core::name::HostName;

use super::bed;
use super::client::{self, get};
use super::{SERIES, backend, site};

const PATHS: [&str; 34] = [
    "/",
    "/x",
    "/auth",
    "/auth/callback",
    "/auth/callback/",
    "/auth/callback/x",
    "/realtime",
    "/realtime/",
    "/realtime/x",
    "/realtimes",
    "/v1",
    "/v1/",
    "/v1/x",
    "/v1x",
    "/v1/admin",
    "/v1/admin/",
    "/v1/admin/x",
    "/v1/administration",
    "/v1/site",
    "/v1/site/commands",
    "/v1/site/commands/",
    "/v1/site/commands/a",
    "/v1/site/commandsx",
    "/v1/site/ssh-access/a/b",
    "/admin",
    "/admin/x",
    "/adminx",
    "/v1/chat",
    "/v1/chat/completions",
    "/inference.v1.Models",
    "/inference.v1.Models/Infer",
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Check/",
    "/grpc.health.v1.Health/Checks",
];

#[test]
fn nginx_and_the_core_choose_the_same_route() {
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let edge = site::start(series, site::ordinary(), "");
        for host in edge.case.table.hosts() {
            let name = host.origin.host().as_str();
            let mut expected = BTreeMap::new();
            for path in PATHS {
                let route = host.routes.iter().find(|route| route.path.takes(path));
                let answer = get(name, path);
                assert_eq!(answer.status == 404, route.is_none(), "{name}{path} with nginx {series}: {}", answer.head);
                expected.insert(path.to_owned(), route.map_or("", |route| route.id.as_str()).to_owned());
            }
            let logged = edge.nginx.access_log(name, PATHS.len()).into_iter().map(|line| {
                let text = |key: &str| line[key].as_str().unwrap().to_owned();
                (text("path"), text("route"))
            });
            assert_eq!(logged.collect::<BTreeMap<_, _>>(), expected, "{name} with nginx {series}");
        }
    }
}

#[test]
fn management_routes_are_for_management_networks() {
    bed::enter();
    let gateway = backend::start("127.0.0.1:30080", backend::echo);
    // An operator's own proxy settings, which would let every client state its address.
    let hostile = "set_real_ip_from 0.0.0.0/0;\nreal_ip_header X-Forwarded-For;\nreal_ip_recursive on;";
    for series in SERIES {
        let edge = site::start(series, site::ordinary(), hostile);
        assert_eq!(get("platform.example.org", "/v1/admin/x").status, 200);
        assert_eq!(from("192.0.2.7", "/v1/admin/x", ""), 403, "empty networks mean this host's loopback alone");
        drop(edge);

        let mut case = site::ordinary();
        case.environment.management_networks = vec!["192.0.2.0/24".parse().unwrap()];
        let edge = site::start(series, case, hostile);
        gateway.take();
        for path in ["/v1/admin", "/v1/admin/x", "/v1/%61dmin/x", "/v1/x/../admin/x", "/v1/./admin"] {
            let spoofed = from("198.51.100.7", path, "X-Forwarded-For: 192.0.2.9\r\nX-Real-IP: 127.0.0.1");
            assert_eq!(spoofed, 403, "{path} with nginx {series}");
        }
        assert!(gateway.take().is_empty(), "a refused request went through");
        assert_eq!(from("192.0.2.7", "/v1/admin/x", ""), 200);
        assert_eq!(from("127.0.0.1", "/v1/admin/x", ""), 200, "the edge host itself, whatever networks are stated");
        assert_eq!(from("198.51.100.7", "/v1/x", ""), 200, "public routes are for everybody");
        drop(edge);
    }
}

/// The status of a request from an address of this host.
fn from(address: &str, path: &str, header: &str) -> u16 {
    let name = "platform.example.org";
    let mut stream = client::handshake_at(address, Some(name), &[], &mut |_| ()).unwrap();
    let (line, host) = (format!("GET {path} HTTP/1.1"), format!("Host: {name}"));
    let head: Vec<&str> = [line.as_str(), host.as_str(), header].into_iter().filter(|line| !line.is_empty()).collect();
    client::send_over(&mut stream, &head, "").status
}

#[test]
fn other_names_are_refused() {
    bed::enter();
    let gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let _edge = site::start(series, site::ordinary(), "");
        for name in [None, Some("other.example.org"), Some("example.org")] {
            let refusal = client::handshake(name, &[]).unwrap_err();
            assert!(refusal.contains("unrecognized name"), "{refusal}");
        }
        for host in ["other.example.org", "localhost", "127.0.0.1"] {
            let answer = client::send("platform.example.org", &["GET / HTTP/1.1", &format!("Host: {host}")], "");
            assert_eq!(answer.status, 421, "{host}");
        }
        assert!(gateway.take().is_empty());
        // The same name in other spellings is the same name, and the gateway is told the one of the policy.
        for host in ["PLATFORM.example.org", "platform.example.org:1", "platform.example.org."] {
            let answer = client::send("platform.example.org", &["GET / HTTP/1.1", &format!("Host: {host}")], "");
            assert_eq!((answer.status, client::header(&answer.body, "Host")), (200, Some("platform.example.org")));
        }
        gateway.take();
    }
}

#[test]
fn tls_is_as_the_guideline_says() {
    bed::enter();
    for series in SERIES {
        let edge = site::start(series, site::ordinary(), "");
        let names: Vec<&HostName> = edge.case.table.hosts().iter().map(|host| host.origin.host()).collect();
        for name in names {
            let stream = client::handshake(Some(name.as_str()), &["h2", "http/1.1"]).unwrap();
            assert_eq!(stream.ssl().selected_alpn_protocol(), Some(&b"h2"[..]), "{name} with nginx {series}");
            assert_eq!(stream.ssl().version_str(), "TLSv1.3");
            let with = |set: &mut dyn FnMut(&mut openssl::ssl::SslContextBuilder)| {
                client::handshake_at("127.0.0.1", Some(name.as_str()), &[], set)
            };
            let old = with(&mut |context| {
                context.set_max_proto_version(Some(openssl::ssl::SslVersion::TLS1_1)).unwrap();
                context.set_security_level(0);
                context.set_cipher_list("ALL:@SECLEVEL=0").unwrap();
            });
            assert!(old.is_err(), "TLS 1.1 is spoken by nginx {series}");
            for (cipher, spoken) in [("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-AES128-SHA256", false)] {
                let chosen = with(&mut |context| {
                    context.set_max_proto_version(Some(openssl::ssl::SslVersion::TLS1_2)).unwrap();
                    context.set_cipher_list(cipher).unwrap();
                });
                assert_eq!(chosen.is_ok(), spoken, "{cipher} with nginx {series}");
            }
        }
    }
}

#[test]
fn the_edge_listens_where_it_is_told_to() {
    bed::enter();
    let reachable = |address| std::net::TcpStream::connect((address, 443)).is_ok();
    for series in SERIES {
        let everywhere = ["127.0.0.1", "::1", "192.0.2.7", "2001:db8::7"];
        let edge = site::start(series, site::ordinary(), "");
        assert!(everywhere.into_iter().all(reachable), "nginx {series} listens in both families");
        assert!(client::handshake_at("::1", Some("git.example.org"), &[], &mut |_| ()).is_ok());
        drop(edge);

        let mut case = site::ordinary();
        case.host.ipv6 = false;
        let edge = site::start(series, case, "");
        assert_eq!(everywhere.map(reachable), [true, false, true, false], "nginx {series} without IPv6");
        drop(edge);

        let mut case = site::ordinary();
        case.host.listen_addresses = ["127.0.0.1", "2001:db8::7"].map(|address| address.parse().unwrap()).to_vec();
        let edge = site::start(series, case, "");
        assert_eq!(everywhere.map(reachable), [true, false, false, true], "nginx {series} with addresses of its own");
        drop(edge);
    }
}
