//! Names that lead to another server than their owner thinks.

use std::collections::BTreeMap;

use super::name::Form;
use super::site::{Listener, Server, Site};
use super::table::Reason;
use super::{Kind, Ours, at, codes, is_our_file, is_ours};
use crate::diagnostic::{Diagnostic, Findings, Place, Severity};

/// `edge/second-default-server`, `edge/duplicate-listen`, `edge/duplicate-server-name`, `edge/specific-address`,
/// `edge/answered-elsewhere`.
pub(super) fn judge(site: &Site<'_>, ours: &Ours, findings: &mut Findings) {
    for listener in &site.listeners {
        second_defaults(site, listener, ours, findings);
        duplicate_listens(site, listener, findings);
        duplicate_names(site, listener, ours, findings);
    }
    specific_addresses(site, ours, findings);
    answered_elsewhere(site, ours, findings);
}

fn second_defaults(site: &Site<'_>, listener: &Listener, ours: &Ours, findings: &mut Findings) {
    let Some((first, others)) = listener.claims.split_first() else { return };
    let first = site.listen(*first).and_then(|listen| listen.place.as_ref());
    for other in others {
        let second = site.listen(*other).and_then(|listen| listen.place.as_ref());
        let diagnostic = Diagnostic::error(
            codes::SECOND_DEFAULT_SERVER,
            format!("`{}` has a second default server", listener.endpoint),
        );
        let diagnostic = at(diagnostic, second, "nginx refuses this one");
        findings.push(at(diagnostic, first, "the first one").help(one_default(ours, [second, first])));
    }
}

/// Which of two default servers has to give way: never ours, which refuses the names that nobody has.
fn one_default(ours: &Ours, places: [Option<&Place>; 2]) -> String {
    let theirs: Vec<String> =
        places.into_iter().flatten().filter(|place| !is_our_file(ours, place.file())).map(line).collect();
    if let [theirs] = theirs.as_slice() {
        return format!(
            "remove `default_server` (or `default`) at {theirs}: its own names it goes on answering; the edge's server has to be the default"
        );
    }
    let places: Vec<String> = places.into_iter().flatten().map(line).collect();
    format!("remove `default_server` at {}", places.join(" or at "))
}

/// `file:line`.
fn line(place: &Place) -> String {
    format!("{}:{}", place.file(), place.span().map_or(0, |(start, _)| start.line))
}

fn duplicate_listens(site: &Site<'_>, listener: &Listener, findings: &mut Findings) {
    let mut seen: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut setter: Option<(usize, usize)> = None;
    for current in &listener.servers {
        let Some(listen) = site.listen(*current) else { continue };
        let mut collide = |message: String, first: (usize, usize), help: &str| {
            let first = site.listen(first).and_then(|listen| listen.place.as_ref());
            let diagnostic =
                at(Diagnostic::error(codes::DUPLICATE_LISTEN, message), listen.place.as_ref(), "again here");
            findings.push(at(diagnostic, first, "first here").help(help));
        };
        if let Some(first) = seen.insert(current.0, *current) {
            let message = format!("one server listens on `{}` twice", listener.endpoint);
            collide(message, first, "remove one of the two; `80`, `*:80` and `0.0.0.0:80` are the same");
            continue;
        }
        if listen.sets_socket {
            if let Some(first) = setter {
                let message = format!("options of the socket of `{}` are set twice", listener.endpoint);
                let help = "keep `ipv6only`, `reuseport`, `backlog` and the like in one `listen` of this address";
                collide(message, first, help);
            } else {
                setter = Some(*current);
            }
        }
    }
}

fn duplicate_names(site: &Site<'_>, listener: &Listener, ours: &Ours, findings: &mut Findings) {
    for (name, holder, ignored) in &listener.names.ignored {
        let (Some(first), Some(second)) = (site.server(*holder), site.server(*ignored)) else { continue };
        let touched = ours.hosts.iter().any(|host| host == name) || is_ours(ours, first) || is_ours(ours, second);
        let severity = if touched && holder != ignored { Severity::Error } else { Severity::Warning };
        let shown = if name.is_empty() { "the server without a name" } else { name };
        let message = format!("`{shown}` on `{}` belongs to another server already", listener.endpoint);
        let diagnostic = Diagnostic { severity, ..Diagnostic::error(codes::DUPLICATE_SERVER_NAME, message) };
        let diagnostic = at(diagnostic, second.place(), "nginx ignores the name here and only warns");
        let help = match (holder == ignored, name.is_empty()) {
            (true, _) => format!("write `{shown}` once"),
            (false, true) => {
                format!("give one of the two a `server_name`, or another address than `{}`", listener.endpoint)
            }
            (false, false) => match theirs(ours, [first, second]) {
                Some(place) => format!("remove `{shown}` from the server at {}, or the server", line(place)),
                None => format!("remove `{shown}` from one of the two servers, or the server"),
            },
        };
        findings.push(at(diagnostic, first.place(), "this server answers it").help(help));
    }
}

/// The place of the one of two servers that is not ours, if the other one is.
fn theirs<'a>(ours: &Ours, servers: [&'a Server<'_>; 2]) -> Option<&'a Place> {
    match servers.map(|server| is_our_file(ours, server.file())) {
        [true, false] => servers[1].place(),
        [false, true] => servers[0].place(),
        _ => None,
    }
}

/// Servers on a wildcard address that are not reached through a specific one of the same port.
fn specific_addresses(site: &Site<'_>, ours: &Ours, findings: &mut Findings) {
    for specific in site.listeners.iter().filter(|listener| listener.kind == Kind::Http) {
        if specific.endpoint.ip().is_some()
            && !specific.endpoint.is_wildcard()
            && let Some(wildcard) = site.wildcard_of(specific)
        {
            taken(site, specific, wildcard, ours, findings);
        }
    }
}

/// `edge/answered-elsewhere`: listeners on all addresses of a family on which none of our servers listens, though they do on
/// those of the other.
fn answered_elsewhere(site: &Site<'_>, ours: &Ours, findings: &mut Findings) {
    let has_ours = |listener: &Listener| {
        listener.servers.iter().any(|(index, _)| site.server(*index).is_some_and(|server| is_ours(ours, server)))
    };
    for port in &ours.ports {
        let wildcards = || site.http_on(*port).filter(|listener| listener.endpoint.is_wildcard());
        let Some(own) = wildcards().find(|listener| has_ours(listener)) else { continue };
        for foreign in wildcards().filter(|listener| !has_ours(listener)) {
            let message = format!("our hosts are answered by other servers on `{}`", foreign.endpoint);
            let diagnostic = at(
                Diagnostic::warning(codes::ANSWERED_ELSEWHERE, message),
                site.place_of(foreign),
                "none of our servers listens there",
            );
            findings.push(at(diagnostic, site.place_of(own), "only here").help(format!(
                "let our servers listen on `{}` too (`edge_listen_addresses`), or keep the addresses of that family out of the DNS",
                foreign.endpoint
            )));
        }
    }
}

fn taken(site: &Site<'_>, specific: &Listener, wildcard: &Listener, ours: &Ours, findings: &mut Findings) {
    let mut names: Vec<String> = Vec::new();
    let mut touched = false;
    for (index, _) in &wildcard.servers {
        let Some(server) = site.server(*index) else { continue };
        for name in server.names.iter().filter(|name| matches!(name.form, Form::Exact | Form::HeadOrExact)) {
            let answers = |listener: &Listener| listener.select(&name.text).0;
            if !name.text.is_empty() && answers(wildcard) == *index && answers(specific) != *index {
                names.push(name.to_text());
                let asked = ours.files.is_empty() && ours.hosts.iter().any(|host| **host == *name.text);
                touched |= asked || is_ours(ours, server);
            }
        }
    }
    if names.is_empty() {
        return;
    }
    let severity = if touched && !specific.endpoint.is_local() { Severity::Error } else { Severity::Warning };
    let shown: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
    let more = names.len().checked_sub(4).map_or(String::new(), |n| format!(" and {} more", n + 1));
    let message = format!(
        "`{}` takes its traffic away from `{}`: {}{more}",
        specific.endpoint,
        wildcard.endpoint,
        shown.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    );
    let diagnostic = Diagnostic { severity, ..Diagnostic::error(codes::SPECIFIC_ADDRESS, message) };
    let diagnostic = at(diagnostic, site.place_of(specific), "servers of this address alone answer there");
    let diagnostic = at(diagnostic, site.place_of(wildcard), "these servers are not asked");
    let port = specific.endpoint.port().unwrap_or_default();
    findings.push(diagnostic.help(format!(
        "write `listen {port}` instead, or let the other servers listen on `{}` as well",
        specific.endpoint
    )));
}

/// How a server came to be chosen, for people.
pub(super) fn because(reason: Reason) -> &'static str {
    match reason {
        Reason::Exact => "it has this name",
        Reason::Head | Reason::Tail => "a wildcard name of it fits",
        Reason::Regex => "a regular expression of it fits",
        Reason::Default => "it is the default server there",
        Reason::Unsure => "it is the answer unless a regular expression fits that cannot be judged here",
    }
}
