//! The tree of a text: what was written, where, and in which style.
//!
//! All nodes lie in one list, all items of lists in a second and all entries of mappings in a third: a large document costs a
//! few allocations, and a node that an alias refers to is there once.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Place, Source};

/// A node of a [`Tree`], by its number.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NodeId(u32);

/// How a node was written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Style {
    /// A scalar without quotes.
    Plain,
    /// A scalar in quotes.
    Quoted,
    /// A scalar in a block (`|` or `>`).
    Block,
    /// A list or mapping by indentation.
    Indented,
    /// A list or mapping in brackets or braces.
    Bracketed,
    /// A reference to an anchor (`*name`).
    Alias,
}

/// The tag of a node.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Tag {
    /// None was written.
    Absent,
    /// A tag of the YAML core schema, without its prefix: `str`, `int`, `map`.
    Core(Box<str>),
    /// The non-specific tag `!`: a scalar that has it is a text.
    NonSpecific,
    /// Any other tag, as it resolves.
    Foreign(Box<str>),
}

/// What a node holds; an alias holds what it refers to.
#[derive(Clone, Copy, Debug)]
pub enum Content<'t> {
    /// A scalar: its text after escapes and folds were undone.
    Scalar(&'t str),
    /// A list.
    List(&'t [NodeId]),
    /// A mapping: its entries in the order of the text; those that a merge key brings in stand last.
    Mapping(&'t [Entry]),
}

/// A key with its value.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key: a scalar.
    pub key: NodeId,
    /// The value.
    pub value: NodeId,
}

/// What a pointer leads to.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its key, if it is the value of one.
    pub key: Option<NodeId>,
    /// The value.
    pub value: NodeId,
}

/// One node. Numbers are 32 bits wide: a text has 4 MiB at most.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) style: Style,
    /// How many levels it has when every alias is written out; a scalar has one.
    pub(super) height: u8,
    /// How many nodes it stands for when every alias is written out.
    pub(super) weight: u32,
    pub(super) held: Held,
}

/// What a node holds, by numbers.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// A scalar that stands in the source as it is.
    Slice(u32, u32),
    /// A scalar whose text had to be made.
    Made(Box<str>),
    /// A part of the items.
    List(u32, u32),
    /// A part of the entries.
    Mapping(u32, u32),
    Alias(NodeId),
}

/// A text, taken apart.
#[derive(Clone, Debug)]
pub struct Tree {
    source: Arc<Source>,
    nodes: Vec<Node>,
    items: Vec<NodeId>,
    entries: Vec<Entry>,
    /// The entries of large mappings in the order of their keys, by the number of their first entry.
    sorted: BTreeMap<u32, Box<[Entry]>>,
    tags: BTreeMap<NodeId, Tag>,
    anchors: BTreeMap<NodeId, Box<str>>,
    root: NodeId,
}

/// Up to this many entries a search from the first to the last is the fastest.
const SMALL: usize = 12;

/// A number within a text, which is far shorter than what 32 bits can count.
pub(super) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Building.
impl Tree {
    pub(super) fn empty(source: &Arc<Source>) -> Self {
        Self {
            source: Arc::clone(source),
            // A guess that is rarely exceeded; memory that is not written to costs nothing.
            nodes: Vec::with_capacity(source.text().len() / 8 + 8),
            items: Vec::new(),
            entries: Vec::with_capacity(source.text().len() / 16 + 8),
            sorted: BTreeMap::new(),
            tags: BTreeMap::new(),
            anchors: BTreeMap::new(),
            root: NodeId(0),
        }
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(narrow(self.nodes.len()));
        self.nodes.push(node);
        id
    }

    /// Takes the items of a list that is complete.
    pub(super) fn list(&mut self, items: impl Iterator<Item = NodeId>) -> Held {
        let start = narrow(self.items.len());
        self.items.extend(items);
        Held::List(start, narrow(self.items.len()))
    }

    /// Takes the entries of a mapping that is complete; `sorted` are the same by their keys, if they are many.
    pub(super) fn mapping(&mut self, entries: &[Entry], sorted: Option<Box<[Entry]>>) -> Held {
        let start = narrow(self.entries.len());
        self.entries.extend_from_slice(entries);
        if let Some(sorted) = sorted {
            self.sorted.insert(start, sorted);
        }
        Held::Mapping(start, narrow(self.entries.len()))
    }

    /// The entries by their keys, if they are so many that a search would be slow. Of equal keys the first stays first.
    pub(super) fn by_key(&self, entries: &[Entry]) -> Option<Box<[Entry]>> {
        (entries.len() > SMALL).then(|| {
            let mut sorted: Box<[Entry]> = entries.into();
            sorted.sort_by(|a, b| self.text(a.key).cmp(&self.text(b.key)));
            sorted
        })
    }

    pub(super) fn set_tag(&mut self, id: NodeId, tag: Tag) {
        if tag != Tag::Absent {
            self.tags.insert(id, tag);
        }
    }

    pub(super) fn set_anchor(&mut self, id: NodeId, name: &str) {
        self.anchors.insert(id, name.into());
    }

    pub(super) fn set_root(&mut self, root: NodeId) {
        self.root = root;
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        #[expect(clippy::indexing_slicing, reason = "a number is only made by `add`, and nodes are never removed")]
        &self.nodes[id.0 as usize]
    }

    /// The node that an alias refers to, which is no alias itself; any other node is its own target.
    pub(super) fn target(&self, id: NodeId) -> NodeId {
        match self.node(id).held {
            Held::Alias(target) => target,
            _ => id,
        }
    }

    /// Whether a key is the merge key of YAML 1.1: `<<` without quotes.
    pub(super) fn is_merge_key(&self, id: NodeId) -> bool {
        self.style(id) == Style::Plain && self.text(id) == Some("<<")
    }
}

/// Reading.
impl Tree {
    /// The text that it was read from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The outermost node.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Where a node stands, in bytes: a scalar with its quotes, a collection up to its end.
    pub fn span(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    /// How it was written.
    pub fn style(&self, id: NodeId) -> Style {
        self.node(id).style
    }

    /// Its tag.
    pub fn tag(&self, id: NodeId) -> &Tag {
        self.tags.get(&id).unwrap_or(&Tag::Absent)
    }

    /// The name of its anchor.
    pub fn anchor(&self, id: NodeId) -> Option<&str> {
        self.anchors.get(&id).map(|name| &**name)
    }

    /// What it holds.
    pub fn content(&self, id: NodeId) -> Content<'_> {
        let part = |start: u32, end: u32| start as usize..end as usize;
        match &self.node(self.target(id)).held {
            Held::Slice(start, end) => Content::Scalar(self.source.text().get(part(*start, *end)).unwrap_or_default()),
            Held::Made(text) => Content::Scalar(text),
            Held::List(start, end) => Content::List(self.items.get(part(*start, *end)).unwrap_or_default()),
            Held::Mapping(start, end) => Content::Mapping(self.entries.get(part(*start, *end)).unwrap_or_default()),
            Held::Alias(_) => Content::Scalar(""), // A target is no alias.
        }
    }

    /// The text of a scalar; `None` for a collection.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match self.content(id) {
            Content::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The entry of this key in a mapping.
    pub fn entry(&self, mapping: NodeId, key: &str) -> Option<Entry> {
        let Held::Mapping(start, _) = self.node(self.target(mapping)).held else {
            return None;
        };
        if let Some(sorted) = self.sorted.get(&start) {
            let at = sorted.partition_point(|entry| self.text(entry.key).unwrap_or_default() < key);
            return sorted.get(at).filter(|entry| self.text(entry.key) == Some(key)).copied();
        }
        match self.content(mapping) {
            Content::Mapping(entries) => entries.iter().find(|entry| self.text(entry.key) == Some(key)).copied(),
            _ => None,
        }
    }

    /// What stands at a JSON pointer, or at the nearest of its ancestors that is written.
    pub fn find(&self, pointer: &str) -> Found {
        let mut found = Found { key: None, value: self.root };
        for token in pointer.split('/').skip(1) {
            let next = match self.content(found.value) {
                Content::Mapping(_) => self
                    .entry(found.value, &unescape(token))
                    .map(|entry| Found { key: Some(entry.key), value: entry.value }),
                Content::List(items) => token
                    .parse::<usize>()
                    .ok()
                    .and_then(|at| items.get(at))
                    .map(|item| Found { key: None, value: *item }),
                Content::Scalar(_) => None,
            };
            match next {
                Some(next) => found = next,
                None => break,
            }
        }
        found
    }

    /// The node at a JSON pointer, if it is written.
    fn at(&self, pointer: &str) -> Option<NodeId> {
        let mut tokens = pointer.split('/').skip(1);
        tokens.try_fold(self.root, |node, token| match self.content(node) {
            Content::Mapping(_) => self.entry(node, &unescape(token)).map(|entry| entry.value),
            Content::List(items) => items.get(token.parse::<usize>().ok()?).copied(),
            Content::Scalar(_) => None,
        })
    }

    /// Whether a node is written at a JSON pointer.
    pub(super) fn is_written(&self, pointer: &str) -> bool {
        self.at(pointer).is_some()
    }

    /// The text of the scalar at a JSON pointer, if one is written there.
    pub fn text_at(&self, pointer: &str) -> Option<&str> {
        self.text(self.at(pointer)?)
    }

    /// How many items the list at a JSON pointer has; none if no list is written there.
    pub fn length_at(&self, pointer: &str) -> usize {
        match self.at(pointer).map(|node| self.content(node)) {
            Some(Content::List(items)) => items.len(),
            _ => 0,
        }
    }

    /// Whether any node can be referred to by an alias.
    pub fn has_anchors(&self) -> bool {
        !self.anchors.is_empty()
    }

    /// The place that a reader is shown for a value: a scalar itself; for a collection its key, or its first line.
    pub fn place(&self, pointer: &str) -> Place {
        let found = self.find(pointer);
        let collection = matches!(self.style(found.value), Style::Indented | Style::Bracketed);
        let shown = match found.key {
            Some(key) if collection || self.span(found.value).is_empty() => key,
            _ => found.value,
        };
        self.node_place(shown).with_key(pointer)
    }

    /// The place of the key at a JSON pointer; that of the value where there is no key, as in a list.
    pub fn key_place(&self, pointer: &str) -> Place {
        match self.find(pointer).key {
            Some(key) => self.node_place(key).with_key(pointer),
            None => self.place(pointer),
        }
    }

    /// The place of a node: of one with several lines only the first.
    pub fn node_place(&self, id: NodeId) -> Place {
        let span = self.span(id);
        let written = self.source.text().get(span.clone()).unwrap_or_default();
        let first = written.split('\n').next().unwrap_or_default().trim_end();
        self.source.place(span.start..span.start + first.len())
    }
}

/// A token of a JSON pointer (RFC 6901) as the key that it stands for.
pub(super) fn unescape(token: &str) -> std::borrow::Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}

/// A pointer, one key longer.
pub(super) fn join(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The pointers of all that holds what a pointer leads to, from the root.
pub(super) fn above(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.match_indices('/').filter_map(|(end, _)| pointer.get(..end))
}
