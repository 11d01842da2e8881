//! The tree of a text: what was written, where, and in which style.

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

/// What a node holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A scalar.
    Scalar(Text),
    /// A list.
    List(Vec<NodeId>),
    /// A mapping.
    Mapping(Mapping),
    /// A reference to another node.
    Alias(NodeId),
}

/// The text of a scalar after its escapes and folds were undone.
#[derive(Clone, Debug)]
pub enum Text {
    /// It stands in the source as it is.
    Slice(Range<usize>),
    /// It had to be made.
    Made(Box<str>),
}

/// One node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands: a scalar with its quotes; a collection up to its end.
    pub span: Range<usize>,
    /// How it was written.
    pub style: Style,
    /// Its tag.
    pub tag: Tag,
    /// The name of its anchor.
    pub anchor: Option<Box<str>>,
    /// What it holds.
    pub content: Content,
    /// How many nodes it stands for when every alias is written out.
    pub(super) weight: u64,
    /// How many levels it has when every alias is written out; a scalar has one.
    pub(super) height: usize,
}

impl Node {
    /// A node without an anchor that stands for itself alone.
    pub(super) fn leaf(span: Range<usize>, style: Style, tag: Tag, content: Content) -> Self {
        Self { span, style, tag, anchor: None, content, weight: 1, height: 1 }
    }

    /// A node in the place of one that cannot be read, which has been reported.
    pub(super) fn unreadable(span: Range<usize>) -> Self {
        Self::leaf(span, Style::Quoted, Tag::Foreign("".into()), Content::Scalar(Text::Made("".into())))
    }
}

impl Text {
    /// The text itself.
    pub(super) fn of<'t>(&'t self, source: &'t Source) -> &'t str {
        match self {
            Self::Slice(range) => source.text().get(range.clone()).unwrap_or_default(),
            Self::Made(text) => text,
        }
    }
}

/// A key with its value.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key: a scalar.
    pub key: NodeId,
    /// The value.
    pub value: NodeId,
}

/// The entries of a mapping in the order of the text; those that a merge key brings in stand last.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    pub(super) entries: Vec<Entry>,
    /// The numbers of the entries by the text of their keys; empty for a mapping that is small enough to be searched.
    pub(super) sorted: Vec<u32>,
}

/// Up to this many entries a search from the first to the last is the fastest.
pub(super) const SMALL: usize = 12;

impl Mapping {
    /// The entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// A text, taken apart.
#[derive(Clone, Debug)]
pub struct Tree {
    source: Arc<Source>,
    nodes: Vec<Node>,
    root: NodeId,
}

impl Tree {
    pub(super) fn empty(source: &Arc<Source>) -> Self {
        Self { source: Arc::clone(source), nodes: Vec::new(), root: NodeId(0) }
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        // A text of 4 MiB at most has fewer nodes than that; a saturated number would only repeat the last node.
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    /// Notes the name of the anchor that stands before a node.
    pub(super) fn name_anchor(&mut self, id: NodeId, name: &str) {
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.anchor = Some(name.into());
        }
    }

    /// Whether a key is the merge key of YAML 1.1: `<<` without quotes.
    pub(super) fn is_merge_key(&self, id: NodeId) -> bool {
        self.node(id).style == Style::Plain && self.text(id) == Some("<<")
    }

    pub(super) fn set_root(&mut self, root: NodeId) {
        self.root = root;
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The text that it was read from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The outermost node.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The node as it was written.
    pub fn node(&self, id: NodeId) -> &Node {
        #[expect(clippy::indexing_slicing, reason = "a number is only made by `add`, and nodes are never removed")]
        &self.nodes[id.0 as usize]
    }

    /// The node, or what it refers to if it is an alias.
    pub fn target(&self, id: NodeId) -> &Node {
        match self.node(id).content {
            // An alias refers to a node that is none: the parser resolves it when it is added.
            Content::Alias(target) => self.node(target),
            _ => self.node(id),
        }
    }

    /// The text of a scalar or of the scalar that an alias refers to; `None` for a collection.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.target(id).content {
            Content::Scalar(text) => Some(text.of(&self.source)),
            _ => None,
        }
    }

    /// The entry of this key.
    pub fn entry(&self, mapping: &Mapping, key: &str) -> Option<Entry> {
        let written = |entry: &Entry| self.text(entry.key).unwrap_or_default();
        if mapping.sorted.is_empty() {
            return mapping.entries.iter().find(|entry| written(entry) == key).copied();
        }
        let nth = |number: &u32| mapping.entries.get(*number as usize);
        let at = mapping.sorted.binary_search_by(|number| nth(number).map_or("", written).cmp(key)).ok()?;
        mapping.sorted.get(at).and_then(nth).copied()
    }

    /// What stands at a JSON pointer, or at the nearest of its ancestors that is written.
    pub fn find(&self, pointer: &str) -> Found {
        let mut found = Found { key: None, value: self.root };
        for token in pointer.split('/').skip(1) {
            let next = match &self.target(found.value).content {
                Content::Mapping(mapping) => self
                    .entry(mapping, &unescape(token))
                    .map(|entry| Found { key: Some(entry.key), value: entry.value }),
                Content::List(items) => token
                    .parse::<usize>()
                    .ok()
                    .and_then(|at| items.get(at))
                    .map(|item| Found { key: None, value: *item }),
                _ => None,
            };
            match next {
                Some(next) => found = next,
                None => break,
            }
        }
        found
    }

    /// The place that a reader is shown for a value: a scalar itself; for a collection its key, or its first line.
    pub fn place(&self, pointer: &str) -> Place {
        self.shown(self.find(pointer)).with_key(pointer)
    }

    /// The place of the key at a JSON pointer; that of the value where there is no key, as in a list.
    pub fn key_place(&self, pointer: &str) -> Place {
        let found = self.find(pointer);
        match found.key {
            Some(key) => self.node_place(key).with_key(pointer),
            None => self.place(pointer),
        }
    }

    /// The place of a node: of a collection only the first line.
    pub fn node_place(&self, id: NodeId) -> Place {
        let node = self.node(id);
        let text = self.source.text();
        let written = text.get(node.span.clone()).unwrap_or_default();
        let first = written.split('\n').next().unwrap_or_default().trim_end();
        self.source.place(node.span.start..node.span.start + first.len())
    }

    fn shown(&self, found: Found) -> Place {
        match (found.key, &self.node(found.value).content) {
            (Some(key), Content::List(_) | Content::Mapping(_)) => self.node_place(key),
            (Some(key), _) if self.node(found.value).span.is_empty() => self.node_place(key),
            _ => self.node_place(found.value),
        }
    }
}

/// What a pointer leads to.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its key, if it is the value of one.
    pub key: Option<NodeId>,
    /// The value.
    pub value: NodeId,
}

/// A token of a JSON pointer (RFC 6901) as the key that it stands for.
pub(super) fn unescape(token: &str) -> std::borrow::Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}

/// A pointer, one key longer.
pub(super) fn join(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}
