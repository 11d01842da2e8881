//! The edge's nginx as a model: what it answers by itself, and what it sends on.
//!
//! It walks the rendered directives. What nginx does with a request before and between them is written down here from its sources
//! (release 1.22.1 and 1.26.3, `src/http`), each function beside the one that it follows; the tests hold all of it against the
//! real program. Requests are those of HTTP/1.1.

mod path;
mod request;
mod server;

pub use path::normalise;

use super::answer::{Answered, Divided};
use super::question::Question;
use super::vantage::{Lies, Vantage};
use crate::catalogue::Transport;
use crate::edge::nginx::Directive;
use crate::name::DnsLabel;
use request::{host_name, request_line};
pub use server::Verification;
use server::{AccessRule, Found, Location, Rules, Server, Servers};

/// The HTTPS file of an edge, made ready to be asked.
pub struct Edge(Servers);

/// What an edge makes of a request.
#[derive(Debug, Eq, PartialEq)]
pub struct Step<'a> {
    /// The path that locations were matched with, as far as it came to that.
    pub path: Option<Vec<u8>>,
    /// The name of the server; `None` for the one that answers all others, and where none was reached.
    pub server: Option<&'a str>,
    /// The location, as it is written.
    pub location: Option<&'a str>,
    /// What decides.
    pub outcome: Outcome<'a>,
}

/// What becomes of a request.
#[derive(Debug, Eq, PartialEq)]
pub enum Outcome<'a> {
    /// It goes on to the gateway.
    Passed(Passed<'a>),
    /// It ends here.
    Refused(Answered, Reason<'a>),
}

/// A request as the edge sends it on.
#[derive(Debug, Eq, PartialEq)]
pub struct Passed<'a> {
    /// The route.
    pub route: &'a DnsLabel,
    /// The access rule that admitted the sender, if there are any.
    pub admitted_by: Option<&'a str>,
    /// The `Host` header.
    pub host: &'a str,
    /// The request target: `proxy_pass` without a path sends the one that came. Only where an absolute form had no path it is
    /// made anew, with a slash.
    pub target: Vec<u8>,
    /// What is spoken to the gateway for the route.
    pub transport: Transport,
    /// Whether a request for a WebSocket goes on as one; without that, the header that asks for it is taken out.
    pub upgraded: bool,
    /// How the gateway is verified; `None` if it is spoken to in plain text.
    pub verified: Option<&'a Verification>,
    /// Who sent it: the one address in `X-Forwarded-For`, whatever the sender made up.
    pub forwarded_for: Vantage,
}

/// Why a request ends at the edge.
#[derive(Debug, Eq, PartialEq)]
pub enum Reason<'a> {
    /// Nothing listens on the port.
    NoListener,
    /// No server has the name that the handshake asks for.
    UnknownServerName,
    /// The request line is none.
    RequestLine,
    /// The path holds a broken escape or an encoded NUL, or leads above the root.
    Path,
    /// The host of the request line or header is none.
    Host,
    /// `TRACE` and `CONNECT` are answered for no host.
    Method,
    /// No server has the name that the request asks for.
    UnknownHost,
    /// A variable of the path is set.
    RefusedPath {
        /// The variable.
        variable: &'a str,
        /// The route of the location that says so; `None` if the whole host does.
        route: Option<&'a DnsLabel>,
    },
    /// No location leads to a route.
    NoRoute,
    /// The path lacks the final slash of a location.
    Redirect {
        /// The route of that.
        route: Option<&'a DnsLabel>,
    },
    /// An access rule.
    Access {
        /// The rule.
        rule: &'a str,
        /// The route.
        route: Option<&'a DnsLabel>,
    },
}

impl<'a> Reason<'a> {
    /// The route that the request belonged to, as far as one was chosen.
    pub fn route(&self) -> Option<&'a DnsLabel> {
        match self {
            Self::RefusedPath { route, .. } | Self::Access { route, .. } | Self::Redirect { route } => *route,
            _ => None,
        }
    }
}

impl Edge {
    /// From the directives of the HTTPS file.
    pub fn of(directives: &[Directive]) -> Self {
        Self(Servers::of(directives))
    }

    /// What becomes of a request.
    ///
    /// # Errors
    /// [`Divided`] if an access rule takes a part of the network that it comes from.
    pub fn walk(&self, question: &Question) -> Result<Step<'_>, Divided> {
        let mut step = Step {
            path: None,
            server: None,
            location: None,
            outcome: Outcome::Refused(Answered::Unreachable, Reason::NoListener),
        };
        step.outcome = match self.walked(question, &mut step) {
            Ok(passed) => Outcome::Passed(passed),
            Err(End::Refused(answered, reason)) => Outcome::Refused(answered, reason),
            Err(End::Divided(divided)) => return Err(divided),
        };
        Ok(step)
    }

    fn walked<'a>(&'a self, question: &Question, step: &mut Step<'a>) -> Result<Passed<'a>, End<'a>> {
        let listener =
            self.0.listener(question.port.get()).ok_or(End::Refused(Answered::Unreachable, Reason::NoListener))?;
        // `ngx_http_ssl_servername`: a name that is none counts as one that nobody has.
        let asked = question.sni.as_deref().and_then(|name| host_name(name.as_bytes()));
        let greeted = self.0.server(listener, asked.as_deref());
        if greeted.is_none_or(|server| server.rejects_handshake) {
            return Err(End::Refused(Answered::Handshake, Reason::UnknownServerName));
        }
        let bad = |reason| End::Refused(Answered::Status(400), reason);
        let line = request_line(&question.method, question.target.as_bytes()).ok_or(bad(Reason::RequestLine))?;
        let path = normalise(line.uri).ok_or(bad(Reason::Path))?;
        // `ngx_http_process_host`: the header must be sound although an absolute form goes before it.
        let in_line = line.host.map(|host| host_name(host).ok_or(bad(Reason::Host))).transpose()?;
        let in_header = host_name(trim(&question.host)).ok_or(bad(Reason::Host))?;
        // `ngx_http_process_request_header`
        if matches!(&*question.method, "TRACE" | "CONNECT") {
            return Err(End::Refused(Answered::Status(405), Reason::Method));
        }
        let name = in_line.unwrap_or(in_header);
        let server = self.0.server(listener, Some(&name)).ok_or(bad(Reason::UnknownHost))?;
        step.server = server.name.as_deref();
        step.path = Some(path.clone());
        self.rewritten(&server.rules, line.uri, None, Reason::UnknownHost)?;
        match server.location(&path) {
            None => Err(End::Refused(Answered::Status(404), Reason::NoRoute)),
            Some(Found::Redirect(location)) => {
                step.location = Some(&location.text);
                Err(End::Refused(Answered::Status(301), Reason::Redirect { route: location.route.as_ref() }))
            }
            Some(Found::Location(location)) => {
                step.location = Some(&location.text);
                self.passed(server, location, line.uri, question.from)
            }
        }
    }

    /// The rewrite phase of a server or location: its conditions, then its `return`.
    fn rewritten<'a>(
        &self,
        rules: &'a Rules,
        uri: &[u8],
        route: Option<&'a DnsLabel>,
        otherwise: Reason<'a>,
    ) -> Result<(), End<'a>> {
        if let Some(refusal) = rules.refusals.iter().find(|refusal| self.0.is_set(&refusal.variable, uri)) {
            let reason = Reason::RefusedPath { variable: &refusal.variable, route };
            return Err(End::Refused(Answered::Status(refusal.status), reason));
        }
        rules.answer.map_or(Ok(()), |status| Err(End::Refused(Answered::Status(status), otherwise)))
    }

    fn passed<'a>(
        &self,
        server: &'a Server,
        location: &'a Location,
        uri: &[u8],
        from: Vantage,
    ) -> Result<Passed<'a>, End<'a>> {
        let route = location.route.as_ref();
        self.rewritten(&location.rules, uri, route, Reason::NoRoute)?;
        let rule = deciding(&location.rules.access, from).map_err(End::Divided)?;
        if let Some(rule) = rule.filter(|rule| !rule.allow) {
            return Err(End::Refused(Answered::Status(403), Reason::Access { rule: &rule.text, route }));
        }
        let route = route.ok_or(End::Refused(Answered::Status(404), Reason::NoRoute))?;
        let slash: &[u8] = if uri.first() == Some(&b'/') { b"" } else { b"/" };
        Ok(Passed {
            route,
            admitted_by: rule.map(|rule| &*rule.text),
            host: server.host_sent.as_deref().unwrap_or_default(),
            target: [slash, uri].concat(),
            transport: location.transport,
            upgraded: self.0.upgrades(server, location),
            verified: server.verification(location),
            forwarded_for: from,
        })
    }
}

/// How a walk ends early.
enum End<'a> {
    Refused(Answered, Reason<'a>),
    Divided(Divided),
}

/// Blanks around a header's value are no part of it.
fn trim(value: &str) -> &[u8] {
    value.trim_matches(' ').as_bytes()
}

/// `ngx_http_access_handler`: the first rule that takes the address; `None` if there is none.
fn deciding(rules: &[AccessRule], from: Vantage) -> Result<Option<&AccessRule>, Divided> {
    for rule in rules {
        match rule.network.as_ref().map_or(Lies::Inside, |network| from.lies(network)) {
            Lies::Inside => return Ok(Some(rule)),
            Lies::Outside => {}
            Lies::Partly => return Err(Divided { from, rule: (*rule.text).to_owned() }),
        }
    }
    Ok(None)
}
