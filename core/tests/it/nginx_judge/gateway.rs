//! The gateway over TLS and over gRPC.

use std::path::Path;

use openssl::ssl::{NameType, Ssl, SslAcceptor, SslMethod, SslStream};
use pharos_core::policy::GatewayProtocol;

use super::backend::{self, Connection, Record};
use super::client::{get, send};
use super::{SERIES, bed, site};

/// A gateway that speaks TLS with a certificate for this name, which it also writes down as the one to trust; what it is asked for by
/// SNI is kept apart from the requests.
fn tls_gateway(address: &str, name: &str, trust: Option<&Path>) -> (Record, Record) {
    let pair = site::certificate(&[name]);
    if let Some(trust) = trust {
        std::fs::write(trust, pair.0.to_pem().unwrap()).unwrap();
    }
    let asked = Record::default();
    let kept = asked.clone();
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).unwrap();
    acceptor.set_certificate(&pair.0).unwrap();
    acceptor.set_private_key(&pair.1).unwrap();
    acceptor.set_alpn_select_callback(|_, offered| {
        openssl::ssl::select_next_proto(b"\x02h2", offered).ok_or(openssl::ssl::AlpnError::NOACK)
    });
    acceptor.set_servername_callback(move |ssl, _| {
        kept.keep(ssl.servername(NameType::HOST_NAME).unwrap_or("nothing").to_owned());
        Ok(())
    });
    let context = acceptor.build().into_context();
    let requests = backend::start_with(
        address,
        move |stream| Ssl::new(&context).unwrap().accept(stream).ok(),
        |stream: &mut Option<SslStream<_>>, record| {
            // A client that does not like the certificate goes away before the handshake is done.
            if let Some(stream) = stream {
                either(stream, record);
            }
        },
    );
    (requests, asked)
}

/// Answers HTTP/1.1 as [`backend::echo`] does, and HTTP/2 with a bare 200.
fn either(stream: &mut dyn Connection, record: &Record) {
    let Some(head) = backend::read_head(stream) else { return };
    if head != "PRI * HTTP/2.0\r\n\r\n" {
        return backend::echo_to(&head, stream, record);
    }
    record.keep("HTTP/2".to_owned());
    let mut end_of_preface = [0; 6];
    stream.read_exact(&mut end_of_preface).unwrap();
    // Our settings: none.
    stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).unwrap();
    let mut frame = [0; 9];
    while stream.read_exact(&mut frame).is_ok() {
        let length = u32::from_be_bytes([0, frame[0], frame[1], frame[2]]) as usize;
        let mut payload = vec![0; length];
        if stream.read_exact(&mut payload).is_err() {
            return;
        }
        let (kind, flags) = (frame[3], frame[4]);
        if kind == 0 && flags & 1 == 1 {
            // The request has ended: a head of its stream with `:status: 200` alone, which ends it as well.
            let mut answer = vec![0, 0, 1, 1, 5];
            answer.extend_from_slice(&frame[5..9]);
            answer.push(0x88);
            let _ = stream.write_all(&answer);
        }
    }
}

const INFER: [&str; 5] = [
    "POST /inference.v1.Models/Infer HTTP/1.1",
    "Host: models.example.org",
    "Content-Type: application/grpc",
    "TE: trailers",
    "Content-Length: 5",
];

#[test]
fn grpc_is_http2_and_shares_nothing_with_http() {
    bed::enter();
    let gateway = backend::start("127.0.0.1:30080", either);
    for series in SERIES {
        let _edge = site::start(series, site::ordinary(), "");
        for _ in 0..3 {
            assert_eq!(send("models.example.org", &INFER, "hello").status, 200, "gRPC with nginx {series}");
            assert_eq!(get("models.example.org", "/v1/chat/x").status, 200, "HTTP with nginx {series}");
        }
        let seen = gateway.take();
        assert!(seen.contains(&"HTTP/2".to_owned()) && seen.iter().any(|head| head.starts_with("GET /v1/chat/x ")));
    }
}

#[test]
fn a_tls_gateway_is_verified_by_name_and_trust() {
    bed::enter();
    let trust = tempfile::tempdir().unwrap();
    let file = trust.path().join("trust.pem");
    let (requests, asked) = tls_gateway("127.0.0.1:30443", "gateway.example.org", Some(&file));
    let (elsewhere, _) = tls_gateway("127.0.0.1:30444", "gateway.example.org", None);
    for series in SERIES {
        // The address, the name that is asked for, and whether the gateway there is the right one.
        for (address, sni, right) in [
            ("127.0.0.1:30443", "gateway.example.org", true),
            ("127.0.0.1:30443", "other.example.org", false),
            ("127.0.0.1:30444", "gateway.example.org", false),
        ] {
            let mut case = site::ordinary();
            case.environment.gateway.protocol = GatewayProtocol::Https;
            case.environment.gateway.upstreams = vec![address.parse().unwrap()];
            case.environment.gateway.sni = Some(sni.parse().unwrap());
            case.environment.gateway.trust = Some("/etc/pharos/gateway-ca.pem".parse().unwrap());
            let _edge = site::start_trusting(series, case, &file);
            let expected = if right { 200 } else { 502 };
            for _ in 0..2 {
                let (http, grpc) =
                    (get("models.example.org", "/v1/chat/x"), send("models.example.org", &INFER, "hello"));
                assert_eq!((http.status, grpc.status), (expected, expected), "{address} as {sni} with nginx {series}");
            }
            if address == "127.0.0.1:30443" {
                let names = asked.take();
                assert!(!names.is_empty() && names.iter().all(|name| name == sni), "{names:?}");
            }
            assert_eq!(requests.take().len() + elsewhere.take().len(), if right { 4 } else { 0 });
        }
    }
}
