//! The rules about the gateway behind an edge.

use std::net::IpAddr;

use super::{Gateway, GatewayProtocol, SelectedEdge, Selection, codes};
use crate::diagnostic::{Diagnostic, Findings, Severity};
use crate::name::SocketAddress;

pub(super) fn judge(selection: &Selection<'_>, edge: &SelectedEdge<'_>, findings: &mut Findings) {
    let at = |key: &str| selection.place(&format!("{}/gateway{key}", edge.pointer));
    let gateway = edge.gateway;
    for (key, stated) in [("sni", gateway.sni.is_some()), ("trust", gateway.trust.is_some())] {
        match (gateway.protocol, stated) {
            (GatewayProtocol::Https, false) => findings.push(
                Diagnostic::error(codes::GATEWAY_TLS_MISSING, format!("the HTTPS gateway has no `{key}`"))
                    .at(at("/protocol").with_key(&format!("{}/gateway/{key}", edge.pointer)), "")
                    .help("state `sni`, the name in its certificate, and `trust`, the CA bundle on the edge host"),
            ),
            (GatewayProtocol::Http, true) => findings.push(
                Diagnostic::error(codes::GATEWAY_TLS_SURPLUS, format!("`{key}` has no meaning for a plain gateway"))
                    .at(at(&format!("/{key}")), "")
                    .help(format!("write `protocol: https`, or leave `{key}` out")),
            ),
            _ => {}
        }
    }
    if gateway.protocol == GatewayProtocol::Http {
        plain(gateway, &at, findings);
    }
}

/// Plain text between hosts, graded by how far it travels.
fn plain(gateway: &Gateway, at: &dyn Fn(&str) -> crate::diagnostic::Place, findings: &mut Findings) {
    for (index, upstream) in gateway.upstreams.iter().enumerate() {
        let (severity, reach) = match reach(upstream) {
            Reach::Host => continue,
            Reach::Private => (Severity::Note, "a private network"),
            Reach::Public => (Severity::Warning, "public networks"),
        };
        let message = format!("sessions travel to the gateway `{upstream}` in plain text, over {reach}");
        findings.push(Diagnostic {
            severity,
            ..Diagnostic::warning(codes::GATEWAY_PLAIN, message)
                .at(at(&format!("/upstreams/{index}")), "")
                .help("write `protocol: https` with `sni` and `trust`, or a loopback address")
        });
    }
}

enum Reach {
    Host,
    Private,
    Public,
}

fn reach(upstream: &SocketAddress) -> Reach {
    let address = upstream.get().ip().to_canonical();
    let private = match address {
        IpAddr::V4(v4) => v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unique_local() || v6.is_unicast_link_local(),
    };
    match (address.is_loopback(), private) {
        (true, _) => Reach::Host,
        (_, true) => Reach::Private,
        _ => Reach::Public,
    }
}

#[cfg(test)]
mod tests {
    use super::{Reach, reach};

    #[test]
    fn how_far_an_address_is() {
        let grade = |text: &str| match reach(&text.parse().unwrap()) {
            Reach::Host => 0,
            Reach::Private => 1,
            Reach::Public => 2,
        };
        for (text, expected) in [
            ("127.0.0.1:1", 0),
            ("[::1]:1", 0),
            ("[::ffff:127.0.0.1]:1", 0),
            ("10.0.0.1:1", 1),
            ("[fd00::1]:1", 1),
            ("[fe80::1]:1", 1),
            ("192.0.2.1:1", 2),
            ("[2001:db8::1]:1", 2),
        ] {
            assert_eq!(grade(text), expected, "{text}");
        }
    }
}
