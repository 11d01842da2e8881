//! The shape of an inventory in YAML: what Ansible refuses without telling where, and what it passes over without a word.

use super::index::{Index, Slip, Spot};
use crate::diagnostic::{Severity, suggest};
use crate::document::tree::{Content, Entry, NodeId, Tree};
use crate::inventory::group::cluster_groups;
use crate::inventory::{codes, shown};

/// What a group consists of.
const SECTIONS: [&str; 3] = ["children", "hosts", "vars"];

/// Adds what is wrong with the shape of an inventory.
pub(super) fn judge(tree: &Tree, file: usize, index: &mut Index) {
    let groups = entries(tree, tree.root());
    // The input of a plugin that was not asked yet.
    if groups.iter().any(|entry| tree.text(entry.key) == Some("plugin")) {
        return;
    }
    let mut shape = Shape { tree, file, index };
    for entry in groups {
        match tree.text(entry.key) {
            Some(section) if SECTIONS.contains(&section) => shape.slip(
                entry.key,
                Severity::Error,
                format!("`{section}` stands at the outermost level, where Ansible takes it for the name of a group"),
                format!("write it below its group: `all:`, and below that, indented, `{section}:`"),
            ),
            _ => shape.group(*entry),
        }
    }
}

fn entries(tree: &Tree, node: NodeId) -> &[Entry] {
    match tree.content(node) {
        Content::Mapping(entries) => entries,
        _ => &[],
    }
}

struct Shape<'a> {
    tree: &'a Tree,
    file: usize,
    index: &'a mut Index,
}

impl Shape<'_> {
    fn slip(&mut self, at: NodeId, severity: Severity, what: String, help: String) {
        let spot = Spot::new(self.file, &self.tree.span(at));
        self.index.slips.push(Slip { code: codes::YAML, severity, what, help, spot, earlier: None, host: None });
    }

    /// What stands where a mapping belongs: `a text` or `a list`; nothing for a mapping, and for no value at all.
    fn instead(&self, node: NodeId) -> Option<&'static str> {
        match self.tree.content(node) {
            Content::List(_) => Some("a list"),
            Content::Mapping(_) | Content::Scalar("" | "~" | "null" | "Null" | "NULL") => None,
            Content::Scalar(_) => Some("a text"),
        }
    }

    /// The name of a key as it may be shown, escaped.
    fn named(&self, key: NodeId) -> Option<String> {
        self.tree.text(key).map(|name| shown(name).escape_debug().to_string())
    }

    fn group(&mut self, entry: Entry) {
        let Some(group) = self.named(entry.key) else { return };
        if let Some(instead) = self.instead(entry.value) {
            let what = format!("group `{group}` is {instead} in the place of its parts");
            let help = "write `hosts:`, `children:` or `vars:` below it, indented".to_owned();
            return self.slip(entry.key, Severity::Error, what, help);
        }
        for part in entries(self.tree, entry.value) {
            match self.tree.text(part.key) {
                Some("hosts") => self.hosts(&group, *part),
                Some("children") => self.children(&group, *part),
                Some("vars") => {
                    if let Some(instead) = self.instead(part.value) {
                        let what = format!("`vars` of group `{group}` is {instead}");
                        self.slip(
                            part.key,
                            Severity::Error,
                            what,
                            "write one `name: value` a line below it".to_owned(),
                        );
                    }
                }
                // A merge key; what it brings in stands among the others.
                Some("<<") | None => {}
                Some(_) => self.other(&group, *part),
            }
        }
    }

    fn hosts(&mut self, group: &str, part: Entry) {
        if matches!(self.tree.content(part.value), Content::List(_)) {
            let what = format!("`hosts` of group `{group}` is a list");
            let help = "write each host as a key, `n1:`, with its variables below it".to_owned();
            return self.slip(part.key, Severity::Error, what, help);
        }
        for host in entries(self.tree, part.value) {
            if self.section(group, "hosts", *host) {
                continue;
            }
            let (Some(instead), Some(name)) = (self.instead(host.value), self.named(host.key)) else { continue };
            let what = format!("host `{name}` has {instead} in the place of its variables");
            let help = "write one `name: value` a line below it; nothing stands after the colon of a host".to_owned();
            self.slip(host.key, Severity::Error, what, help);
        }
    }

    /// Whether what should be the name of a host or group is that of a section: it stands too far to the left or to the right.
    fn section(&mut self, group: &str, within: &str, entry: Entry) -> bool {
        let Some(section) = self.tree.text(entry.key).filter(|key| SECTIONS.contains(key)) else { return false };
        let (kind, to) = if within == "hosts" {
            ("host", format!("indent it as far as the `hosts` of `{group}`"))
        } else {
            ("group", "indent it further than the group that it belongs to".to_owned())
        };
        let what = format!(
            "`{section}` stands in `{within}` of group `{group}`, where Ansible takes it for the name of a {kind}"
        );
        self.slip(entry.key, Severity::Error, what, to);
        true
    }

    fn children(&mut self, group: &str, part: Entry) {
        if matches!(self.tree.content(part.value), Content::List(_)) {
            let what = format!("`children` of group `{group}` is a list");
            let help = "write each group as a key, `kube_node:`, with its hosts below it or nothing".to_owned();
            return self.slip(part.key, Severity::Error, what, help);
        }
        for child in entries(self.tree, part.value) {
            if !self.section(group, "children", *child) {
                self.group(*child);
            }
        }
    }

    /// A key that is no part of a group. What may be meant as one is an error: hosts or variables are lost with it.
    fn other(&mut self, group: &str, part: Entry) {
        let Some(name) = self.tree.text(part.key) else { return };
        let shown = shown(name).escape_debug().to_string();
        let below = entries(self.tree, part.value);
        let is_group = cluster_groups().any(|known| known == name)
            || below.iter().any(|entry| self.tree.text(entry.key).is_some_and(|key| SECTIONS.contains(&key)));
        let near = suggest::nearest(name, SECTIONS);
        let (severity, what, help) = match near {
            _ if is_group => (
                Severity::Error,
                format!("group `{shown}` stands directly in group `{group}`: Ansible passes over it"),
                "write it below `children:` of that group, indented".to_owned(),
            ),
            Some(near) => (
                Severity::Error,
                format!("`{shown}` is no part of group `{group}`: Ansible passes over it"),
                format!("did you mean `{near}`?"),
            ),
            None => (
                Severity::Warning,
                format!("`{shown}` is no part of group `{group}`: Ansible passes over it"),
                "a group has `hosts`, `children` and `vars`; a variable of it stands below `vars`".to_owned(),
            ),
        };
        self.slip(part.key, severity, what, help);
    }
}
