//! What of the gateway every location needs.

use super::build::directive;
use crate::catalogue::Transport;
use crate::diagnostic::{Diagnostic, Place};
use crate::edge::nginx::{Directive, Word};
use crate::name::{AbsolutePath, HostName, SocketAddress};
use crate::policy::{self, GatewayProtocol};

/// The gateway, with its TLS settings where it is spoken to over TLS.
pub(super) struct Gateway<'a> {
    /// Its addresses.
    pub(super) addresses: &'a [SocketAddress],
    tls: Option<(&'a HostName, &'a AbsolutePath)>,
}

impl<'a> Gateway<'a> {
    /// From the edge environment.
    ///
    /// # Errors
    /// `policy/gateway-tls-missing` if its certificate could not be verified.
    pub(super) fn of(gateway: &'a policy::Gateway) -> Result<Self, Diagnostic> {
        let tls = match gateway.protocol {
            GatewayProtocol::Http => None,
            GatewayProtocol::Https => Some(gateway.sni.as_ref().zip(gateway.trust.as_ref()).ok_or_else(|| {
                Diagnostic::error(policy::codes::GATEWAY_TLS_MISSING, "the HTTPS gateway lacks `sni` or `trust`")
                    .at(Place::named("gateway"), "")
                    .help("state `sni`, the name in its certificate, and `trust`, the CA bundle on the edge host")
            })?),
        };
        Ok(Self { addresses: &gateway.upstreams, tls })
    }

    /// The address of a route's upstream, as `proxy_pass` and `grpc_pass` want it: without a path, so that the request's own
    /// passes through as it came.
    pub(super) fn address(&self, transport: Transport, upstream: &Word) -> Word {
        let scheme = match (transport, self.tls.is_some()) {
            (Transport::Http, false) => "http://",
            (Transport::Http, true) => "https://",
            (Transport::Grpc, false) => "grpc://",
            (Transport::Grpc, true) => "grpcs://",
        };
        Word::concat(&[&scheme.into(), upstream])
    }

    /// How its certificate is verified. The session of an earlier connection is never resumed: with it nginx would keep the
    /// earlier verdict, good or bad.
    pub(super) fn verification(&self, transport: Transport) -> Vec<Directive> {
        let Some((sni, trust)) = self.tls else { return Vec::new() };
        match transport {
            Transport::Http => vec![
                directive!("proxy_ssl_server_name", "on"),
                directive!("proxy_ssl_name", sni),
                directive!("proxy_ssl_verify", "on"),
                directive!("proxy_ssl_verify_depth", "3"),
                directive!("proxy_ssl_trusted_certificate", trust),
                directive!("proxy_ssl_session_reuse", "off"),
                directive!("proxy_ssl_protocols", "TLSv1.2", "TLSv1.3"),
            ],
            Transport::Grpc => vec![
                directive!("grpc_ssl_server_name", "on"),
                directive!("grpc_ssl_name", sni),
                directive!("grpc_ssl_verify", "on"),
                directive!("grpc_ssl_verify_depth", "3"),
                directive!("grpc_ssl_trusted_certificate", trust),
                directive!("grpc_ssl_session_reuse", "off"),
                directive!("grpc_ssl_protocols", "TLSv1.2", "TLSv1.3"),
            ],
        }
    }
}
