//! TLS towards browsers, the same in every server: nginx takes versions and ciphers from the default server before it knows the
//! name, so a server that says something else would only seem to.

use super::build::directive;
use crate::edge::NginxBuild;
use crate::edge::nginx::{Directive, Word};

/// A recommendation of Mozilla's Server Side TLS guidelines, "intermediate".
///
/// Source: <https://ssl-config.mozilla.org/guidelines/6.0.json>, as published. It has no DHE ciphers. Its `ocsp_staple` is not followed:
/// stapling makes nginx look up and call the CA's responder, and Let's Encrypt has none any more.
struct Guideline {
    version: &'static str,
    protocols: &'static [&'static str],
    ciphers: &'static str,
    curves: &'static str,
    /// The curves with the hybrid post-quantum group first, and the OpenSSL that knows it. An older one refuses the word.
    hybrid_curves: &'static str,
    hybrid_since: (u32, u32),
}

const INTERMEDIATE: Guideline = Guideline {
    version: "6.0",
    protocols: &["TLSv1.2", "TLSv1.3"],
    ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
              ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
              ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305",
    curves: "X25519:prime256v1:secp384r1",
    hybrid_curves: "X25519MLKEM768:X25519:prime256v1:secp384r1",
    hybrid_since: (3, 5),
};

/// The version of the guideline that is followed.
pub const TLS_GUIDELINE: &str = INTERMEDIATE.version;

/// The TLS block of a server.
pub(super) fn block(nginx: NginxBuild) -> Vec<Directive> {
    let hybrid = nginx.openssl.is_some_and(|version| version >= INTERMEDIATE.hybrid_since);
    let curves = if hybrid { INTERMEDIATE.hybrid_curves } else { INTERMEDIATE.curves };
    vec![
        Directive::simple("ssl_protocols", INTERMEDIATE.protocols.iter().map(|word| Word::expression(word)).collect()),
        directive!("ssl_ciphers", INTERMEDIATE.ciphers),
        directive!("ssl_ecdh_curve", curves),
        directive!("ssl_prefer_server_ciphers", "off"),
        directive!("ssl_session_cache", "shared:pharos_tls:10m"),
        directive!("ssl_session_timeout", "1d"),
        directive!("ssl_session_tickets", "off"),
        directive!("ssl_stapling", "off"),
        // Early data can be replayed: a request must not run twice.
        directive!("ssl_early_data", "off"),
    ]
}
