//! The request headers that the gateway is told, and those that a client may not tell it.
//!
//! They are stated once, in the server, and never in a location: one header of its own would make a location lose all that
//! the server states.

use crate::catalogue::Transport;
use crate::edge::nginx::{Directive, Word};
use crate::name::Origin;

/// Headers by which applications learn, or think they learn, where a request came from. Ours say it; these are emptied, because
/// whoever reads them would believe the client. `Proxy` becomes `HTTP_PROXY` in CGI-like backends.
const EMPTIED: [&str; 9] = [
    "Forwarded",
    "X-Forwarded",
    "X-Forwarded-Server",
    "X-Original-Forwarded-For",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "Proxy",
];

/// The headers of a server, for one transport.
pub(super) fn block(origin: &Origin, transport: Transport) -> Vec<Directive> {
    let name = match transport {
        Transport::Http => "proxy_set_header",
        Transport::Grpc => "grpc_set_header",
    };
    let set = |header: &'static str, value: Word| Directive::simple(name, vec![header.into(), value]);
    let authority = authority(origin);
    let mut headers = vec![
        set("Host", authority.clone()),
        set("X-Real-IP", "$remote_addr".into()),
        set("X-Forwarded-For", "$remote_addr".into()),
        set("X-Forwarded-Proto", "https".into()),
        set("X-Forwarded-Host", authority),
        set("X-Forwarded-Port", Word::from(&origin.port())),
    ];
    headers.extend(EMPTIED.iter().map(|header| set(header, "".into())));
    if transport == Transport::Http {
        headers.push(set("Upgrade", "$pharos_upgrade".into()));
        headers.push(set("Connection", "$pharos_connection".into()));
    }
    headers
}

/// Host and, unless it is HTTPS's own, port: as a browser sends it. The server was chosen by this very name, so it is said from
/// the origin and not from the request, whose port may be anything.
fn authority(origin: &Origin) -> Word {
    let host = Word::from(origin.host());
    if origin.port() == crate::name::Port::HTTPS {
        host
    } else {
        Word::concat(&[&host, &":".into(), &Word::from(&origin.port())])
    }
}

#[cfg(test)]
mod tests {
    use super::{EMPTIED, block};
    use crate::catalogue::Transport;

    #[test]
    fn both_transports_say_and_empty_the_same() {
        let origin = "https://a.example.org:8443".parse().unwrap();
        let of = |transport| -> Vec<(String, String)> {
            block(&origin, transport)
                .iter()
                .map(|d| (d.argument(0).unwrap().to_owned(), d.argument(1).unwrap().to_owned()))
                .collect()
        };
        let (http, grpc) = (of(Transport::Http), of(Transport::Grpc));
        assert_eq!(http[..grpc.len()], grpc[..]);
        assert_eq!(grpc[0], ("Host".to_owned(), "a.example.org:8443".to_owned()));
        for emptied in EMPTIED {
            assert!(grpc.contains(&(emptied.to_owned(), String::new())), "{emptied}");
        }
    }
}
