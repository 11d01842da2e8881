//! From the events of the YAML parser to the nodes of the tree.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, ScalarStyle, ScanError, Span, StructureStyle};

use super::parse::{MAX_ALIASED_NODES, MAX_DEPTH};
use super::tree::{Content, Entry, Mapping, Node, NodeId, Style, Tag, Text, Tree};
use super::{codes, mapping, tag};
use crate::diagnostic::{Code, Diagnostic, Findings, Privacy, Source};

/// A fault after which the text cannot be taken apart any further.
pub(super) type Step = Result<(), Diagnostic>;

/// A collection that is still open.
struct Open {
    node: Node,
    anchor: usize,
    /// A key that waits for its value.
    key: Option<NodeId>,
    /// The values of merge keys.
    merges: Vec<NodeId>,
}

/// What has been built so far.
pub(super) struct Builder<'a> {
    tree: Tree,
    source: Arc<Source>,
    findings: &'a mut Findings,
    stack: Vec<Open>,
    /// The node of each anchor number; `None` while it is open.
    anchors: HashMap<usize, Option<NodeId>>,
    /// The scalar that the next anchor event would name; `None` if it would name the innermost open collection.
    last: Option<NodeId>,
    /// How many entries merge keys have brought in.
    merged: u64,
    documents: usize,
    root: Option<NodeId>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(source: &Arc<Source>, findings: &'a mut Findings) -> Self {
        Self {
            tree: Tree::empty(source),
            source: Arc::clone(source),
            findings,
            stack: Vec::new(),
            anchors: HashMap::new(),
            last: None,
            merged: 0,
            documents: 0,
            root: None,
        }
    }

    /// Takes one event.
    pub(super) fn take(&mut self, event: Event<'_>, span: &Span) -> Step {
        let range = bytes(span);
        if let Event::Scalar(_, _, _, Some(tag))
        | Event::SequenceStart(.., Some(tag))
        | Event::MappingStart(.., Some(tag)) = &event
        {
            let written = span.tag_span().map_or(range.start..range.start, |tag| bytes(&tag));
            tag::check(&self.source, &event, &tag::of(Some(tag)), written, self.findings);
        }
        match event {
            Event::DocumentStart(..) => return self.document(range),
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, range, anchor, tag::of(tag.as_deref())),
            Event::SequenceStart(style, anchor, tag) => {
                self.open(range, style, Content::List(Vec::new()), anchor, tag::of(tag.as_deref()));
            }
            Event::MappingStart(style, anchor, tag) => {
                self.open(range, style, Content::Mapping(Mapping::default()), anchor, tag::of(tag.as_deref()));
            }
            Event::SequenceEnd | Event::MappingEnd => return self.close(&range),
            Event::Alias(anchor) => self.alias(anchor, range),
            Event::UnresolvedAlias(name) => self.unresolved(&name, range),
            // The anchor event follows the node that it names, before the node's children.
            Event::Anchor(_, name) => match (self.last, self.stack.last_mut()) {
                (Some(id), _) => self.tree.name_anchor(id, &name),
                (None, Some(open)) => open.node.anchor = Some(name.into()),
                (None, None) => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn document(&mut self, range: Range<usize>) -> Step {
        self.documents += 1;
        if self.documents < 2 {
            return Ok(());
        }
        Err(Diagnostic::error(codes::SEVERAL_DOCUMENTS, "a second document begins here")
            .at(self.source.place(range), "")
            .help("keep one document in a file and leave out what follows this line"))
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, range: Range<usize>, anchor: usize, tag: Tag) {
        let text = self.text_of(text, style, &range);
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        let node = Node::leaf(range, style, tag, Content::Scalar(text));
        self.leaf(node, anchor);
    }

    /// The text of a scalar, as a slice of the source where it stands there unchanged.
    fn text_of(&self, text: Cow<'_, str>, style: ScalarStyle, range: &Range<usize>) -> Text {
        if style == ScalarStyle::Plain && range.is_empty() {
            return Text::Made("".into()); // The parser says `~` for a value that is not written.
        }
        let inner = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => range.start + 1..range.end.saturating_sub(1),
            _ => range.clone(),
        };
        if self.source.text().get(inner.clone()) == Some(&*text) { Text::Slice(inner) } else { Text::Made(text.into()) }
    }

    fn leaf(&mut self, node: Node, anchor: usize) {
        let id = self.tree.add(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Some(id));
        }
        self.last = Some(id);
        self.attach(id);
    }

    fn open(&mut self, range: Range<usize>, style: StructureStyle, content: Content, anchor: usize, tag: Tag) {
        let style = match style {
            StructureStyle::Block => Style::Indented,
            StructureStyle::Flow => Style::Bracketed,
        };
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        self.last = None;
        let node = Node::leaf(range, style, tag, content);
        self.stack.push(Open { node, anchor, key: None, merges: Vec::new() });
    }

    fn close(&mut self, range: &Range<usize>) -> Step {
        let Some(Open { mut node, anchor, merges, .. }) = self.stack.pop() else {
            return Ok(());
        };
        node.span.end = range.end.max(node.span.end);
        if let Content::Mapping(mapping) = &mut node.content {
            mapping::index(&self.tree, mapping, self.findings);
            if !mapping::merge(&self.tree, mapping, &merges, &mut self.merged, self.findings) {
                return Err(self.over_budget(node.span.start, "merge keys bring in", "entries"));
            }
        }
        self.measure(&mut node)?;
        let id = self.tree.add(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Some(id));
        }
        self.last = None;
        self.attach(id);
        Ok(())
    }

    /// Weighs a collection whose children are known, and holds it against the budget.
    fn measure(&self, node: &mut Node) -> Step {
        let (mut weight, mut height) = (node.weight, node.height);
        let mut add = |child: NodeId| {
            let child = self.tree.node(child);
            weight = weight.saturating_add(child.weight);
            height = height.max(child.height + 1);
        };
        match &node.content {
            Content::List(items) => items.iter().copied().for_each(&mut add),
            Content::Mapping(mapping) => mapping.entries.iter().flat_map(|e| [e.key, e.value]).for_each(&mut add),
            Content::Scalar(_) | Content::Alias(_) => {}
        }
        (node.weight, node.height) = (weight, height);
        // A level is a collection; a scalar at the bottom is none.
        if height > MAX_DEPTH + 1 {
            return Err(self.too_deep(node.span.start));
        }
        if weight > self.tree.len() as u64 + MAX_ALIASED_NODES {
            return Err(self.over_budget(node.span.start, "the aliases in it stand for", "values"));
        }
        Ok(())
    }

    fn over_budget(&self, at: usize, what: &str, unit: &str) -> Diagnostic {
        Diagnostic::error(codes::BUDGET, format!("{what} more than {MAX_ALIASED_NODES} {unit}"))
            .at(self.source.place(at..at), "")
            .help("write the values out, with fewer aliases")
    }

    fn too_deep(&self, at: usize) -> Diagnostic {
        let words = format!("lists and mappings lie in one another more than {MAX_DEPTH} levels deep");
        Diagnostic::error(codes::BUDGET, words)
            .at(self.source.place(at..at), "")
            .help("write the values with fewer levels")
    }

    fn alias(&mut self, anchor: usize, range: Range<usize>) {
        let Some(Some(target)) = self.anchors.get(&anchor).copied() else {
            let words = "this alias stands inside the value that it refers to".to_owned();
            self.fault(codes::ALIAS, words, &range, "write the value out");
            return self.leaf(Node::unreadable(range), 0);
        };
        let target = match self.tree.node(target).content {
            Content::Alias(further) => further,
            _ => target,
        };
        let (weight, height) = (self.tree.node(target).weight, self.tree.node(target).height);
        let node = Node { weight, height, ..Node::leaf(range, Style::Alias, Tag::Absent, Content::Alias(target)) };
        self.leaf(node, 0);
    }

    fn unresolved(&mut self, name: &str, range: Range<usize>) {
        let words = match self.source.privacy() {
            Privacy::Public => format!("no anchor `&{}` stands before this alias", name.escape_debug()),
            // A password that begins with `*` would be taken for an alias.
            Privacy::Private => "no anchor of this name stands before this alias".to_owned(),
        };
        let help = "write `&` and the name before the value that is meant; put a text that begins with `*` into quotes";
        self.fault(codes::ALIAS, words, &range, help);
        self.leaf(Node::unreadable(range), 0);
    }

    /// Puts a finished node where it belongs.
    fn attach(&mut self, id: NodeId) {
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(id);
            return;
        };
        match (&mut open.node.content, open.key.take()) {
            (Content::List(items), _) => items.push(id),
            (Content::Mapping(_), None) => open.key = Some(id),
            (Content::Mapping(_), Some(key)) if self.tree.is_merge_key(key) => open.merges.push(id),
            (Content::Mapping(mapping), Some(key)) if self.tree.text(key).is_some() => {
                mapping.entries.push(Entry { key, value: id });
            }
            (_, Some(key)) => {
                let place = self.tree.node_place(key);
                let words = "a list or mapping cannot be a key";
                self.findings.push(Diagnostic::error(codes::KEY, words).at(place, "").help("write a text as the key"));
            }
            (_, None) => {}
        }
    }

    fn fault(&mut self, code: Code, words: String, range: &Range<usize>, help: &str) {
        let place = self.source.place(range.clone());
        self.findings.push(Diagnostic::error(code, words).at(place, "").help(help));
    }

    /// The diagnostic of what the parser refuses.
    pub(super) fn syntax(&self, error: &ScanError) -> Diagnostic {
        let at = error.marker().byte_offset().unwrap_or(0).min(self.source.text().len());
        match error.kind() {
            ErrorKind::RecursionLimitExceeded => self.too_deep(at),
            kind => super::syntax::diagnostic(kind, self.source.place(at..at)),
        }
    }

    /// The tree, when the events are at their end.
    pub(super) fn finish(mut self) -> Option<Tree> {
        let Some(root) = self.root else {
            let help = "write the document, beginning with its `version`";
            let place = self.source.whole();
            self.findings.push(Diagnostic::error(codes::EMPTY, "this text holds no document").at(place, "").help(help));
            return None;
        };
        self.tree.set_root(root);
        Some(self.tree)
    }
}

fn bytes(span: &Span) -> Range<usize> {
    let start = span.start.byte_offset().unwrap_or(0);
    start..span.end.byte_offset().unwrap_or(start).max(start)
}
