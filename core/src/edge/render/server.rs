//! The servers of the HTTPS listener: one for each host, and one for whoever asks for another name.

use std::collections::BTreeSet;

use super::build::directive;
use super::gateway::Gateway;
use super::listen::{Listeners, Speaks};
use super::location::{self, Context};
use super::{headers, tls};
use crate::catalogue::{RouteTable, Transport, VirtualHost};
use crate::edge::nginx::{Directive, Word};
use crate::edge::{CertificateFiles, EdgeHost};
use crate::name::Port;
use crate::policy::{EdgeEnvironment, Hsts};

/// What a listener's servers have in common.
pub(super) struct Site<'a> {
    /// The policy.
    pub(super) environment: &'a EdgeEnvironment,
    /// The host they run on.
    pub(super) host: &'a EdgeHost,
    /// Where they lead.
    pub(super) gateway: &'a Gateway<'a>,
    /// What all of their locations share.
    pub(super) locations: Context<'a>,
}

/// The ports that the origins name, 443 alone on every distributed site.
pub(super) fn ports(table: &RouteTable) -> BTreeSet<Port> {
    table.hosts().iter().map(|host| host.origin.port()).collect()
}

/// The server that answers every other name on a port. It has no certificate: the handshake is refused. A client that shakes hands for
/// one of our names and then asks for another gets 421, never another site's content.
pub(super) fn unknown_names(port: Port, host: &EdgeHost) -> Directive {
    let mut block = Listeners::of(host).directives(port, Speaks::Tls, true);
    block.push(directive!("ssl_reject_handshake", "on"));
    block.extend(tls::block(host.nginx));
    block.extend(logs(&"https-unknown".into(), "pharos_https"));
    block.extend(conduct());
    block.push(directive!("set", "$pharos_route", ""));
    block.push(directive!("return", "421"));
    Directive::block("server", vec![], block)
}

/// The server of a host.
pub(super) fn known_name(virtual_host: &VirtualHost, files: &CertificateFiles, site: &Site<'_>) -> Directive {
    let origin = &virtual_host.origin;
    let name = Word::from(origin.host());
    let mut block = Listeners::of(site.host).directives(origin.port(), Speaks::Tls, false);
    block.push(directive!("server_name", name.clone()));
    block.push(directive!("ssl_certificate", &files.certificate));
    block.push(directive!("ssl_certificate_key", &files.key));
    block.extend(tls::block(site.host.nginx));
    block.extend(logs(&name, "pharos_https"));
    block.extend(conduct());
    if let Some(hsts) = site.environment.hsts.as_ref().filter(|_| !site.host.certificates.is_staging()) {
        block.push(strict_transport_security(hsts));
    }
    block.push(directive!("set", "$pharos_route", ""));
    block.push(directive!("set", "$pharos_websocket", "off"));
    block.push(location::refuse(if location::has_encoded_slashes(virtual_host) {
        "($pharos_refused_path)"
    } else {
        "($pharos_odd_path)"
    }));
    for transport in [Transport::Http, Transport::Grpc] {
        if virtual_host.routes.iter().any(|route| route.transport == transport) {
            block.extend(passing(transport));
            block.extend(headers::block(origin, transport));
            block.extend(site.gateway.verification(transport));
        }
    }
    block.extend(location::blocks(virtual_host, &site.locations));
    Directive::block("server", vec![], block)
}

/// Where a server logs. The error log keeps emergencies alone: from `alert` down, each message about a request repeats its whole
/// request line, query string included, and its `Referer`, and nginx has no way to leave them out.
pub(super) fn logs(name: &Word, format: &'static str) -> [Directive; 2] {
    let file = |end: &'static str| Word::concat(&[&"/var/log/nginx/pharos-".into(), name, &end.into()]);
    [directive!("access_log", file(".access.log"), format), directive!("error_log", file(".error.log"), "emerg")]
}

/// What must not depend on the rest of the host's configuration: stated here, it is not inherited from the `http` block.
pub(super) fn conduct() -> Vec<Directive> {
    vec![
        directive!("server_tokens", "off"),
        directive!("merge_slashes", "on"),
        // The client's address is the connection's: no header may replace it. A list of trusted proxies that nothing matches.
        directive!("set_real_ip_from", "unix:"),
        directive!("client_max_body_size", "1m"),
        directive!("client_body_timeout", "60s"),
        directive!("send_timeout", "60s"),
    ]
}

fn strict_transport_security(hsts: &Hsts) -> Directive {
    let subdomains = if hsts.include_subdomains { "; includeSubDomains" } else { "" };
    let value = Word::concat(&[&"max-age=".into(), &Word::from(&hsts.max_age), &subdomains.into()]);
    directive!("add_header", "Strict-Transport-Security", value, "always")
}

/// How requests are passed on unless a route says otherwise.
///
/// A request is tried at another address of the gateway only if it could not be sent, or as long as its method is idempotent and the
/// whole has taken less than 15 seconds: a slow answer is never asked for twice.
fn passing(transport: Transport) -> Vec<Directive> {
    match transport {
        Transport::Http => vec![
            directive!("proxy_http_version", "1.1"),
            directive!("proxy_connect_timeout", "5s"),
            directive!("proxy_read_timeout", "60s"),
            directive!("proxy_send_timeout", "60s"),
            directive!("proxy_next_upstream", "error", "timeout"),
            directive!("proxy_next_upstream_tries", "3"),
            directive!("proxy_next_upstream_timeout", "15s"),
            // Sign-in answers carry large cookies; nginx's own 4k turns them into a 502.
            directive!("proxy_buffer_size", "16k"),
            directive!("proxy_buffers", "8", "16k"),
            directive!("proxy_busy_buffers_size", "32k"),
            directive!("proxy_request_buffering", "on"),
            directive!("proxy_buffering", "on"),
            directive!("proxy_cache", "off"),
            directive!("proxy_intercept_errors", "off"),
            directive!("proxy_redirect", "off"),
            // Strict transport security is the policy's to ask for, not a backend's.
            directive!("proxy_hide_header", "Strict-Transport-Security"),
        ],
        Transport::Grpc => vec![
            directive!("grpc_connect_timeout", "5s"),
            directive!("grpc_read_timeout", "60s"),
            directive!("grpc_send_timeout", "60s"),
            directive!("grpc_next_upstream", "error", "timeout"),
            directive!("grpc_next_upstream_tries", "3"),
            directive!("grpc_next_upstream_timeout", "15s"),
            directive!("grpc_buffer_size", "16k"),
            directive!("grpc_hide_header", "Strict-Transport-Security"),
        ],
    }
}
