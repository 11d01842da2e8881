//! Which addresses the edge listens on.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::build::directive;
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::nginx::{Directive, Word};
use crate::edge::{EdgeHost, codes};
use crate::name::Port;

/// Whether a listener speaks TLS.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Speaks {
    /// Plain HTTP.
    Plain,
    /// TLS, with HTTP/2.
    Tls,
}

/// What of a host its `listen` directives are made of.
pub(super) struct Listeners {
    addresses: Vec<IpAddr>,
    http2_directive: bool,
}

impl Listeners {
    /// Of a host: all addresses in both families, or those that its operator names.
    pub(super) fn of(host: &EdgeHost) -> Self {
        let addresses = if host.listen_addresses.is_empty() {
            let mut all = vec![IpAddr::V4(Ipv4Addr::UNSPECIFIED)];
            all.extend(host.ipv6.then_some(IpAddr::V6(Ipv6Addr::UNSPECIFIED)));
            all
        } else {
            host.listen_addresses.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
        };
        Self { addresses, http2_directive: host.nginx.version.has_http2_directive() }
    }

    /// The `listen` directives of a server on this port, and what else turns its protocols on.
    pub(super) fn directives(&self, port: Port, speaks: Speaks, is_default: bool) -> Vec<Directive> {
        let mut directives: Vec<Directive> = self
            .addresses
            .iter()
            .map(|address| {
                let mut words = vec![endpoint(*address, port)];
                if speaks == Speaks::Tls {
                    words.push("ssl".into());
                    words.extend((!self.http2_directive).then(|| "http2".into()));
                }
                words.extend(is_default.then(|| "default_server".into()));
                Directive::simple("listen", words)
            })
            .collect();
        if speaks == Speaks::Tls && self.http2_directive {
            directives.push(directive!("http2", "on"));
        }
        directives
    }
}

fn endpoint(address: IpAddr, port: Port) -> Word {
    match address {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Word::from(&port),
        specific => Word::from(&SocketAddr::new(specific, port.get())),
    }
}

/// `edge/listen-address` for addresses of a family that the host does not have.
pub fn judge_families(addresses: &[IpAddr], ipv6: bool, findings: &mut Findings) {
    for address in addresses.iter().filter(|address| address.is_ipv6() && !ipv6) {
        let message = format!("`{address}` is an address to listen on, but the host has no IPv6");
        findings.push(
            Diagnostic::error(codes::LISTEN_ADDRESS, message)
                .at(Place::named("edge_listen_addresses"), "")
                .help("take it out of `edge_listen_addresses`, or enable IPv6 on the host"),
        );
    }
}
