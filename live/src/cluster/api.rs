//! GET requests, and what became of them.

use std::error::Error;
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{Request, StatusCode};
use kube::Client;
use kube::client::Body;
use pharos_core::access::Failure;
use pharos_core::diagnostic::Report;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::shapes::Page;
use super::transport::Presented;
use super::{Access, kubeconfig};

/// How often a list is begun anew when its pages have expired meanwhile.
const BEGINNINGS: usize = 3;

/// How often a request is made while the API server asks to come back later.
const TIMES: u32 = 5;

/// The least that is waited then, and all where it does not say how long.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

/// The most that is waited; who is asked to come back later than that is told so.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What came of a request that was answered.
enum Answer {
    Text(String),
    /// The API server has too much to do, and asks to come back after this time.
    Later(Duration),
}

/// What the API says of an error.
#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    code: u16,
    #[serde(default)]
    message: String,
}

/// A reader of one API.
pub(super) struct Reader {
    client: Client,
    presented: Presented,
    server: String,
    kubeconfig: String,
    timeout: Duration,
    page: u32,
}

impl Reader {
    pub(super) async fn open(access: &Access<'_>) -> Result<Self, Report> {
        let (client, presented, server) = kubeconfig::client(access).await?;
        let kubeconfig = access.kubeconfig.to_string_lossy().into_owned();
        Ok(Self { client, presented, server, kubeconfig, timeout: access.timeout, page: access.page })
    }

    /// The object at this path.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Report> {
        self.request(path).await.map_err(|failure| self.refusal(&failure, path))
    }

    /// Hands each item of a list over, page after page; no more than one page is in memory. `anew` is called when what was handed over
    /// so far no longer counts. False if the API has no such kind.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        mut anew: impl FnMut(),
        mut take: impl FnMut(T),
    ) -> Result<bool, Report> {
        let mut beginnings = 0;
        let mut next = String::new();
        loop {
            match self.request::<Page<T>>(&self.page_path(path, &next)).await {
                Ok(page) => {
                    page.items.into_iter().for_each(&mut take);
                    next = page.metadata.next;
                    if next.is_empty() {
                        return Ok(true);
                    }
                }
                // A page can be asked for some minutes long; a list that was read in part is of no use.
                Err(Failure::Status { status: 410, .. }) if !next.is_empty() && beginnings < BEGINNINGS => {
                    beginnings += 1;
                    next.clear();
                    anew();
                }
                Err(Failure::Status { status: 404, .. }) if next.is_empty() => return Ok(false),
                Err(failure) => return Err(self.refusal(&failure, path)),
            }
        }
    }

    /// The certificate that the API server has presented, in PEM; empty before the first answer.
    pub(super) fn presented(&self) -> Vec<u8> {
        self.presented.pem().unwrap_or_default()
    }

    /// The file that says how this API is reached.
    pub(super) fn kubeconfig(&self) -> &str {
        &self.kubeconfig
    }

    fn page_path(&self, path: &str, next: &str) -> String {
        let from = if next.is_empty() { String::new() } else { format!("&continue={}", escaped(next)) };
        format!("{path}?limit={}{from}", self.page)
    }

    async fn request<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let mut asked = 1;
        loop {
            // The client's own limits are for single reads and writes; a page has this long altogether.
            let answer = tokio::time::timeout(self.timeout, self.ask(path)).await;
            let answer = answer.map_err(|_| Failure::Timeout { seconds: self.timeout.as_secs() })?;
            match answer? {
                Answer::Text(text) => {
                    return serde_json::from_str(&text).map_err(|error| Failure::Shape { cause: place(&error) });
                }
                Answer::Later(wait) if asked < TIMES && wait <= LONGEST_WAIT => tokio::time::sleep(wait).await,
                Answer::Later(wait) => return Err(Failure::Throttled { asked, seconds: wait.as_secs() }),
            }
            asked += 1;
        }
    }

    /// One request, and what came of it.
    async fn ask(&self, path: &str) -> Result<Answer, Failure> {
        let request = Request::get(path).header("accept", "application/json").body(Body::empty());
        let request = request.map_err(|error| Failure::Shape { cause: error.to_string() })?;
        let response = self.client.send(request).await.map_err(|error| failure(&error))?;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            // The API server always states seconds; a date, which a proxy may state, counts as none.
            let stated = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
            return Ok(Answer::Later(stated.map_or(SHORTEST_WAIT, Duration::from_secs).max(SHORTEST_WAIT)));
        }
        let status = response.status();
        let bytes = response.into_body().collect_bytes().await.map_err(|error| failure(&error))?;
        let not_text = |_| Failure::Shape { cause: "it is not UTF-8".to_owned() };
        let text = String::from_utf8(bytes.to_vec()).map_err(not_text)?;
        if status.is_client_error() || status.is_server_error() {
            Err(refused(status, &text))
        } else {
            Ok(Answer::Text(text))
        }
    }

    fn refusal(&self, failure: &Failure, path: &str) -> Report {
        failure.refusal(&self.kubeconfig, &self.server, &format!("GET {path}"))
    }
}

/// An error's answer; what is no `Status` of Kubernetes comes from something before the API server.
fn refused(status: StatusCode, text: &str) -> Failure {
    match serde_json::from_str::<Status>(text) {
        Ok(Status { code: 0, .. }) => Failure::Shape { cause: "an error without a code".to_owned() },
        Ok(Status { code, message }) => Failure::Status { status: code, message },
        Err(_) => Failure::Status { status: status.as_u16(), message: text.trim().to_owned() },
    }
}

fn failure(error: &kube::Error) -> Failure {
    match error {
        kube::Error::Auth(_) => Failure::Plugin,
        other => Failure::Connection { cause: root_cause(other) },
    }
}

/// What lies at the bottom: the words above it only say which layer passed it on.
fn root_cause(error: &dyn Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

/// Where an answer does not fit. serde's own words may quote what stands there.
fn place(error: &serde_json::Error) -> String {
    let kind = if error.is_data() { "a field has another type or is missing" } else { "it is not JSON" };
    format!("{kind}, at line {} column {}", error.line(), error.column())
}

/// A query value, every byte that is not unreserved (RFC 3986) as `%XX`.
fn escaped(value: &str) -> String {
    use std::fmt::Write;
    value.bytes().fold(String::with_capacity(value.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}
