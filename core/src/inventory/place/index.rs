//! What stands where: groups, memberships, children and variables of all static files.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Source;
use crate::document::tree::NodeId;

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

/// The variables of one group or host.
pub(super) type Variables = HashMap<Box<str>, Assignment>;

/// The index of all files.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) files: Vec<File>,
    /// A group, by its header or key; whether that declares it, or only names it as a child of another.
    pub(super) groups: HashMap<Box<str>, (Spot, bool)>,
    /// By group and host; whether the host is written by its own name, or in a range.
    pub(super) members: HashMap<Box<str>, Members>,
    /// By level and group.
    pub(super) group_variables: HashMap<(Level, Box<str>), Variables>,
    /// By level and host.
    pub(super) host_variables: HashMap<(Level, Box<str>), Variables>,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct File {
    pub(super) source: Arc<Source>,
    /// Of YAML, if it could be taken apart.
    pub(super) parsed: Option<crate::document::Parsed>,
}

impl Index {
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

    /// As for a group.
    pub(super) fn host_variable(&mut self, level: Level, host: &str, name: &str, assignment: Assignment) {
        self.host_variables.entry((level, host.into())).or_default().insert(name.into(), assignment);
    }
}

/// Whether the place of a variable may be asked for.
pub(super) fn is_of_interest(name: &str) -> bool {
    matches!(name, "ansible_host" | "ip" | "access_ip" | "ip6" | "node_labels" | "node_taints" | "storage_devices")
        || name.starts_with("pharos_")
}
