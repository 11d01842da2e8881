//! What stands where: groups, memberships, children and variables of all static files.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Place, Severity, Source};
use crate::document::tree::NodeId;
use crate::inventory::{codes, shown};

/// A stretch of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Spot {
    /// The number of the file.
    pub(super) file: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Spot {
    pub(super) fn new(file: usize, range: &Range<usize>) -> Self {
        Self { file, start: range.start, end: range.end }
    }
}

/// Where a variable gets its value.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) spot: Spot,
    /// In YAML: the pointer of the mapping that it stands in, with the variable's own name, and its value.
    pub(super) value: Option<(Arc<str>, NodeId)>,
    /// The value as it is written: only compared with another one, never shown.
    pub(super) text: Arc<str>,
}

/// Something that is wrong with the writing itself, whatever it means.
#[derive(Clone, Debug)]
pub(super) struct Slip {
    pub(super) code: Code,
    pub(super) severity: Severity,
    pub(super) what: String,
    pub(super) help: String,
    pub(super) spot: Spot,
    /// The first of two that collide.
    pub(super) earlier: Option<Spot>,
    /// The host that it is about, if that is all that it is about.
    pub(super) host: Option<Box<str>>,
}

impl Slip {
    pub(super) fn new(code: Code, spot: Spot, what: &str, help: &str) -> Self {
        let (what, help) = (what.to_owned(), help.to_owned());
        Self { code, severity: Severity::Error, what, help, spot, earlier: None, host: None }
    }

    /// A pattern of hosts that stands for none.
    pub(super) fn range(spot: Spot) -> Self {
        let help = "write `[first:last]` or `[first:last:step]`, the first no greater than the last; with zeros before it, both \
                    of one length";
        Self::new(codes::RANGE, spot, "a range that no host is in, or too many", help)
    }
}

/// Who has a variable.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Level {
    /// A group or host, in an inventory.
    Inventory,
    /// A group or host, in `group_vars` or `host_vars`.
    Beside,
}

/// The members of one group.
pub(super) type Members = HashMap<Box<str>, (Spot, bool)>;

/// The variables of one group.
pub(super) type GroupVariables = HashMap<Box<str>, Assignment>;

/// The variables of one host.
pub(super) type HostVariables = HashMap<Box<str>, (Assignment, bool)>;

/// The index of all files.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) files: Vec<File>,
    /// A group, by its header or key; whether that declares it, or only names it as a child of another.
    pub(super) groups: HashMap<Box<str>, (Spot, bool)>,
    /// By group and host; whether the host is written by its own name, or in a range.
    pub(super) members: HashMap<Box<str>, Members>,
    /// By level and group.
    pub(super) group_variables: HashMap<(Level, Box<str>), GroupVariables>,
    /// By level and host; of each variable too whether it is written for the host by its own name, or for a range.
    pub(super) host_variables: HashMap<(Level, Box<str>), HostVariables>,
    /// What is wrong with the writing.
    pub(super) slips: Vec<Slip>,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct File {
    /// Its name, as the topology has it.
    pub(super) name: Arc<str>,
    pub(super) source: Arc<Source>,
    /// Of YAML, if it could be taken apart.
    pub(super) parsed: Option<crate::document::Parsed>,
}

impl Index {
    /// The place of a spot.
    pub(super) fn place(&self, spot: Spot) -> Place {
        match self.files.get(spot.file) {
            Some(file) => file.source.place(spot.start..spot.end),
            None => Place::named(""), // A spot is only made for a file of the index.
        }
    }

    /// A slip as it is told.
    pub(super) fn diagnostic(&self, slip: &Slip) -> Diagnostic {
        let diagnostic = Diagnostic { severity: slip.severity, ..Diagnostic::error(slip.code, slip.what.as_str()) };
        let words = if slip.earlier.is_some() { "again here" } else { "" };
        let diagnostic = diagnostic.at(self.place(slip.spot), words);
        let earlier = slip.earlier.map(|spot| self.place(spot));
        let diagnostic = earlier.into_iter().fold(diagnostic, |diagnostic, place| diagnostic.at(place, "first here"));
        diagnostic.help(slip.help.as_str())
    }

    /// The place of a group is the first that declares it, or else the first that names it.
    pub(super) fn group(&mut self, name: &str, spot: Spot, declares: bool) {
        let known = self.groups.entry(name.into()).or_insert((spot, declares));
        if declares && !known.1 {
            *known = (spot, true);
        }
    }

    /// Of several places of a membership the first is kept, and one with the host's own name before one of a range.
    pub(super) fn member(&mut self, group: &str, host: String, spot: Spot, by_name: bool) {
        let members = match self.members.get_mut(group) {
            Some(members) => members,
            None => self.members.entry(group.into()).or_default(),
        };
        let known = members.entry(host.into()).or_insert((spot, by_name));
        if by_name && !known.1 {
            *known = (spot, true);
        }
    }

    /// Of several places of a variable the last is kept: it has the last word.
    pub(super) fn group_variable(&mut self, level: Level, group: &str, name: &str, assignment: Assignment) {
        self.group_variables.entry((level, group.into())).or_default().insert(name.into(), assignment);
    }

    /// As for a group. Where one file has two values for one host, by its own name, both were meant.
    pub(super) fn host_variable(
        &mut self,
        level: Level,
        (host, by_name): (&str, bool),
        name: &str,
        assignment: Assignment,
    ) {
        let known = self.host_variables.entry((level, host.into())).or_default();
        let (spot, text) = (assignment.spot, Arc::clone(&assignment.text));
        let Some((earlier, was_by_name)) = known.insert(name.into(), (assignment, by_name)) else { return };
        if by_name && was_by_name && earlier.spot.file == spot.file && earlier.text != text {
            let what = format!(
                "`{}` of {} has two values in this file: Ansible takes the last",
                shown(name).escape_debug(),
                shown(host).escape_debug()
            );
            let help = "keep one of them, where the host's other variables are";
            let slip = Slip::new(codes::WRITTEN_TWICE, spot, &what, help);
            let (earlier, host) = (Some(earlier.spot), Some(host.into()));
            self.slips.push(Slip { severity: Severity::Warning, earlier, host, ..slip });
        }
    }
}

/// Whether the place of a variable may be asked for.
pub(super) fn is_of_interest(name: &str) -> bool {
    matches!(name, "ansible_host" | "ip" | "access_ip" | "ip6" | "node_labels" | "node_taints" | "storage_devices")
        || name.starts_with("pharos_")
}
