//! What a server does with a request for a path: the part of nginx's phases that decides whether an ACME challenge is served.

use super::location::{Chosen, choose};
use super::name::regex;
use super::site::Server;
use crate::diagnostic::Place;
use crate::edge::nginx::{Body, Directive, Word, glob};

/// What the request gets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer {
    /// The file of this path.
    File(String),
    /// Something else: what, and where that is said.
    Other(String, Option<Place>),
    /// The core cannot tell; the place of what decides.
    Unsure(Option<Place>),
}

/// A plain HTTP request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The Host header, in the form of [`host_of`](super::name::host_of).
    pub host: &'a str,
    /// The path.
    pub path: &'a str,
    /// The port that it came in on.
    pub port: u16,
}

/// What this server answers. `http` is what stands beside it in the `http` block: settings that it inherits.
pub fn answer(server: &Server<'_>, http: &[&Directive], request: Request<'_>) -> Answer {
    if let Some(answer) = rewrites(server.directive.children(), request) {
        return answer;
    }
    let Chosen { blocks, sure } = choose(server.directive, request.path);
    if !sure {
        return Answer::Unsure(server.place().cloned());
    }
    let location = blocks.last().copied();
    if let Some(answer) = location.and_then(|location| rewrites(location.children(), request)) {
        return answer;
    }
    let mut levels: Vec<Vec<&Directive>> = vec![http.to_vec(), server.directive.children().iter().collect()];
    levels.extend(blocks.iter().map(|block| block.children().iter().collect()));
    let own = location.unwrap_or(server.directive);
    restriction(&levels).or_else(|| handler(own)).unwrap_or_else(|| file(&levels, &blocks, request))
}

/// The rewrite phase of a block; `None` if the request goes on.
fn rewrites(directives: &[Directive], request: Request<'_>) -> Option<Answer> {
    for directive in directives {
        match directive.name.as_str() {
            "return" => {
                return Some(Answer::Other(returned(directive), directive.place.clone()));
            }
            "rewrite" => match regex(directive.argument(0)?, false).and_then(|regex| regex.is_match(request.path).ok())
            {
                Some(true) => {
                    return Some(Answer::Other("rewrites the path".to_owned(), directive.place.clone()));
                }
                Some(false) => {}
                None => return Some(Answer::Unsure(directive.place.clone())),
            },
            "break" => return None,
            "if" => match condition(&directive.arguments, request) {
                Some(true) => {
                    if let Some(answer) = rewrites(directive.children(), request) {
                        return Some(answer);
                    }
                    if directive.children().iter().any(|child| !is_rewrite(child)) {
                        return Some(Answer::Unsure(directive.place.clone()));
                    }
                }
                Some(false) => {}
                None if directive.children().iter().all(|child| child.is("set")) => {}
                None => return Some(Answer::Unsure(directive.place.clone())),
            },
            _ => {}
        }
    }
    None
}

fn is_rewrite(directive: &Directive) -> bool {
    ["set", "break", "return", "rewrite", "if", "rewrite_log"].iter().any(|name| directive.is(name))
}

/// The condition of an `if`, where it depends on the request alone.
fn condition(words: &[Word], request: Request<'_>) -> Option<bool> {
    let joined: Vec<&str> = words.iter().map(Word::as_str).collect();
    let mut parts: Vec<&str> = joined.clone();
    if let Some(first) = parts.first_mut() {
        *first = first.strip_prefix('(')?;
    }
    if let Some(last) = parts.last_mut() {
        *last = last.strip_suffix(')')?;
    }
    parts.retain(|part| !part.is_empty() || joined.len() > 3);
    match parts.as_slice() {
        [name] => variable(name, request).map(|value| !value.is_empty() && value != "0"),
        [name, operator, rest @ ..] if rest.len() <= 2 => {
            let value = variable(name, request)?;
            let operand = rest.first().copied().unwrap_or_default();
            if operand.contains('$') && !operator.contains('~') {
                return None;
            }
            match *operator {
                "=" => Some(value == operand),
                "!=" => Some(value != operand),
                "~" | "~*" => regex(operand, *operator == "~*")?.is_match(value).ok(),
                "!~" | "!~*" => regex(operand, *operator == "!~*")?.is_match(value).ok().map(|found| !found),
                _ => None,
            }
        }
        _ => None,
    }
}

fn variable<'a>(name: &str, request: Request<'a>) -> Option<&'a str> {
    match name.strip_prefix('$')? {
        "host" | "http_host" => Some(request.host),
        "uri" | "document_uri" | "request_uri" => Some(request.path),
        "scheme" => Some("http"),
        "request_method" => Some("GET"),
        "server_port" if request.port == 80 => Some("80"),
        "https" | "args" | "query_string" | "is_args" | "ssl_protocol" => Some(""),
        _ => None,
    }
}

/// Whether somebody is kept out. Access rules are inherited by a block that has none of its own.
fn restriction(levels: &[Vec<&Directive>]) -> Option<Answer> {
    let nearest = |names: &[&str]| {
        levels.iter().rev().find_map(|level| {
            let found: Vec<&&Directive> = level.iter().filter(|d| names.iter().any(|name| d.is(name))).collect();
            (!found.is_empty()).then_some(found)
        })
    };
    let other = |what: &str, directive: &Directive| Some(Answer::Other(what.to_owned(), directive.place.clone()));
    if let Some(first) = nearest(&["allow", "deny"]).and_then(|rules| rules.first().copied())
        && !(first.is("allow") && first.argument(0) == Some("all"))
    {
        return other("restricts who may ask", first);
    }
    if let Some(first) = nearest(&["auth_basic", "auth_request"]).and_then(|rules| rules.first().copied())
        && first.argument(0) != Some("off")
    {
        return other("asks for credentials", first);
    }
    let internal = levels.last()?.iter().find(|directive| directive.is("internal"))?;
    other("serves nobody from outside", internal)
}

/// What answers instead of a file. Handlers are not inherited.
fn handler(block: &Directive) -> Option<Answer> {
    block.children().iter().find_map(|directive| {
        let name = directive.name.as_str();
        let target = directive.argument(0).unwrap_or_default();
        let what = match name {
            "proxy_pass" | "grpc_pass" | "fastcgi_pass" | "uwsgi_pass" | "scgi_pass" | "memcached_pass" => {
                format!("passes it to {}", authority(target))
            }
            "stub_status" | "empty_gif" | "perl" | "js_content" => format!("answers by `{name}`"),
            "try_files" if target != "$uri" => return Some(Answer::Unsure(directive.place.clone())),
            _ if name.starts_with("content_by_lua") || name.starts_with("rewrite_by_lua") => "runs Lua".to_owned(),
            _ if name.starts_with("access_by_lua") || matches!(directive.body, Body::Raw(_)) => {
                return Some(Answer::Unsure(directive.place.clone()));
            }
            _ => return None,
        };
        Some(Answer::Other(what, directive.place.clone()))
    })
}

/// What a `return` does: its status. What it says, or where it leads, may hold a token.
fn returned(directive: &Directive) -> String {
    match directive.argument(0) {
        Some(status) if status.bytes().all(|byte| byte.is_ascii_digit()) => format!("returns {status}"),
        _ => "redirects to another address".to_owned(),
    }
}

/// The scheme, host and port of a URL: what it has of credentials stands before them or after.
fn authority(target: &str) -> String {
    let (scheme, rest) = target.split_once("://").map_or(("", target), |(scheme, rest)| (scheme, rest));
    let host = rest.rsplit('@').next().unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
}

/// The file that `root` or `alias` name, the innermost of them.
fn file(levels: &[Vec<&Directive>], blocks: &[&Directive], request: Request<'_>) -> Answer {
    for (depth, level) in levels.iter().enumerate().rev() {
        let Some(found) = level.iter().find(|directive| directive.is("root") || directive.is("alias")) else {
            continue;
        };
        let folder = found.argument(0).unwrap_or_default();
        if folder.contains('$') {
            return Answer::Unsure(found.place.clone());
        }
        if found.is("root") {
            return Answer::File(glob::normal(&format!("{folder}{}", request.path)));
        }
        let location = depth.checked_sub(2).and_then(|at| blocks.get(at));
        let prefix = location.and_then(|block| block.arguments.last()).map_or("", Word::as_str);
        return match request.path.strip_prefix(prefix.trim_start_matches(['=', '^', '~'])) {
            Some(rest) => Answer::File(glob::normal(&format!("{folder}{rest}"))),
            None => Answer::Unsure(found.place.clone()),
        };
    }
    Answer::Other("serves nginx's own `html` folder".to_owned(), None)
}
