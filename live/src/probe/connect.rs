//! Connections to an edge: TLS against the given authorities alone.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper_openssl::client::legacy::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use openssl::error::ErrorStack;
use openssl::ssl::{SslConnector, SslMethod};
use openssl::x509::store::X509StoreBuilder;
use pharos_core::certificate::TrustAnchors;
use tower::Service;

/// What a connection speaks once TLS stands.
#[derive(Clone, Copy)]
pub(super) enum Speech {
    Http1,
    Http2,
}

impl Speech {
    /// As ALPN names it (RFC 7301), with its length before it.
    const fn protocol(self) -> &'static [u8] {
        match self {
            Self::Http1 => b"\x08http/1.1",
            Self::Http2 => b"\x02h2",
        }
    }
}

/// A connector to whatever the names lead to, or to one address.
pub(super) fn connector(
    anchors: &TrustAnchors,
    address: Option<IpAddr>,
    timeout: Duration,
    speech: Speech,
) -> Result<HttpsConnector<HttpConnector<Resolver>>, ErrorStack> {
    let mut plain = HttpConnector::new_with_resolver(Resolver { address, names: GaiResolver::new() });
    plain.enforce_http(false);
    plain.set_connect_timeout(Some(timeout));
    let mut tls = SslConnector::builder(SslMethod::tls_client())?;
    let mut store = X509StoreBuilder::new()?;
    for authority in anchors.certificates() {
        store.add_cert(authority.clone())?;
    }
    tls.set_cert_store(store.build());
    tls.set_alpn_protos(speech.protocol())?;
    HttpsConnector::with_connector(plain, tls)
}

/// Finds addresses: by name, or always the same one.
#[derive(Clone)]
pub(super) struct Resolver {
    address: Option<IpAddr>,
    names: GaiResolver,
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = std::io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.names.poll_ready(context)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        if let Some(address) = self.address {
            // The port is the request's.
            return Box::pin(std::future::ready(Ok(vec![SocketAddr::new(address, 0)].into_iter())));
        }
        let found = self.names.call(name);
        Box::pin(async { Ok(found.await?.collect::<Vec<_>>().into_iter()) })
    }
}
