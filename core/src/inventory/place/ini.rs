//! Inventories in INI, taken apart as Ansible's plugin `ini` does it: for the places alone, so what it would refuse is skipped.

use super::index::{Assignment, Index, Level, Spot, is_of_interest};
use super::{range, words};

/// What the lines after a header are.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Section {
    Hosts,
    Children,
    Variables,
    Unknown,
}

/// Adds what stands in a text.
pub(super) fn read(text: &str, file: usize, index: &mut Index) {
    let (mut group, mut section) = ("ungrouped", Section::Hosts);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start + line.len() - line.trim_start().len();
        start += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let spot = |from: usize, to: usize| Spot::new(file, &(at + from..at + to));
        if let Some((name, kind)) = header(line) {
            (group, section) = (name, kind);
            if section != Section::Unknown {
                index.group(group, spot(1, 1 + name.len()), section != Section::Variables);
            }
            continue;
        }
        match section {
            Section::Hosts => host_line(line, group, index, &spot),
            Section::Children => {
                let child = line.split([' ', '\t', '#', ':', ']']).next().unwrap_or_default();
                index.group(child, spot(0, child.len()), false);
            }
            Section::Variables => {
                if let Some((name, _)) = line.split_once('=')
                    && is_of_interest(name.trim())
                {
                    let name = name.trim();
                    let assignment = Assignment { spot: spot(0, name.len()), value: None };
                    index.group_variable(Level::Inventory, group, name, assignment);
                }
            }
            Section::Unknown => {}
        }
    }
}

/// The name and kind of a section header: `[name]`, `[name:children]`, `[name:vars]`, with or without a comment.
fn header(line: &str) -> Option<(&str, Section)> {
    let (inside, after) = line.strip_prefix('[')?.split_once(']')?;
    let after = after.trim_start();
    if !after.is_empty() && !after.starts_with('#') {
        return None;
    }
    let (name, kind) = match inside.split_once(':') {
        None => (inside, Section::Hosts),
        Some((name, "hosts")) => (name, Section::Hosts),
        Some((name, "children")) => (name, Section::Children),
        Some((name, "vars")) => (name, Section::Variables),
        Some((name, _)) => (name, Section::Unknown),
    };
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some((name, kind))
}

/// A line with a host or a range of hosts, and variables.
fn host_line(line: &str, group: &str, index: &mut Index, spot: &dyn Fn(usize, usize) -> Spot) {
    let Some(words) = words::words(line) else { return };
    let Some((pattern, variables)) = words.split_first() else { return };
    let hosts = range::hosts(&pattern.text);
    for word in variables {
        let Some((name, _)) = word.text.split_once('=') else { continue };
        if !is_of_interest(name) {
            continue;
        }
        // The name has no quotes as a rule; with them the whole word is its place.
        let written = line.get(word.range.clone()).unwrap_or_default();
        let end = if written.starts_with(name) { word.range.start + name.len() } else { word.range.end };
        for host in &hosts {
            let assignment = Assignment { spot: spot(word.range.start, end), value: None };
            index.host_variable(Level::Inventory, host, name, assignment);
        }
    }
    let by_name = hosts.len() == 1;
    for host in hosts {
        index.member(group, host, spot(pattern.range.start, pattern.range.end), by_name);
    }
}
