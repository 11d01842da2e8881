//! The site that the package enables when it is installed.

use super::site::{Server, Site};
use super::view::At;
use super::{Endpoint, Kind, at, codes};
use crate::diagnostic::{Diagnostic, Findings};
use crate::edge::nginx::{Directive, Word};

/// Where packages put it: Debian and Ubuntu, then nginx's own packages.
const PATHS: [&str; 2] = ["/sites-enabled/default", "/conf.d/default.conf"];
/// The folders that hold nothing but the packages' page.
const ROOTS: [&str; 3] = ["/var/www/html", "/usr/share/nginx/html", "html"];

/// A package's welcome site that is enabled.
#[derive(Clone, Debug, Eq, PartialEq, schemars::JsonSchema, serde::Serialize)]
pub struct Welcome {
    /// The file it stands in, a link on Debian.
    pub file: String,
    /// Where its server begins.
    pub server: At,
    /// Whether it is as the package made it. Otherwise somebody uses it.
    pub pristine: bool,
}

/// Every welcome site of a configuration.
pub(super) fn find(site: &Site<'_>) -> Vec<Welcome> {
    servers(site)
        .map(|server| Welcome {
            file: server.file().to_owned(),
            server: At::of(server.place()),
            pristine: pristine(server)
                && site.servers.iter().filter(|other| other.file() == server.file()).count() == 1,
        })
        .collect()
}

fn servers<'s, 'a>(site: &'s Site<'a>) -> impl Iterator<Item = &'s Server<'a>> {
    site.servers
        .iter()
        .filter(|server| server.kind == Kind::Http && PATHS.iter().any(|path| server.file().ends_with(path)))
}

/// Whether the server says only what the packages of Debian 12, 13, Ubuntu and nginx.org say.
fn pristine(server: &Server<'_>) -> bool {
    let listens = server.listens.iter().all(|listen| {
        !listen.ssl
            && listen.endpoints.iter().all(|endpoint| [Endpoint::any_v4(80), Endpoint::any_v6(80)].contains(endpoint))
    });
    listens && server.directive.children().iter().all(known)
}

fn known(directive: &Directive) -> bool {
    let arguments: Vec<&str> = directive.arguments.iter().map(Word::as_str).collect();
    match (directive.name.as_str(), arguments.as_slice()) {
        ("listen", _)
        | ("server_name", ["_" | "localhost"])
        | ("error_page", ["500", "502", "503", "504", "/50x.html"])
        | ("try_files", ["$uri", "$uri/", "=404"]) => true,
        ("root", [root]) => ROOTS.contains(root),
        ("index", files) => files.iter().all(|file| file.starts_with("index.")),
        ("location", ["/"] | ["=", "/50x.html"]) => directive.children().iter().all(known),
        _ => false,
    }
}

/// `edge/welcome-site` for each.
pub(super) fn judge(site: &Site<'_>, findings: &mut Findings) {
    for (server, welcome) in servers(site).zip(find(site)) {
        let (message, help) = if welcome.pristine {
            (
                "the package's welcome site is enabled",
                format!("remove `{}`; the original stays in the package", welcome.file),
            )
        } else {
            (
                "the package's default site is enabled and was changed by somebody",
                format!("move what is needed from `{}` into a site of its own name, then remove it", welcome.file),
            )
        };
        findings.push(
            at(
                Diagnostic::warning(codes::WELCOME_SITE, message),
                server.place(),
                "it answers every name that no other server has",
            )
            .help(help),
        );
    }
}
