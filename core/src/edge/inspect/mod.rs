//! Who listens: the servers of a configuration as nginx itself would choose between them.
//!
//! [`report`] is the whole of it: files in, [`Inspection`] out. Its parts are [`Site`] (servers and listeners), [`Listener::select`]
//! (which server answers a Host), [`answer`](answer::answer) (what it does with a path), [`bound`] (the sockets that nginx opens)
//! and [`listener_change`] (whether a reload can bring the new ones).

pub mod answer;
mod challenge;
mod endpoint;
mod given;
mod input;
mod listen;
pub mod location;
mod name;
mod names;
mod occupancy;
mod site;
mod socket;
mod strays;
mod table;
mod view;
mod welcome;

pub use challenge::CHALLENGE_PATH;
pub use endpoint::Endpoint;
pub use given::MAX_BYTES;
pub use input::{ListeningSocket, Master, Observed, Ours};
pub use listen::{Kind, Listen, Transport};
pub use name::{Form, ServerName, host_of};
pub use site::{Listener, Server, Site};
pub use socket::{BoundSocket, ListenerChange, RestartReason, bound, listener_change};
pub use table::{NameTable, Reason};
pub use view::{At, Facts, IncludeView, ListenerView, Overview, ServerView, Setting};
pub use welcome::Welcome;

use super::codes;
use super::nginx::{Body, Configuration, Directive, Files, glob, parse};
use super::render::{HTTP_FILE, HTTPS_FILE};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// What an inspection found: the state for programs, and beside it the findings.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Inspection {
    /// Each configuration that was passed.
    pub configurations: Vec<Overview>,
    /// Files that were passed and that no configuration reads.
    pub unread: Vec<String>,
}

/// Inspects what was passed: the output of `nginx -T` (one or several), or files of one configuration.
///
/// Among files the root is the one with an `http`, `stream`, `mail` or `events` block. Without any, each file is taken as a part of
/// the `http` block, in the order given; so are the files of an output that has none, such as what `pharos edge render` prints. What holds no configuration is refused, for of nothing nothing can be said. Findings are errors where nginx or we would fail, warnings where somebody should act.
pub fn report(files: &[(String, Vec<u8>)], ours: &Ours, observed: &Observed) -> (Inspection, Report) {
    let mut findings = Findings::new();
    let mut configurations: Vec<Configuration> = Vec::new();
    let mut loose = Files::new();
    let mut order: Vec<String> = Vec::new();
    for (path, bytes) in given::within_budget(files, &mut findings) {
        let dump = Files::from_dump(bytes);
        if let Some((dump, root)) = dump.as_ref().filter(|(dump, root)| is_root(dump, root)) {
            let configuration = Configuration::load(dump, root, &mut findings);
            given::judge(path, &configuration, &mut findings);
            configurations.push(configuration);
        } else if let Some((dump, _)) = dump {
            order.extend(dump.paths().map(str::to_owned));
            loose.extend(dump);
        } else if given::is_failure(bytes) {
            findings.push(given::failure(path));
        } else {
            loose.insert(path, bytes);
            order.push(glob::normal(path));
        }
    }
    let parts = from_files(&loose, &order, &mut findings);
    for configuration in &parts {
        given::not_given(configuration, &mut findings);
    }
    configurations.extend(parts);
    if configurations.is_empty() && !findings.refused() {
        findings.push(given::nothing("nginx -T"));
    }
    let read: Vec<&str> = configurations.iter().flat_map(Configuration::files).collect();
    let unread = order.iter().filter(|path| !read.contains(&path.as_str())).cloned().collect();
    let overviews = inspect(&configurations, ours, observed, &mut findings);
    (Inspection { configurations: overviews, unread }, findings.into_report())
}

/// Inspects configurations that were read before. Most hosts have one; each further master has its own.
pub fn inspect(
    configurations: &[Configuration],
    ours: &Ours,
    observed: &Observed,
    findings: &mut Findings,
) -> Vec<Overview> {
    let mut overviews = Vec::new();
    for configuration in configurations {
        let site = Site::read(configuration, findings);
        names::judge(&site, ours, findings);
        occupancy::judge(&site, ours, findings);
        welcome::judge(&site, findings);
        strays::judge(configuration, ours, findings);
        if ours.files.is_empty() || site.servers.iter().any(|server| is_ours(ours, server)) {
            challenge::judge(configuration, &site, ours, findings);
        }
        overviews.push(view::overview(configuration, &site));
    }
    let wanted: Vec<BoundSocket> = overviews.iter().flat_map(|overview| overview.sockets.clone()).collect();
    occupancy::judge_host(observed, ours, &wanted, findings);
    occupancy::judge_pairs(&overviews, findings);
    overviews
}

/// The configurations that loose files make up.
fn from_files(files: &Files, order: &[String], findings: &mut Findings) -> Vec<Configuration> {
    if order.is_empty() {
        return Vec::new();
    }
    let roots: Vec<&String> = order.iter().filter(|path| is_root(files, path)).collect();
    let included = |path: &String| {
        roots
            .iter()
            .filter(|root| **root != path)
            .any(|root| Configuration::load(files, root, &mut Findings::new()).files().contains(&path.as_str()))
    };
    let tops: Vec<&String> = roots.iter().copied().filter(|root| !included(root)).collect();
    if !roots.is_empty() {
        return tops.into_iter().map(|root| Configuration::load(files, root, findings)).collect();
    }
    let mut parts = Configuration {
        root: order.first().map_or("", String::as_str).into(),
        directives: Vec::new(),
        includes: Vec::new(),
    };
    for path in order {
        let part = Configuration::load(files, path, findings);
        parts.directives.extend(part.directives);
        parts.includes.extend(part.includes.into_iter().map(|mut include| {
            include.context.insert(0, "http".into());
            include
        }));
    }
    given::judge(&parts.root, &parts, findings);
    parts.directives = vec![Directive::block("http", Vec::new(), parts.directives)];
    vec![parts]
}

/// Whether a file has a block that nginx takes at the top alone.
fn is_root(files: &Files, path: &str) -> bool {
    let Some(source) = files.get(path) else { return false };
    parse(source, &mut Findings::new()).iter().any(|directive| {
        ["http", "stream", "mail", "events"].iter().any(|block| directive.is(block) && directive.body != Body::Simple)
    })
}

/// Whether the server stands in a file that we write.
fn is_ours(ours: &Ours, server: &Server<'_>) -> bool {
    ours.files.iter().any(|file| glob::normal(file) == server.file())
}

/// Whether we write the file; where nobody said which files those are, its name tells.
fn is_our_file(ours: &Ours, file: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    if ours.files.is_empty() {
        return [HTTP_FILE, HTTPS_FILE].iter().any(|ours| name(ours) == name(file));
    }
    ours.files.iter().any(|ours| glob::normal(ours) == file)
}

/// The diagnostic with this place, if there is one.
fn at(diagnostic: Diagnostic, place: Option<&Place>, text: impl Into<String>) -> Diagnostic {
    match place {
        Some(place) => diagnostic.at(place.clone(), text),
        None => diagnostic,
    }
}
