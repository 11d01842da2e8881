//! From the events of the YAML parser to the nodes of the tree.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, ScalarStyle, ScanError, Span, StructureStyle};

use super::parse::{MAX_ALIASED_NODES, MAX_DEPTH};
use super::tree::{Entry, Held, Node, NodeId, Style, Tag, Tree, narrow};
use super::{codes, mapping, tag};
use crate::diagnostic::{Code, Diagnostic, Findings, Source};

/// A fault after which the text cannot be taken apart any further.
pub(super) type Step = Result<(), Diagnostic>;

/// A collection that is still open.
struct Open {
    start: usize,
    style: Style,
    list: bool,
    tag: Tag,
    anchor: usize,
    anchor_name: Option<Box<str>>,
    /// A key that waits for its value.
    key: Option<NodeId>,
    /// How many items and entries of outer collections lie below those of this one.
    below: (usize, usize),
    /// The values of merge keys.
    merges: Vec<NodeId>,
}

/// What has been built so far.
pub(super) struct Builder<'a> {
    tree: Tree,
    source: Arc<Source>,
    findings: &'a mut Findings,
    stack: Vec<Open>,
    /// The items and the entries of all open collections, those of the innermost last.
    items: Vec<NodeId>,
    entries: Vec<Entry>,
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
            items: Vec::new(),
            entries: Vec::new(),
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
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text, style, &range, anchor, tag::of(tag.as_deref()));
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.open(&range, style, true, anchor, tag::of(tag.as_deref()));
            }
            Event::MappingStart(style, anchor, tag) => {
                self.open(&range, style, false, anchor, tag::of(tag.as_deref()));
            }
            Event::SequenceEnd | Event::MappingEnd => return self.close(&range),
            Event::Alias(anchor) => self.alias(anchor, &range),
            Event::UnresolvedAlias(name) => self.unresolved(&name, &range),
            // The anchor event follows the node that it names, before the node's children.
            Event::Anchor(_, name) => match (self.last, self.stack.last_mut()) {
                (Some(id), _) => self.tree.set_anchor(id, &name),
                (None, Some(open)) => open.anchor_name = Some(name.into()),
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

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, range: &Range<usize>, anchor: usize, tag: Tag) {
        let held = self.text(text, style, range);
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        self.leaf(leaf(range, style, held), anchor, tag);
    }

    /// The text of a scalar, as a slice of the source where it stands there unchanged.
    fn text(&self, text: Cow<'_, str>, style: ScalarStyle, range: &Range<usize>) -> Held {
        if style == ScalarStyle::Plain && range.is_empty() {
            return Held::Made("".into()); // The parser says `~` for a value that is not written.
        }
        let inner = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => range.start + 1..range.end.saturating_sub(1),
            _ => range.clone(),
        };
        if self.source.text().get(inner.clone()) == Some(&*text) {
            Held::Slice(narrow(inner.start), narrow(inner.end))
        } else {
            Held::Made(text.into())
        }
    }

    fn leaf(&mut self, node: Node, anchor: usize, tag: Tag) {
        let id = self.tree.add(node);
        self.tree.set_tag(id, tag);
        if anchor != 0 {
            self.anchors.insert(anchor, Some(id));
        }
        self.last = Some(id);
        self.attach(id);
    }

    fn open(&mut self, range: &Range<usize>, style: StructureStyle, list: bool, anchor: usize, tag: Tag) {
        let style = match style {
            StructureStyle::Block => Style::Indented,
            StructureStyle::Flow => Style::Bracketed,
        };
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        self.last = None;
        let below = (self.items.len(), self.entries.len());
        let (start, anchor_name, key, merges) = (range.start, None, None, Vec::new());
        self.stack.push(Open { start, style, list, tag, anchor, anchor_name, key, below, merges });
    }

    fn close(&mut self, range: &Range<usize>) -> Step {
        let Some(open) = self.stack.pop() else {
            return Ok(());
        };
        let (weight, height, held) = if open.list { self.close_list(&open) } else { self.close_mapping(&open)? };
        // A level is a collection; a scalar at the bottom is none.
        if usize::from(height) > MAX_DEPTH + 1 {
            return Err(self.too_deep(open.start));
        }
        if u64::from(weight) > self.tree.len() as u64 + MAX_ALIASED_NODES {
            return Err(self.over_budget(open.start, "the aliases in it stand for", "values"));
        }
        let end = range.end.max(open.start);
        let node = Node { start: narrow(open.start), end: narrow(end), style: open.style, height, weight, held };
        let id = self.tree.add(node);
        self.tree.set_tag(id, open.tag);
        if let Some(name) = open.anchor_name {
            self.tree.set_anchor(id, &name);
        }
        if open.anchor != 0 {
            self.anchors.insert(open.anchor, Some(id));
        }
        self.last = None;
        self.attach(id);
        Ok(())
    }

    fn close_list(&mut self, open: &Open) -> (u32, u8, Held) {
        let (weight, height) = measure(&self.tree, self.items.iter().skip(open.below.0).copied());
        (weight, height, self.tree.list(self.items.drain(open.below.0..)))
    }

    fn close_mapping(&mut self, open: &Open) -> Result<(u32, u8, Held), Diagnostic> {
        let own = self.entries.get(open.below.1..).unwrap_or_default();
        mapping::duplicates(&self.tree, own, self.findings);
        if !open.merges.is_empty() {
            let new = mapping::merged(&self.tree, own, &open.merges, &mut self.merged, self.findings)
                .ok_or_else(|| self.over_budget(open.start, "merge keys bring in", "entries"))?;
            self.entries.extend(new);
        }
        let all = self.entries.get(open.below.1..).unwrap_or_default();
        let (weight, height) = measure(&self.tree, all.iter().flat_map(|entry| [entry.key, entry.value]));
        let sorted = self.tree.by_key(all);
        let held = self.tree.mapping(all, sorted);
        self.entries.truncate(open.below.1);
        Ok((weight, height, held))
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

    fn alias(&mut self, anchor: usize, range: &Range<usize>) {
        let Some(Some(target)) = self.anchors.get(&anchor).copied() else {
            let words = "this alias stands inside the value that it refers to".to_owned();
            self.fault(codes::ALIAS, words, range, "write the value out");
            return self.unreadable(range);
        };
        let target = self.tree.target(target);
        let Node { height, weight, .. } = *self.tree.node(target);
        let node = Node { height, weight, ..leaf(range, Style::Alias, Held::Alias(target)) };
        self.leaf(node, 0, Tag::Absent);
    }

    fn unresolved(&mut self, name: &str, range: &Range<usize>) {
        let words = if self.source.place(range.clone()).excerpt().is_some() {
            format!("no anchor `&{}` stands before this alias", name.escape_debug())
        } else {
            // A password that begins with `*` would be taken for an alias.
            "no anchor of this name stands before this alias".to_owned()
        };
        let help = "write `&` and the name before the value that is meant; put a text that begins with `*` into quotes";
        self.fault(codes::ALIAS, words, range, help);
        self.unreadable(range);
    }

    /// A node in the place of one that cannot be read, which has been reported.
    fn unreadable(&mut self, range: &Range<usize>) {
        self.leaf(leaf(range, Style::Quoted, Held::Made("".into())), 0, Tag::Foreign("".into()));
    }

    /// Puts a finished node where it belongs.
    fn attach(&mut self, id: NodeId) {
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(id);
            return;
        };
        if open.list {
            return self.items.push(id);
        }
        match open.key.take() {
            None => open.key = Some(id),
            Some(key) if self.tree.is_merge_key(key) => open.merges.push(id),
            Some(key) if self.tree.text(key).is_some() => self.entries.push(Entry { key, value: id }),
            Some(key) => {
                let place = self.tree.node_place(key);
                let words = "a list or mapping cannot be a key";
                self.findings.push(Diagnostic::error(codes::KEY, words).at(place, "").help("write a text as the key"));
            }
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
            kind => {
                let bracket = self.bracket().filter(|_| super::syntax::is_of_brackets(kind));
                let open = bracket.map(|open| self.source.place(open..open + 1));
                super::syntax::diagnostic(kind, self.source.place(at..at), open)
            }
        }
    }

    /// Where the innermost bracket or brace stands that is still open. Before it may stand a tag or an anchor.
    fn bracket(&self) -> Option<usize> {
        let mut flow = self.stack.iter().rev().filter(|open| open.style == Style::Bracketed);
        let written = |open: &Open| {
            let rest = self.source.text().get(open.start..)?;
            // A pair within a list (`[a: b]`) is a mapping without braces.
            let own = if open.list { '[' } else { '{' };
            let tagged = rest.starts_with(['!', '&']).then(|| rest.find(own)).flatten();
            rest.starts_with(own).then_some(open.start).or(tagged.map(|at| open.start + at))
        };
        flow.find_map(written)
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

/// A node that stands for itself alone.
fn leaf(range: &Range<usize>, style: Style, held: Held) -> Node {
    Node { start: narrow(range.start), end: narrow(range.end), style, height: 1, weight: 1, held }
}

/// Weight and height of a collection with these children.
fn measure(tree: &Tree, children: impl Iterator<Item = NodeId>) -> (u32, u8) {
    children.fold((1, 1), |(weight, height), child| {
        let child = tree.node(child);
        (child.weight.saturating_add(weight), height.max(child.height.saturating_add(1)))
    })
}

fn bytes(span: &Span) -> Range<usize> {
    let start = span.start.byte_offset().unwrap_or(0);
    start..span.end.byte_offset().unwrap_or(start).max(start)
}
