//! Whether each of our names is answered by us, and its ACME challenge from our folder.

use super::answer::{Answer, Request, answer};
use super::names::because;
use super::site::{Listener, Server, Site};
use super::table::Reason;
use super::{Ours, at, codes, is_ours};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::nginx::{Configuration, Directive, glob};

/// Where a challenge is asked for.
pub const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";
/// A token as certificate authorities make them, for the path is judged as a whole.
const TOKEN: &str = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr_oA";

/// `edge/challenge-shadowed`: for each host and each listener on port 80 that others can reach. Where our server passes the challenge
/// on to another edge there is no folder, and only our server will do.
pub(super) fn judge(configuration: &Configuration, site: &Site<'_>, ours: &Ours, findings: &mut Findings) {
    let passed_on = ours.ports.contains(&80) && site.servers.iter().any(|server| is_ours(ours, server));
    if ours.webroot.is_none() && !passed_on {
        return;
    }
    let http: Vec<&Directive> = configuration.inside("http").collect();
    let path = format!("{CHALLENGE_PATH}{TOKEN}");
    let expected = ours.webroot.as_ref().map(|webroot| glob::normal(&format!("{webroot}{path}")));
    for host in &ours.hosts {
        for listener in site.http_on(80).filter(|listener| concerns(site, listener, ours)) {
            let (index, reason) = listener.select(host);
            let Some(server) = site.server(index) else { continue };
            if is_ours(ours, server) && reason != Reason::Unsure {
                continue;
            }
            let given = answer(server, &http, Request { host: &super::name::host_of(host), path: &path, port: 80 });
            let shadow = Shadow { host, listener, server, reason, webroot: ours.webroot.as_deref() };
            match given {
                Answer::File(file) if Some(&file) == expected.as_ref() && reason != Reason::Unsure => {}
                Answer::File(file) if Some(&file) == expected.as_ref() => findings.push(shadow.unsure(None)),
                Answer::File(file) => {
                    let folder = file.strip_suffix(TOKEN).unwrap_or(&file);
                    findings.push(shadow.refusal(&format!("looks for it in `{folder}`"), None));
                }
                Answer::Other(what, place) => findings.push(shadow.refusal(&what, place.as_ref())),
                Answer::Unsure(place) => findings.push(shadow.unsure(place.as_ref())),
            }
        }
    }
}

/// Whether challenges may arrive here: others can reach it, and we listen there or would if it did not stand before our wildcard. An
/// address that we leave to others is not asked; of the other family `edge/answered-elsewhere` tells.
fn concerns(site: &Site<'_>, listener: &Listener, ours: &Ours) -> bool {
    let has_ours = |listener: &Listener| {
        listener.servers.iter().any(|(index, _)| site.server(*index).is_some_and(|server| is_ours(ours, server)))
    };
    !listener.endpoint.is_local()
        && (ours.files.is_empty() || has_ours(listener) || site.wildcard_of(listener).is_some_and(has_ours))
}

/// A server that answers a challenge in our place.
struct Shadow<'a> {
    host: &'a str,
    listener: &'a Listener,
    server: &'a Server<'a>,
    reason: Reason,
    /// The folder of the tokens; none where our server passes the challenge on.
    webroot: Option<&'a str>,
}

impl Shadow<'_> {
    fn refusal(&self, what: &str, cause: Option<&Place>) -> Diagnostic {
        let message = format!(
            "`http://{}{CHALLENGE_PATH}` on `{}` is answered by another server, which {what}",
            self.host, self.listener.endpoint
        );
        self.finish(Diagnostic::error(codes::CHALLENGE_SHADOWED, message), cause)
    }

    fn unsure(&self, cause: Option<&Place>) -> Diagnostic {
        let message = format!(
            "`http://{}{CHALLENGE_PATH}` on `{}` may be answered by another server in another way",
            self.host, self.listener.endpoint
        );
        self.finish(Diagnostic::warning(codes::CHALLENGE_SHADOWED, message), cause)
    }

    fn finish(&self, diagnostic: Diagnostic, cause: Option<&Place>) -> Diagnostic {
        let diagnostic = at(diagnostic, self.server.place(), because(self.reason));
        let diagnostic = match cause {
            Some(cause) => diagnostic.at(cause.clone(), "this decides"),
            None => diagnostic,
        };
        let first = match self.reason {
            Reason::Default => format!("let a server on `{}` have the name `{}`", self.listener.endpoint, self.host),
            _ => format!("take the name `{}` away from this server", self.host),
        };
        diagnostic.help(match self.webroot {
            Some(webroot) => {
                let location = format!("location ^~ {CHALLENGE_PATH} {{ root {webroot}; }}");
                format!("{first}, or let this one serve `{location}` before anything else")
            }
            None => first,
        })
    }
}
