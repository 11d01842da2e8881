//! One request a question.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONNECTION, CONTENT_TYPE, HeaderMap, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, TE, UPGRADE, USER_AGENT,
};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_openssl::client::legacy::HttpsConnector;
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use openssl::error::ErrorStack;
use pharos_core::certificate::TrustAnchors;
use pharos_core::probe::{BACKEND_HEADER, Manner, Outcome, Question};

use super::Way;
use super::connect::{Resolver, Speech, connector};

/// The answer to no call is longer than this, in frames.
const FRAMES: usize = 64;

type Inner = Hyper<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>;

/// Asks questions.
#[derive(Clone)]
pub(super) struct Client {
    http1: Inner,
    http2: Inner,
    timeout: Duration,
}

impl Client {
    pub(super) fn new(anchors: &TrustAnchors, way: &Way<'_>) -> Result<Self, ErrorStack> {
        let inner = |speech: Speech| -> Result<Inner, ErrorStack> {
            let connector = connector(anchors, way.address, way.timeout, speech)?;
            let mut builder = Hyper::builder(TokioExecutor::new());
            builder.pool_timer(TokioTimer::new()).http2_only(matches!(speech, Speech::Http2));
            // An upgraded or refused connection says nothing about the next request.
            builder.pool_max_idle_per_host(0);
            Ok(builder.build(connector))
        };
        Ok(Self { http1: inner(Speech::Http1)?, http2: inner(Speech::Http2)?, timeout: way.timeout })
    }

    /// The answer, or why there is none.
    pub(super) async fn ask(&self, question: &Question) -> Outcome {
        let asked = async {
            match question.manner {
                Manner::Get => Ok(status(&self.http1.request(request(question, &[])?).await?)),
                Manner::WebSocket => Ok(status(&self.http1.request(request(question, &UPGRADE_HEADERS)?).await?)),
                Manner::Grpc => call(self.http2.request(self::call_request(question)?).await?).await,
            }
        };
        match tokio::time::timeout(self.timeout, asked).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => Outcome::NoAnswer(causes(&*error)),
            Err(_) => Outcome::NoAnswer(format!("no answer within {} s", self.timeout.as_secs())),
        }
    }
}

type Asked = Result<Outcome, Box<dyn Error + Send + Sync>>;

/// The key is the example of RFC 6455 section 1.3: nothing is exchanged over the socket.
const UPGRADE_HEADERS: [(http::HeaderName, &str); 4] = [
    (CONNECTION, "Upgrade"),
    (UPGRADE, "websocket"),
    (SEC_WEBSOCKET_VERSION, "13"),
    (SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
];

fn request(question: &Question, headers: &[(http::HeaderName, &str)]) -> Result<Request<Full<Bytes>>, http::Error> {
    let mut request = Request::builder().uri(question.url()).header(USER_AGENT, "pharos-probe");
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    request.body(Full::default())
}

/// An empty message: one byte that says it is not compressed, four of its length.
fn call_request(question: &Question) -> Result<Request<Full<Bytes>>, http::Error> {
    let request = Request::builder().method(Method::POST).uri(question.url()).header(USER_AGENT, "pharos-probe");
    request.header(CONTENT_TYPE, "application/grpc").header(TE, "trailers").body(Full::from(&[0_u8; 5][..]))
}

fn status<B>(response: &Response<B>) -> Outcome {
    let backend = response.headers().contains_key(BACKEND_HEADER);
    Outcome::Answer { status: response.status().as_u16(), backend, grpc: None }
}

/// The status of a call stands in the trailers, or in the headers where there is no message.
async fn call<B>(response: Response<B>) -> Asked
where
    B: BodyExt + Unpin,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let backend = response.headers().contains_key(BACKEND_HEADER);
    let status = response.status().as_u16();
    let mut grpc = grpc_status(response.headers());
    let mut body = response.into_body();
    for _ in 0..FRAMES {
        let Some(frame) = body.frame().await else { break };
        if let Ok(trailers) = frame.map_err(Into::into)?.into_trailers() {
            grpc = grpc.or_else(|| grpc_status(&trailers));
        }
    }
    Ok(Outcome::Answer { status, backend, grpc })
}

fn grpc_status(headers: &HeaderMap) -> Option<u32> {
    headers.get("grpc-status")?.to_str().ok()?.parse().ok()
}

/// An error with what lies beneath it, each said once.
fn causes(error: &(dyn Error + 'static)) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut beneath = Some(error);
    while let Some(error) = beneath {
        let text = error.to_string();
        if !said.iter().any(|earlier| earlier.contains(&text)) {
            said.push(text);
        }
        beneath = error.source();
    }
    said.join(": ")
}
