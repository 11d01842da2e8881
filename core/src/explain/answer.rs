//! What is answered: a verdict, and for each hop the rule that decides there.

use serde_json::{Value, json};

use super::codes;
use super::vantage::Vantage;
use crate::catalogue::Transport;
use crate::diagnostic::{Diagnostic, Label, Place, Report};
use crate::name::DnsLabel;

/// Whether a request reaches its backend.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It does; where no gateway is described, the edge passes it on.
    Allow,
    /// It ends before.
    Deny,
}

impl Verdict {
    /// `allow` or `deny`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// What somebody sees whose request ends before the backend.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answered {
    /// An answer of this status.
    Status(u16),
    /// A TLS alert in place of a handshake.
    Handshake,
    /// No connection.
    Unreachable,
}

impl Answered {
    fn status(self) -> Option<u16> {
        match self {
            Self::Status(status) => Some(status),
            Self::Handshake | Self::Unreachable => None,
        }
    }

    /// For people.
    pub(super) fn words(self) -> String {
        match self {
            Self::Status(status) => format!("status {status}"),
            Self::Handshake => "the TLS handshake is refused".to_owned(),
            Self::Unreachable => "there is no connection".to_owned(),
        }
    }

    /// `status`, `handshake` or `unreachable`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Status(_) => "status",
            Self::Handshake => "handshake",
            Self::Unreachable => "unreachable",
        }
    }
}

/// A part of the way.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HopName {
    /// The edge's nginx.
    Edge,
    /// Who may connect to the gateway.
    Entrance,
    /// How the edge verifies a gateway that it speaks HTTPS to.
    EntranceTrust,
    /// The gateway's Envoy, and the route that it chooses.
    Gateway,
    /// Who may use the route.
    Authorization,
    /// How the backend is verified.
    Trust,
    /// The Service.
    Service,
    /// Whether the gateway's pods reach the backend's.
    NetworkPolicy,
}

impl HopName {
    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Edge => "edge",
            Self::Entrance => "entrance",
            Self::EntranceTrust => "entrance_trust",
            Self::Gateway => "gateway",
            Self::Authorization => "authorization",
            Self::Trust => "trust",
            Self::Service => "service",
            Self::NetworkPolicy => "network_policy",
        }
    }
}

/// What decides at a part of the way.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Hop {
    /// Which part.
    pub name: HopName,
    /// What is seen of it; `None` if it lets the request through.
    pub refused: Option<Answered>,
    /// The rendered object that holds the rule, as its own program names it.
    pub object: String,
    /// The rule, in words.
    pub rule: String,
    /// Where the rule comes from in the sources, the deciding place first; empty for what a program does by itself.
    pub places: Vec<Label>,
}

impl Hop {
    /// Its verdict.
    pub fn verdict(&self) -> Verdict {
        if self.refused.is_some() { Verdict::Deny } else { Verdict::Allow }
    }
}

/// The path of a request at three points of its way; as bytes, for it may hold any.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Paths {
    /// The request target as it was sent.
    pub raw: Vec<u8>,
    /// What the edge chose its location by; `None` where it came to none.
    pub edge: Option<Vec<u8>>,
    /// What the gateway chose its route by; `None` where the request did not come so far.
    pub gateway: Option<Vec<u8>>,
}

/// The answer to a question.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// Where the request comes from.
    pub from: Vantage,
    /// The path, as each sees it.
    pub paths: Paths,
    /// The route that the request belongs to, as far as one was chosen.
    pub route: Option<DnsLabel>,
    /// What that route speaks.
    pub transport: Option<Transport>,
    /// Of a request for a WebSocket that reaches its backend: whether it does so as one. Otherwise it arrives as a plain request, which
    /// no WebSocket comes of.
    pub upgraded: Option<bool>,
    /// Whether the whole way is described, to the backend. Otherwise it ends at the edge: what stands behind it was not judged.
    pub to_backend: bool,
    /// The hops in the order of the way, up to the one that refuses.
    pub hops: Vec<Hop>,
}

impl Answer {
    /// The hop that refuses; `None` if all let the request through.
    pub fn refusal(&self) -> Option<&Hop> {
        self.hops.iter().find(|hop| hop.refused.is_some())
    }

    /// Whether the request reaches its backend.
    pub fn verdict(&self) -> Verdict {
        if self.refusal().is_some() { Verdict::Deny } else { Verdict::Allow }
    }

    /// As a value for programs: `{verdict, refused_by, answered, status, judged_to, from, route, transport, upgraded,
    /// paths: {raw, edge, gateway}, hops}`; `judged_to` is `backend`, or `edge` where no gateway is described; a hop has `{hop, verdict, answered, status, object, rule, places}`, a place `{file, line, column, key, text}`.
    pub fn view(&self) -> Value {
        let refusal = self.refusal();
        let answered = refusal.and_then(|hop| hop.refused);
        json!({
            "verdict": self.verdict().word(),
            "refused_by": refusal.map(|hop| hop.name.word()),
            "answered": answered.map(Answered::word),
            "status": answered.and_then(Answered::status),
            "judged_to": if self.to_backend { "backend" } else { "edge" },
            "from": self.from.to_string(),
            "route": self.route,
            "transport": self.transport,
            "upgraded": self.upgraded.filter(|_| refusal.is_none()),
            "paths": {
                "raw": text(&self.paths.raw),
                "edge": self.paths.edge.as_deref().map(text),
                "gateway": self.paths.gateway.as_deref().map(text),
            },
            "hops": self.hops.iter().map(hop).collect::<Vec<_>>(),
        })
    }
}

fn hop(hop: &Hop) -> Value {
    json!({
        "hop": hop.name.word(),
        "verdict": hop.verdict().word(),
        "answered": hop.refused.map(Answered::word),
        "status": hop.refused.and_then(Answered::status),
        "object": hop.object,
        "rule": hop.rule,
        "places": hop.places.iter().map(place).collect::<Vec<_>>(),
    })
}

fn place(label: &Label) -> Value {
    let start = label.place.span().map(|(start, _)| start);
    json!({
        "file": label.place.file(),
        "line": start.map(|start| start.line),
        "column": start.map(|start| start.column),
        "key": label.place.key(),
        "text": label.text,
    })
}

/// Bytes of a path as a text: what is no letter of UTF-8, or no letter to see, is written `\xNN`.
pub(super) fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() {
                text.extend(letter.escape_default());
            } else {
                text.push(letter);
            }
        }
        text.extend(chunk.invalid().iter().flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from));
    }
    text
}

/// A network of which a rule takes a part: there is no one answer for all of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Divided {
    /// The network that was asked about.
    pub from: Vantage,
    /// The rule.
    pub rule: String,
}

impl From<Divided> for Report {
    fn from(divided: Divided) -> Self {
        let Divided { from, rule } = divided;
        let message = format!("`{rule}` takes a part of `{from}` alone, so there is no one answer for all of it");
        Self::from(
            Diagnostic::error(codes::DIVIDED_NETWORK, message)
                .at(Place::named("from"), "")
                .help("ask about the part that the rule names, and about an address outside it"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn every_byte_can_be_seen() {
        assert_eq!(text(b"/a\n\x00\xff/\xc3\xa9"), "/a\\n\\u{0}\\xff/\u{e9}");
    }
}
