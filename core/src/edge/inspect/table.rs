//! The names of one listener, and which server each leads to.

use std::collections::BTreeMap;

use super::name::{Form, ServerName};

/// A map from names to servers, as nginx builds it.
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    exact: BTreeMap<Box<str>, usize>,
    /// Who named an exact name first. nginx notes `.example.org` here before it finds `*.example.org` taken and drops it: then the
    /// name `example.org` is lost to everybody after it.
    claimed: BTreeMap<Box<str>, usize>,
    head: BTreeMap<Box<str>, usize>,
    tail: BTreeMap<Box<str>, usize>,
    regex: Vec<(ServerName, usize)>,
    /// Names that another server (or the same) already had, which nginx ignores: name, first holder, ignored server.
    pub ignored: Vec<(String, usize, usize)>,
}

/// Why a server was chosen.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The host is one of its names.
    Exact,
    /// A wildcard at the front of a name.
    Head,
    /// A wildcard at the end of a name.
    Tail,
    /// A regular expression.
    Regex,
    /// No name fits: it is the default.
    Default,
    /// A regular expression that the core cannot evaluate is tried before: this is the answer if it does not match.
    Unsure,
}

impl NameTable {
    pub(super) fn add(&mut self, server: usize, name: &ServerName) {
        let text = &name.text;
        let holder = match &name.form {
            Form::Regex(_) => {
                self.regex.push((name.clone(), server));
                return;
            }
            Form::Misplaced => return,
            Form::Exact => self.claim(text, server),
            Form::HeadOrExact => self.claim(text, server).or_else(|| self.head.get(text).copied()),
            Form::Head => self.head.get(text).copied(),
            Form::Tail => self.tail.get(text).copied(),
        };
        if let Some(holder) = holder {
            self.ignored.push((name.to_text(), holder, server));
            return;
        }
        if matches!(name.form, Form::Exact | Form::HeadOrExact) {
            self.exact.insert(text.clone(), server);
        }
        if matches!(name.form, Form::Head | Form::HeadOrExact) {
            self.head.insert(text.clone(), server);
        }
        if matches!(name.form, Form::Tail) {
            self.tail.insert(text.clone(), server);
        }
    }

    /// Claims an exact name; the answer is who had it before.
    fn claim(&mut self, text: &str, server: usize) -> Option<usize> {
        let before = self.claimed.get(text).copied();
        if before.is_none() {
            self.claimed.insert(text.into(), server);
        }
        before
    }

    /// The server of this host, which is in the form of [`host_of`](super::name::host_of), and why; nothing if no name fits.
    pub(super) fn find(&self, host: &str) -> (Option<(usize, Reason)>, bool) {
        if let Some(server) = self.exact.get(host) {
            return (Some((*server, Reason::Exact)), true);
        }
        let dots = || host.match_indices('.').map(|(at, _)| at);
        let head = dots().find_map(|at| self.head.get(host.get(at + 1..)?));
        if let Some(server) = head {
            return (Some((*server, Reason::Head)), true);
        }
        let tail = dots().collect::<Vec<_>>().into_iter().rev().find_map(|at| self.tail.get(host.get(..at)?));
        if let Some(server) = tail {
            return (Some((*server, Reason::Tail)), true);
        }
        let mut sure = true;
        for (name, server) in &self.regex {
            let Form::Regex(expression) = &name.form else { continue };
            match expression.as_ref().and_then(|regex| regex.is_match(host).ok()) {
                Some(true) if !host.is_empty() => return (Some((*server, Reason::Regex)), sure),
                Some(_) => {}
                None => sure = false,
            }
        }
        (None, sure)
    }
}
