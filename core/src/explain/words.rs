//! What decided at the edge, in words and with its places.

use super::edge::{Outcome, Passed, Reason, Step};
use super::question::Question;
use super::sources::Sources;
use super::vantage::Vantage;
use crate::diagnostic::Label;

/// The rule, and where it comes from.
pub(super) fn of_edge(step: &Step<'_>, question: &Question, sources: &Sources) -> (String, Vec<Label>) {
    match &step.outcome {
        Outcome::Passed(passed) => of_passed(passed, question, sources),
        Outcome::Refused(_, reason) => of_refused(reason, step, question, sources),
    }
}

fn of_passed(passed: &Passed<'_>, question: &Question, sources: &Sources) -> (String, Vec<Label>) {
    let mut places = sources.route(passed.route, "/match", "the path");
    let mut rule = format!("the path is that of route `{}`", passed.route);
    if let Some(admitted_by) = passed.admitted_by {
        rule = format!("{rule}, and `{admitted_by}` admits {}", question.from);
        places.extend(sources.policy("/edge/management_networks", "who may use it"));
    }
    if question.websocket {
        rule.push_str(if passed.upgraded {
            "; the WebSocket goes on"
        } else {
            "; what asks for a WebSocket is taken out of the request"
        });
        let says = if passed.upgraded { "it is one of WebSockets" } else { "it has no `websocket: true`" };
        places.extend(sources.route(passed.route, if passed.upgraded { "/websocket" } else { "" }, says));
    }
    (rule, places)
}

fn of_refused(reason: &Reason<'_>, step: &Step<'_>, question: &Question, sources: &Sources) -> (String, Vec<Label>) {
    let server = step.server.unwrap_or_default();
    let origins = || sources.policy("/edge/origins", "the names that are served");
    match reason {
        Reason::NoListener => (format!("no origin has port {}", question.port), origins()),
        Reason::UnknownServerName => match question.sni.as_deref() {
            Some(name) => {
                (format!("no origin has the name `{}`, which the handshake asks for", name.escape_debug()), origins())
            }
            None => ("the handshake asks for no name".to_owned(), origins()),
        },
        Reason::RequestLine => ("nginx takes this for no request line".to_owned(), Vec::new()),
        Reason::Path => {
            ("the path has a broken escape or an encoded NUL, or leads above the root".to_owned(), Vec::new())
        }
        Reason::Host => ("nginx takes this for no host name".to_owned(), Vec::new()),
        Reason::Method => (format!("nginx passes on no `{}`", question.method), Vec::new()),
        Reason::UnknownHost => ("no origin has the name that the request asks for".to_owned(), origins()),
        Reason::RefusedPath { variable, route } => {
            let rule = format!("the path holds `{}`, which is not passed on here", odd(variable, &question.target));
            let places = match route {
                Some(route) => sources.route(route, "", "it has no `encoded_slashes`"),
                None => sources.host(server, "/name", "no route of it takes that"),
            };
            (rule, places)
        }
        Reason::NoRoute => {
            let mut places = sources.host(server, "/routes", "none of these takes the path");
            places.extend(sources.origin(server, "the host"));
            ("no route of this host takes the path".to_owned(), places)
        }
        Reason::Redirect { route } => {
            let places = route.map(|route| sources.route(route, "/match", "the path")).unwrap_or_default();
            ("nginx redirects to the path with a final slash".to_owned(), places)
        }
        Reason::Access { rule, route } => {
            let mut places = route.map(|route| sources.route(route, "/access", "")).unwrap_or_default();
            places.extend(sources.policy("/edge/management_networks", "who may use it"));
            (
                format!("`{rule}`: {} is neither the edge host nor in a management network", sender(question.from)),
                places,
            )
        }
    }
}

/// A sender as the subject of a sentence.
pub(super) fn sender(from: Vantage) -> String {
    match from {
        Vantage::Anywhere => "somebody whom no rule names".to_owned(),
        Vantage::Network(_) => from.to_string(),
    }
}

/// The first thing in a target that one reader of paths may take for what another does not.
fn odd(variable: &str, target: &str) -> &'static str {
    let path = target.split('?').next().unwrap_or_default();
    // The slashes after the scheme of an absolute form are none of the path's.
    let path = path.find("://").and_then(|at| path.get(at + 3..)).unwrap_or(path);
    let never: &[&'static str] = &["\\", "%5c", "%5C", "#"];
    let elsewhere: &[&'static str] = if variable == "$pharos_refused_path" { &[] } else { &["%2f", "%2F", "//", ";"] };
    let found = never.iter().chain(elsewhere).filter_map(|odd| Some((path.find(odd)?, *odd)));
    found.min().map_or("", |(_, odd)| odd)
}

/// The part of the configuration that decides.
pub(super) fn edge_object(step: &Step<'_>) -> String {
    match (&step.outcome, step.server, step.location) {
        (Outcome::Refused(_, Reason::NoListener), ..) => "no `listen`".to_owned(),
        (Outcome::Refused(_, Reason::UnknownServerName), ..) => {
            "the default server, `ssl_reject_handshake on`".to_owned()
        }
        (Outcome::Refused(_, Reason::RequestLine | Reason::Path | Reason::Host | Reason::Method), ..) => {
            "nginx itself, before any server is asked".to_owned()
        }
        (_, None, _) => "the default server, `return 421`".to_owned(),
        (_, Some(server), None) => format!("server {server}"),
        (_, Some(server), Some(location)) => format!("server {server}, {location}"),
    }
}
