//! What is asked: one request, and who sends it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::Address;
use super::codes;
use super::vantage::Vantage;
use crate::diagnostic::{Code, Diagnostic, Findings, Place, Report};
use crate::name::{DnsLabel, LabelKey, LabelValue, NameError, Namespace, Network, Port};

/// The longest target, Host or header value, in bytes. nginx holds a request line in 8 KiB and answers 414 beyond that, if nobody told
/// it otherwise.
pub const MAX_TEXT: usize = 4096;

/// The longest SNI, in bytes (RFC 6066 names a host name, which has no more).
const MAX_SNI: usize = 255;

/// A question as it is asked. Everything but the address is what a well-behaved client would send there unless it is given.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionDocument {
    /// `https://host[:port]/path[?query]`, as it stands: nothing of it is decoded, merged or put into lower case.
    pub url: String,
    /// The address or network that the request comes from; without it somebody whom no rule names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Who sends it.
    #[serde(default)]
    pub by: CallerWord,
    /// With `pod`: the pod's namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// With `pod`: the pod's labels, as Kubernetes writes them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The method; `GET` without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The request target as it is sent: for absolute forms, and for what no URL can hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The name in the TLS handshake; an empty one stands for a client that sends none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sni: Option<String>,
    /// The `Host` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// An `X-Forwarded-For` header that the caller makes up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forwarded_for: Option<String>,
    /// Whether the request asks for a WebSocket.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub websocket: bool,
    /// With a gateway that is spoken to over HTTPS, the certificate that it presents to the edge; without it, the one that it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway: Option<PresentedGateway>,
    /// The certificate that the backend presents; without it, the one that it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<Presented>,
}

/// The certificate that the gateway presents to the edge.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PresentedGateway {
    /// Whether it chains to the bundle that the policy names in `edge.gateway.trust`.
    pub trusted: bool,
    /// The names in it.
    #[serde(default)]
    pub names: Vec<String>,
}

/// The certificate that a backend presents.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Presented {
    /// Whose CA signed it: a trust reference of the catalogue, or any other name for a CA of nobody's.
    pub signed_by: DnsLabel,
    /// The names in it.
    #[serde(default)]
    pub names: Vec<String>,
    /// SHA-256 of it, 64 digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Who sends a request.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallerWord {
    /// A client of the public edge.
    #[default]
    Client,
    /// A process of an edge host that speaks to the gateway itself, past its nginx.
    Edge,
    /// A process of a cluster node that speaks to the gateway itself.
    Node,
    /// A pod that speaks to the gateway itself.
    Pod,
}

/// Who sends a request, with what is known of them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Caller {
    /// A client of the public edge.
    Client,
    /// A process of an edge host, past its nginx.
    Edge,
    /// A process of a cluster node.
    Node,
    /// A pod.
    Pod {
        /// Its namespace.
        namespace: Namespace,
        /// Its labels.
        labels: BTreeMap<String, String>,
    },
}

/// A question: everything in it can be sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Question {
    /// Who sends it.
    pub caller: Caller,
    /// Where it comes from.
    pub from: Vantage,
    /// The port that is connected to.
    pub port: Port,
    /// The name in the TLS handshake; `None` if none is sent.
    pub sni: Option<Box<str>>,
    /// The method.
    pub method: Box<str>,
    /// The request target.
    pub target: Box<str>,
    /// The `Host` header.
    pub host: Box<str>,
    /// A forged `X-Forwarded-For`.
    pub forwarded_for: Option<Box<str>>,
    /// Whether it asks for a WebSocket.
    pub websocket: bool,
    /// The certificate that the gateway presents to the edge, if it is not the right one.
    pub gateway: Option<PresentedGateway>,
    /// The certificate that the backend presents, if it is not the right one.
    pub backend: Option<Presented>,
}

impl Question {
    /// From the document.
    ///
    /// # Errors
    /// `explain/url`, `explain/from`, `explain/caller` and `explain/unsendable`, all that apply.
    pub fn parse(document: &QuestionDocument) -> Result<Self, Report> {
        let mut findings = Findings::new();
        let address = Address::parse(&document.url).map_err(|refusal| findings.push(refusal)).ok();
        let from = vantage(document.from.as_deref()).map_err(|refusal| findings.push(refusal)).ok();
        let caller = caller(document, &mut findings);
        let caller = caller.map_err(|refusal| findings.push(refusal)).ok();
        judge_texts(document, &mut findings);
        let (parts, report) = findings.conclude(address.zip(from).zip(caller))?;
        let Some(((address, from), caller)) = parts else { return Err(report) };
        let own = |text: &Option<String>| text.as_deref().map(Box::from);
        let sni = own(&document.sni).or(address.sni).filter(|name| !name.is_empty());
        Ok(Self {
            caller,
            from,
            port: address.port,
            sni,
            method: own(&document.method).unwrap_or_else(|| "GET".into()),
            target: own(&document.target).unwrap_or(address.target),
            host: own(&document.host).unwrap_or(address.host),
            forwarded_for: own(&document.forwarded_for),
            websocket: document.websocket,
            gateway: document.gateway.clone(),
            backend: document.backend.clone(),
        })
    }
}

/// An address or a network, or nothing.
fn vantage(text: Option<&str>) -> Result<Vantage, Diagnostic> {
    let Some(text) = text else { return Ok(Vantage::Anywhere) };
    Network::of_sender(text).map(Vantage::Network).map_err(|error| refused(codes::FROM, "from", error))
}

/// A name that is none, under what the question calls it.
fn refused(code: Code, field: &str, error: NameError) -> Diagnostic {
    Diagnostic::error(code, error.message).at(Place::named(field), "").help(error.help)
}

fn caller(document: &QuestionDocument, findings: &mut Findings) -> Result<Caller, Diagnostic> {
    let unfit = |message: &str, help: &str| {
        Err(Diagnostic::error(codes::CALLER, message).at(Place::named("by"), "").help(help))
    };
    match (document.by, &document.namespace) {
        (CallerWord::Pod, Some(namespace)) => {
            judge_labels(&document.labels, findings);
            let namespace = namespace.parse().map_err(|error| refused(codes::CALLER, "namespace", error))?;
            Ok(Caller::Pod { namespace, labels: document.labels.clone() })
        }
        (CallerWord::Pod, None) => {
            unfit("a pod is asked about without its namespace", "say which namespace the pod is of")
        }
        (_, Some(_)) => {
            unfit("a namespace is named, and who sends the request has none", "leave it out, or ask about a pod")
        }
        _ if !document.labels.is_empty() => {
            unfit("labels are named, and who sends the request has none", "leave them out, or ask about a pod")
        }
        (CallerWord::Client, None) => Ok(Caller::Client),
        (CallerWord::Edge, None) => Ok(Caller::Edge),
        (CallerWord::Node, None) => Ok(Caller::Node),
    }
}

/// No pod has a label that Kubernetes does not take: a slip would be asked about as another pod.
fn judge_labels(labels: &BTreeMap<String, String>, findings: &mut Findings) {
    for (key, value) in labels {
        let unfit = [key.parse::<LabelKey>().err(), value.parse::<LabelValue>().err()];
        for error in unfit.into_iter().flatten() {
            findings.push(refused(codes::CALLER, "labels", error));
        }
    }
}

/// What a line of a request or a handshake cannot hold.
fn judge_texts(document: &QuestionDocument, findings: &mut Findings) {
    let fields = [
        ("method", &document.method, MAX_TEXT),
        ("target", &document.target, MAX_TEXT),
        ("host", &document.host, MAX_TEXT),
        ("forwarded_for", &document.forwarded_for, MAX_TEXT),
        ("sni", &document.sni, MAX_SNI),
    ];
    for (name, text, most) in fields {
        let Some(text) = text else { continue };
        let fault = if text.len() > most {
            format!("`{name}` has more than {most} bytes")
        } else if text.contains(['\r', '\n', '\0']) {
            format!("`{name}` holds a line break or a NUL, which would end it")
        } else if name == "sni" && !text.is_ascii() {
            "`sni` is not ASCII".to_owned()
        } else if name == "method" && (text.is_empty() || text.contains(' ')) {
            "`method` is empty or holds a blank, which would end it".to_owned()
        } else {
            continue;
        };
        findings.push(
            Diagnostic::error(codes::UNSENDABLE, fault).at(Place::named(name), "").help(
                "ask for a text that fits into its line of the request; a byte of another meaning is written `%XX`",
            ),
        );
    }
    if document.websocket && document.method.as_deref().is_some_and(|method| method != "GET") {
        findings.push(
            Diagnostic::error(codes::UNSENDABLE, "a WebSocket is asked for with another method than `GET`")
                .at(Place::named("method"), "")
                .help("leave `method` out, or `websocket`"),
        );
    }
}
