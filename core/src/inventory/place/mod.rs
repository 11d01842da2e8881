//! Where things of an inventory are written: static files, read again. Ansible accepted them, so what this reader cannot make out
//! has no place; what Ansible passes over without a word is told as a slip, and so is what it refuses without a place.

mod index;
mod ini;
mod range;
mod shape;
mod words;
mod yaml;

use std::collections::HashMap;
use std::sync::Arc;

use index::{Assignment, File, GroupVariables, Index, Level, Slip, Spot};
use yaml::Owner;

use super::group::Graph;
use super::{FactSource, Facts, Origin, Source, codes};
use crate::diagnostic::{self, Diagnostic, Place};
use crate::document::{self, tree::Tree};

/// The places of everything that was found in static files.
#[derive(Debug)]
pub(super) struct Places {
    index: Index,
    /// The groups whose names Ansible may have made safe, by their safe names.
    unsafe_names: HashMap<String, Box<str>>,
    /// What stands for a membership that no static file has.
    elsewhere: Origin,
    /// The first source: what a fault without any other place is shown at.
    first: Option<Arc<diagnostic::Source>>,
}

/// What a file is.
#[derive(Clone, Copy)]
enum Kind<'a> {
    YamlInventory,
    IniInventory,
    /// An inventory that is one of both.
    Inventory,
    Variables(Owner<'a>),
    /// The input of a plugin.
    Other,
}

impl Places {
    pub(super) fn read(facts: &Facts, sources: &[Source]) -> Self {
        let mut index = Index::default();
        for source in sources {
            let slips = index.slips.len();
            read(source, kind(&source.name, &facts.sources), &mut index);
            // What Ansible has not read, a copy of an old inventory perhaps, may be written as it likes.
            if owner(&source.name).is_none() && !facts.sources.iter().any(|read| read.path == source.name) {
                index.slips.truncate(slips);
            }
        }
        // Variables that lie beside an inventory come before it in the alphabet.
        let is_read = |name: &str| facts.sources.iter().any(|read| read.path == name);
        let first = index
            .files
            .iter()
            .find(|file| is_read(file.source.name()))
            .or(index.files.first())
            .map(|file| Arc::clone(&file.source))
            .or_else(|| facts.sources.first().map(|source| diagnostic::Source::private(&source.path, "")));
        let unsafe_names = index
            .groups
            .keys()
            .chain(index.members.keys())
            .filter_map(|name| Some((safe(name)?, name.clone())))
            .collect();
        Self { elsewhere: elsewhere(facts, &index), index, unsafe_names, first }
    }

    /// What is wrong with the writing itself, as far as it is about everything or about a node.
    pub(super) fn slips(&self, is_node: impl Fn(&str) -> bool) -> impl Iterator<Item = Diagnostic> {
        let kept = move |slip: &&Slip| slip.host.as_deref().is_none_or(&is_node);
        self.index.slips.iter().filter(kept).map(|slip| self.index.diagnostic(slip))
    }

    /// Where a group is declared.
    pub(super) fn group(&self, group: &str) -> Option<Place> {
        let (spot, _) = self.by_group(group, |name| self.index.groups.get(name))?;
        Some(self.place(*spot))
    }

    /// Where a host is written as a member of a group.
    pub(super) fn member(&self, group: &str, host: &str) -> Option<Place> {
        self.member_spot(group, host).map(|spot| self.place(spot))
    }

    /// The same for a reader of the topology.
    pub(super) fn origin(&self, group: &str, host: &str) -> Origin {
        let Some(spot) = self.member_spot(group, host) else { return self.elsewhere.clone() };
        match self.index.files.get(spot.file) {
            Some(File { source, name, .. }) => {
                Origin::Line { file: Arc::clone(name), line: source.position(spot.start).line }
            }
            None => self.elsewhere.clone(),
        }
    }

    fn member_spot(&self, group: &str, host: &str) -> Option<Spot> {
        self.by_group(group, |name| self.index.members.get(name)?.get(host)).map(|(spot, _)| *spot)
    }

    /// Where the value that a host has for a variable is written, or a part of it: the path of keys and numbers inside.
    pub(super) fn variable(&self, graph: &Graph<'_>, host: &str, name: &str, path: &[&str]) -> Option<Place> {
        let assignment = self.assignment(graph, host, name)?;
        let Some((pointer, value)) = &assignment.value else {
            return Some(self.place(assignment.spot).with_key(&pointer_of(&format!("/{name}"), path)));
        };
        let tree = self.tree(assignment.spot.file)?;
        let (mut spot, mut node) = (assignment.spot, *value);
        for token in path {
            let next = match tree.content(node) {
                document::tree::Content::Mapping(_) => tree.entry(node, token).map(|entry| (entry.key, entry.value)),
                document::tree::Content::List(items) => {
                    token.parse().ok().and_then(|at: usize| items.get(at)).map(|item| (*item, *item))
                }
                document::tree::Content::Scalar(_) => None,
            };
            let Some((shown, inner)) = next else { break };
            let span = tree.span(shown);
            (spot, node) = (Spot::new(assignment.spot.file, &(span.start..span.start)), inner);
        }
        Some(self.place(spot).with_key(&pointer_of(pointer, path)))
    }

    /// The assignment that wins, as Ansible ranks them: beside the host, at the host, beside its groups from the innermost to
    /// `all`, at its groups in that order.
    fn assignment(&self, graph: &Graph<'_>, host: &str, name: &str) -> Option<&Assignment> {
        let of_host = |level| self.index.host_variables.get(&(level, host.into()))?.get(name).map(|(found, _)| found);
        if let Some(found) = of_host(Level::Beside).or_else(|| of_host(Level::Inventory)) {
            return Some(found);
        }
        let groups = graph.groups_of(host);
        let of_group = |level, group: &str| -> Option<&Assignment> {
            let variables: &GroupVariables =
                self.by_group(group, |written| self.index.group_variables.get(&(level, written.into())))?;
            variables.get(name)
        };
        [Level::Beside, Level::Inventory]
            .into_iter()
            .find_map(|level| groups.iter().copied().chain(["all"]).find_map(|group| of_group(level, group)))
    }

    /// The whole of the first source.
    pub(super) fn whole(&self) -> Option<Place> {
        self.first.as_ref().map(diagnostic::Source::whole)
    }

    /// Looks a group up as Ansible names it, then as it may be written.
    fn by_group<'s, T: ?Sized>(&'s self, group: &str, find: impl Fn(&str) -> Option<&'s T>) -> Option<&'s T> {
        find(group).or_else(|| find(self.unsafe_names.get(group)?))
    }

    fn tree(&self, file: usize) -> Option<&Tree> {
        self.index.files.get(file)?.parsed.as_ref()?.tree()
    }

    fn place(&self, spot: Spot) -> Place {
        self.index.place(spot)
    }
}

/// What Ansible refuses in an inventory in INI, with the places that it does not tell; nothing for a file that is none. `all` are
/// the files of the inventory, which may declare groups of each other.
pub(crate) fn judge_ini(name: &str, all: &[Source]) -> Vec<Diagnostic> {
    let mut index = Index::default();
    for source in all.iter().filter(|source| owner(&source.name).is_none()) {
        let kind = if source.name == name { Kind::IniInventory } else { kind(&source.name, &[]) };
        read(source, kind, &mut index);
    }
    let Some(file) = index.files.iter().position(|file| file.source.name() == name) else { return Vec::new() };
    // A program is none, and of a file in YAML one line tells as much as all.
    if index.files.get(file).is_some_and(|file| file.source.text().starts_with("#!")) {
        return Vec::new();
    }
    if let Some(slip) = index.slips.iter().find(|slip| slip.spot.file == file && slip.what == ini::YAML) {
        return vec![index.diagnostic(slip)];
    }
    let own = |slip: &&Slip| slip.spot.file == file;
    let mut slips: Vec<Slip> = index.slips.iter().filter(own).filter(|slip| slip.earlier.is_none()).cloned().collect();
    if slips.is_empty() {
        slips = ini::undeclared(&index, file);
    }
    slips.iter().map(|slip| index.diagnostic(slip)).collect()
}

/// What Ansible refuses in an inventory in YAML although it is YAML, with the places that it does not tell.
pub(crate) fn judge_yaml(name: &str, all: &[Source]) -> Vec<Diagnostic> {
    let mut index = Index::default();
    all.iter().filter(|source| source.name == name).for_each(|source| read(source, Kind::YamlInventory, &mut index));
    let own = |slip: &&Slip| slip.code == codes::YAML;
    index.slips.iter().filter(own).map(|slip| index.diagnostic(slip)).collect()
}

/// A pointer with the tokens of a path.
fn pointer_of(pointer: &str, path: &[&str]) -> String {
    path.iter().fold(pointer.to_owned(), |pointer, token| format!("{pointer}/{}", yaml::escaped(token)))
}

/// The name that Ansible gives a group whose name is no name of a variable, where it is told to; `None` if that is the same.
fn safe(name: &str) -> Option<String> {
    let safe: String = name
        .char_indices()
        .map(|(at, c)| if c == '_' || c.is_ascii_alphabetic() || (at > 0 && c.is_ascii_digit()) { c } else { '_' })
        .collect();
    (safe != name).then_some(safe)
}

/// What a file is, by its path and by the plugin that read it.
fn kind<'a>(name: &'a str, sources: &[FactSource]) -> Kind<'a> {
    if let Some(owner) = owner(name) {
        return Kind::Variables(owner);
    }
    let plugin = sources.iter().find(|source| source.path == name).map(|source| source.plugin.as_str());
    let extension = name.rsplit('/').next().unwrap_or_default().rsplit_once('.').map_or("", |(_, extension)| extension);
    match plugin.map(|plugin| plugin.strip_prefix("ansible.builtin.").unwrap_or(plugin)) {
        Some("yaml") => Kind::YamlInventory,
        Some("ini") => Kind::IniInventory,
        Some(_) => Kind::Other,
        None if matches!(extension, "yml" | "yaml" | "json") => Kind::YamlInventory,
        None => Kind::Inventory,
    }
}

/// Whether a file lies where variables of groups and hosts do.
pub(crate) fn is_of_variables(name: &str) -> bool {
    owner(name).is_some()
}

/// Whose variables a file holds: the component after `group_vars` or `host_vars` says it.
fn owner(name: &str) -> Option<Owner<'_>> {
    let mut parts = name.split('/');
    let folder = parts.by_ref().find(|part| matches!(*part, "group_vars" | "host_vars"))?;
    let owner = parts.next()?;
    let is_file = parts.next().is_none();
    let stem = [".yml", ".yaml", ".json"].into_iter().find_map(|end| owner.strip_suffix(end)).filter(|_| is_file);
    let owner = stem.unwrap_or(owner);
    Some(if folder == "group_vars" { Owner::Group(owner) } else { Owner::Host(owner, true) })
}

fn read(source: &Source, kind: Kind<'_>, index: &mut Index) {
    let text = String::from_utf8_lossy(&source.bytes);
    let text = diagnostic::Source::private(&source.name, &text);
    let number = index.files.len();
    let parsed = match kind {
        Kind::YamlInventory | Kind::Inventory | Kind::Variables(_) => Some(document::parse(&text)),
        Kind::IniInventory | Kind::Other => None,
    };
    let tree = parsed.as_ref().and_then(document::Parsed::tree);
    let is_mapping = |tree: &&Tree| matches!(tree.content(tree.root()), document::tree::Content::Mapping(_));
    match (kind, tree.filter(is_mapping)) {
        (Kind::YamlInventory | Kind::Inventory, Some(tree)) => {
            yaml::inventory(tree, number, index);
            shape::judge(tree, number, index);
        }
        (Kind::Variables(owner), Some(tree)) => yaml::variables(tree, number, index, owner),
        (Kind::IniInventory | Kind::Inventory, _) => ini::read(text.text(), number, index),
        (Kind::YamlInventory | Kind::Variables(_) | Kind::Other, _) => {}
    }
    index.files.push(File { name: source.name.as_str().into(), source: text, parsed });
}

/// What stands for a membership that no static file has: the one source that may have brought it.
fn elsewhere(facts: &Facts, index: &Index) -> Origin {
    let read_again = |source: &&FactSource| {
        let name = |file: &File| file.source.name() == source.path;
        !index.files.iter().any(name) || !matches!(source.plugin.as_str(), "yaml" | "ini")
    };
    let mut others = facts.sources.iter().filter(read_again);
    match (others.next(), others.next()) {
        (Some(only), None) => Origin::Plugin { plugin: only.plugin.as_str().into(), source: only.path.as_str().into() },
        _ => Origin::Unknown,
    }
}
