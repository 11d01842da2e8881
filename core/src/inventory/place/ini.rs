//! Inventories in INI, taken apart as Ansible's plugin `ini` does it: for the places, and for the lines that it refuses.

use super::index::{Assignment, Index, Level, Slip, Spot, is_of_interest};
use super::{range, words};
use crate::diagnostic::suggest;
use crate::inventory::{codes, shown};

/// What the lines after a header are.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Section {
    Hosts,
    Children,
    Variables,
    Unknown,
}

/// The kinds that a header may name.
const KINDS: [&str; 3] = ["children", "hosts", "vars"];

/// What is said of a line of YAML.
pub(super) const YAML: &str = "a line of YAML in an inventory in INI";

/// What a line is that begins with a bracket.
enum Header<'l> {
    Of(&'l str, Section),
    /// With a kind that is none.
    Kind(&'l str),
    /// What ends as a header does and is none.
    Broken,
    /// Without its closing bracket.
    Open,
    No,
}

/// Adds what stands in a text, and what Ansible refuses in it.
pub(super) fn read(text: &str, file: usize, index: &mut Index) {
    let mut reader = Reader { file, group: "ungrouped", section: Section::Hosts, index };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start + line.len() - line.trim_start().len();
        start += line.len();
        let line = line.trim();
        if !line.is_empty() && !line.starts_with(['#', ';']) {
            reader.line(line, at);
        }
    }
}

struct Reader<'a> {
    file: usize,
    group: &'a str,
    section: Section,
    index: &'a mut Index,
}

impl<'a> Reader<'a> {
    /// One line that is no comment, and where it begins.
    fn line(&mut self, line: &'a str, at: usize) {
        let whole = self.spot(at, at + line.len());
        match header(line) {
            Header::Of(name, kind) => {
                (self.group, self.section) = (name, kind);
                let spot = self.spot(at + 1, at + 1 + name.len());
                self.index.group(name, spot, kind != Section::Variables);
                return;
            }
            Header::Kind(kind) => {
                self.section = Section::Unknown;
                let help = suggest::help(kind, KINDS, "write `[group]`, `[group:children]` or `[group:vars]`");
                self.slip(whole, "a section of a kind that does not exist", &help);
                return;
            }
            Header::Broken => {
                self.section = Section::Unknown;
                self.slip(
                    whole,
                    "no header of a section",
                    "write the group without blanks: `[group]`, `[group:children]`",
                );
                return;
            }
            Header::Open => {
                self.section = Section::Unknown;
                let help = "write `[group]`, and nothing after it but a comment";
                self.slip(whole, "a header of a section that is not closed", help);
                return;
            }
            Header::No => {}
        }
        match self.section {
            Section::Hosts => self.hosts(line, at),
            Section::Children => self.child(line, at),
            Section::Variables => self.variable(line, at),
            Section::Unknown => {}
        }
    }

    fn spot(&self, from: usize, to: usize) -> Spot {
        Spot::new(self.file, &(from..to))
    }

    /// Ansible refuses the whole file for one such line.
    fn slip(&mut self, spot: Spot, what: &str, help: &str) {
        self.index.slips.push(Slip::new(codes::INI, spot, what, help));
    }

    /// A line with a host or a range of hosts, and variables.
    fn hosts(&mut self, line: &str, at: usize) {
        let Some(words) = words::words(line) else {
            let spot = self.spot(at, at + line.len());
            self.slip(spot, "a quote or an escape is open at the end of the line", "close it, or put a `\\` before it");
            return;
        };
        let Some((pattern, variables)) = words.split_first() else { return };
        let spot = self.spot(at + pattern.range.start, at + pattern.range.end);
        if pattern.text == "---" || pattern.text.ends_with(':') {
            let help = "in INI a host stands without a colon; name a file in YAML `.yml`";
            self.slip(spot, YAML, help);
            return;
        }
        let hosts = range::hosts(&pattern.text);
        if hosts.is_empty() {
            self.index.slips.push(Slip::range(spot));
        }
        let by_name = hosts.len() == 1;
        for word in variables {
            let range = at + word.range.start..at + word.range.end;
            let Some((name, value)) = word.text.split_once('=') else {
                let help = "write `name=value`; put a value with blanks into quotes";
                self.slip(Spot::new(self.file, &range), "a word after the host that is no variable", help);
                continue;
            };
            if !is_of_interest(name) {
                continue;
            }
            // The name has no quotes as a rule; with them the whole word is its place.
            let written = line.get(word.range.clone()).unwrap_or_default();
            let end = if written.starts_with(name) { range.start + name.len() } else { range.end };
            for host in &hosts {
                let assignment = Assignment { spot: self.spot(range.start, end), value: None, text: value.into() };
                self.index.host_variable(Level::Inventory, (host, by_name), name, assignment);
            }
        }
        for host in hosts {
            self.index.member(self.group, host, spot, by_name);
        }
    }

    /// A line with the name of a group, and a comment or none.
    fn child(&mut self, line: &str, at: usize) {
        let child = line.split([' ', '\t', '#', ':', ']']).next().unwrap_or_default();
        let rest = line.get(child.len()..).unwrap_or_default().trim_start();
        if child.is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
            let help = "write one group a line in a section `:children`";
            self.slip(self.spot(at, at + line.len()), "a line that is no name of a group", help);
            return;
        }
        self.index.group(child, self.spot(at, at + child.len()), false);
    }

    /// A line with a variable of the group.
    fn variable(&mut self, line: &str, at: usize) {
        let Some((name, value)) = line.split_once('=') else {
            let help = "write one `name=value` a line in a section `:vars`";
            self.slip(self.spot(at, at + line.len()), "a line that is no variable", help);
            return;
        };
        let (name, value) = (name.trim(), value.trim());
        if is_of_interest(name) {
            let assignment = Assignment { spot: self.spot(at, at + name.len()), value: None, text: value.into() };
            self.index.group_variable(Level::Inventory, self.group, name, assignment);
        }
    }
}

/// The name and kind of a section header: `[name]`, `[name:children]`, `[name:vars]`, with or without a comment.
fn header(line: &str) -> Header<'_> {
    let Some(rest) = line.strip_prefix('[') else { return Header::No };
    let Some((inside, after)) = rest.split_once(']') else { return Header::Open };
    let after = after.trim_start();
    let (name, kind) = inside.split_once(':').map_or((inside, None), |(name, kind)| (name, Some(kind)));
    let is_word = |kind: &str| !kind.is_empty() && kind.chars().all(|c| c == '_' || c.is_alphanumeric());
    let sound = (after.is_empty() || after.starts_with('#'))
        && !name.is_empty()
        && !name.contains(char::is_whitespace)
        && kind.is_none_or(is_word);
    match kind {
        _ if !sound && line.ends_with(']') => Header::Broken,
        _ if !sound => Header::No,
        None | Some("hosts") => Header::Of(name, Section::Hosts),
        Some("children") => Header::Of(name, Section::Children),
        Some("vars") => Header::Of(name, Section::Variables),
        Some(kind) => Header::Kind(kind),
    }
}

/// The groups that a file names as children or gives variables to, and that no file declares: Ansible refuses them, the first one
/// alone.
pub(super) fn undeclared(index: &Index, file: usize) -> Vec<Slip> {
    let mut missing: Vec<Slip> = index
        .groups
        .iter()
        .filter(|(name, (_, declares))| !declares && !matches!(&***name, "all" | "ungrouped"))
        .map(|(name, (spot, _))| {
            let declared = index.groups.iter().filter(|(_, (_, declares))| *declares).map(|(name, _)| &**name);
            let help = match suggest::nearest(name, declared) {
                Some(near) => format!("did you mean `{}`?", shown(near)),
                None => "add a section with its hosts, or with its `:children`".to_owned(),
            };
            Slip::new(codes::INI, *spot, "a group that no section declares", &help)
        })
        .filter(|slip| slip.spot.file == file)
        .collect();
    missing.sort_by_key(|slip| slip.spot.start);
    missing
}
