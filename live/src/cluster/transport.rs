//! The connection to an API: TLS against the authority of the kubeconfig alone, without a proxy.

use std::error::Error;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper_openssl::client::legacy::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ConfigExt};
use kube::{Client, Config};
use openssl::error::ErrorStack;
use openssl::ssl::{ConnectConfiguration, SslConnectorBuilder, SslVerifyMode};
use openssl::x509::X509;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::X509CheckFlags;
use tower::ServiceBuilder;

/// The certificate that the API server has presented, in PEM: public, and verified before it is noted.
#[derive(Clone, Default)]
pub(super) struct Presented(Arc<Mutex<Option<Vec<u8>>>>);

impl Presented {
    /// What was noted, if a connection has come about.
    pub(super) fn pem(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes the server's own certificate, which is verified last, when OpenSSL has found the whole path good; decides nothing.
    fn note(&self, tls: &mut SslConnectorBuilder) {
        let presented = self.clone();
        tls.set_verify_callback(SslVerifyMode::PEER, move |verified, context| {
            if verified && context.error_depth() == 0 {
                let pem = context.current_cert().and_then(|certificate| certificate.to_pem().ok());
                *presented.0.lock().unwrap_or_else(PoisonError::into_inner) = pem;
            }
            verified
        });
    }
}

/// A client for this configuration, and what the API server presents to it. The configuration's proxy, which may come from the
/// environment, takes no part.
pub(super) fn connect(config: Config, timeout: Duration) -> Result<(Client, Presented), kube::Error> {
    let mut plain = HttpConnector::new();
    plain.enforce_http(false);
    plain.set_connect_timeout(Some(timeout));
    let mut tls = config.openssl_ssl_connector_builder()?;
    trust_only(&mut tls, config.root_cert.as_deref().unwrap_or_default()).map_err(service)?;
    let presented = Presented::default();
    presented.note(&mut tls);
    let mut https = HttpsConnector::with_connector(plain, tls).map_err(service)?;
    if let Some(name) = config.tls_server_name.clone() {
        https.set_callback(move |connection, _| expect(connection, &name));
    }
    let transport = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build::<_, Body>(https);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(Box::<dyn Error + Send + Sync>::from)
        .service(transport);
    Ok((Client::new(service, config.default_namespace), presented))
}

/// Forgets the authorities of the machine and of its environment, which OpenSSL's connector begins with.
fn trust_only(tls: &mut SslConnectorBuilder, authorities: &[Vec<u8>]) -> Result<(), ErrorStack> {
    let mut store = X509StoreBuilder::new()?;
    for authority in authorities {
        store.add_cert(X509::from_der(authority)?)?;
    }
    tls.set_cert_store(store.build());
    Ok(())
}

/// Expects a certificate for this name or address, whatever the address is that is connected to.
fn expect(connection: &mut ConnectConfiguration, name: &str) -> Result<(), ErrorStack> {
    // Else both are set once more afterwards, from the address.
    connection.set_use_server_name_indication(false);
    connection.set_verify_hostname(false);
    let address = name.parse::<IpAddr>();
    if address.is_err() {
        connection.set_hostname(name)?;
    }
    let expected = connection.param_mut();
    expected.set_hostflags(X509CheckFlags::NO_PARTIAL_WILDCARDS);
    match address {
        Ok(address) => expected.set_ip(address),
        Err(_) => expected.set_host(name),
    }
}

fn service(error: ErrorStack) -> kube::Error {
    kube::Error::Service(Box::new(error))
}
