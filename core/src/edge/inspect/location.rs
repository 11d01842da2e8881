//! Which location of a server takes a path.

use super::name::regex;
use crate::edge::nginx::Directive;

/// The locations that a request passes through, outermost first, and whether that is certain.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// The blocks from the server's to the one that answers; empty if no location takes the path.
    pub blocks: Vec<&'a Directive>,
    /// False if a regular expression that the core cannot evaluate comes first.
    pub sure: bool,
}

/// How a location is compared with a path.
enum Match<'a> {
    Exact(&'a str),
    /// The flag: no regular expression is tried after it (`^~`).
    Prefix(&'a str, bool),
    /// The flag: letter case is ignored (`~*`).
    Regex(&'a str, bool),
    Named,
}

fn form(location: &Directive) -> Match<'_> {
    let first = location.argument(0).unwrap_or_default();
    if let Some(path) = location.argument(1) {
        return match first {
            "=" => Match::Exact(path),
            "^~" => Match::Prefix(path, true),
            "~" => Match::Regex(path, false),
            "~*" => Match::Regex(path, true),
            _ => Match::Named,
        };
    }
    if let Some(path) = first.strip_prefix('=') {
        Match::Exact(path)
    } else if let Some(path) = first.strip_prefix("^~") {
        Match::Prefix(path, true)
    } else if let Some(path) = first.strip_prefix("~*") {
        Match::Regex(path, true)
    } else if let Some(path) = first.strip_prefix('~') {
        Match::Regex(path, false)
    } else if first.starts_with('@') {
        Match::Named
    } else {
        Match::Prefix(first, false)
    }
}

/// The location of this block (a server or a location) that takes the path.
///
/// An exact location wins; else the longest prefix is remembered, its own locations are searched, and unless it says `^~` the
/// first regular expression that matches wins over it.
pub fn choose<'a>(block: &'a Directive, path: &str) -> Chosen<'a> {
    let mut chosen = Chosen { blocks: Vec::new(), sure: true };
    find(block, path, &mut chosen);
    chosen
}

/// Whether the search is over: an exact location or a regular expression was found.
fn find<'a>(block: &'a Directive, path: &str, chosen: &mut Chosen<'a>) -> bool {
    let depth = chosen.blocks.len();
    let locations = || block.children().iter().filter(|child| child.is("location"));
    let mut best: Option<(&Directive, usize, bool)> = None;
    for location in locations() {
        match form(location) {
            Match::Exact(name) if name == path => {
                chosen.blocks.push(location);
                return true;
            }
            Match::Prefix(name, no_regex)
                if path.starts_with(name) && best.is_none_or(|(_, length, _)| name.len() > length) =>
            {
                best = Some((location, name.len(), no_regex));
            }
            _ => {}
        }
    }
    let mut no_regex = false;
    if let Some((location, _, only_prefix)) = best {
        no_regex = only_prefix;
        chosen.blocks.push(location);
        if find(location, path, chosen) {
            return true;
        }
    }
    if no_regex {
        return false;
    }
    for location in locations() {
        let Match::Regex(pattern, caseless) = form(location) else { continue };
        match regex(pattern, caseless).and_then(|regex| regex.is_match(path).ok()) {
            Some(true) => {
                chosen.blocks.truncate(depth);
                chosen.blocks.push(location);
                find(location, path, chosen);
                return true;
            }
            Some(false) => {}
            None => chosen.sure = false,
        }
    }
    false
}
