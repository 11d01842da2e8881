//! The first pass: from the events of the YAML parser to the tree, and the faults that are in the writing itself.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput, StructureStyle};

use super::codes;
use super::scalar::readings;
use super::tree::{Content, Entry, Mapping, Node, NodeId, SMALL, Style, Tag, Text, Tree};
use crate::diagnostic::{Diagnostic, Findings, Place, Privacy, Source};

/// The largest text, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most levels of lists and mappings, aliases written out.
pub const MAX_DEPTH: usize = 64;
/// The most nodes that aliases may add to those that are written.
pub const MAX_ALIASED_NODES: u64 = 100_000;

/// Reads the tree. `None` if the text cannot be taken apart; the faults are in `findings` either way.
pub(super) fn parse(source: &Arc<Source>, findings: &mut Findings) -> Option<Tree> {
    let text = source.text();
    if text.len() > MAX_BYTES {
        let words = format!("this text has {} bytes: {MAX_BYTES} (4 MiB) are allowed", text.len());
        findings.push(
            Diagnostic::error(codes::BUDGET, words).at(source.whole(), "").help("split it into several documents"),
        );
        return None;
    }
    if !control_characters(source, findings) {
        return None;
    }
    let mut builder = Builder::new(source, findings);
    let options = granit_parser::options! {
        emit_comments: false,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    for event in Parser::<StrInput>::new_from_str_with_options(text, options) {
        let step = match event {
            Ok((event, span)) => builder.take(event, span),
            Err(error) => Err(builder.syntax(&error)),
        };
        if let Err(fault) = step {
            builder.findings.push(fault);
            return None;
        }
    }
    builder.finish()
}

/// Reports what YAML counts as not printable (section 5.1); the first few only, for such a text is rarely meant as one.
fn control_characters(source: &Arc<Source>, findings: &mut Findings) -> bool {
    let printable = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{85}' => true,
        c => !(c < ' ' || ('\u{7f}'..='\u{9f}').contains(&c) || matches!(c, '\u{fffe}' | '\u{ffff}')),
    };
    let text = source.text();
    let odd = text.char_indices().filter(|(_, c)| !printable(*c)).take(3);
    let mut clean = true;
    for (at, c) in odd {
        clean = false;
        let words = format!("the control character U+{:04X} cannot stand in a text", u32::from(c));
        // The place is the point before it: the character itself would be printed.
        findings.push(
            Diagnostic::error(codes::CONTROL_CHARACTER, words)
                .at(source.place(at..at), "")
                .help("leave it out, or write it as an escape in double quotes"),
        );
    }
    clean
}

type Step = Result<(), Diagnostic>;

/// A collection that is still open.
struct Open {
    node: Node,
    anchor: usize,
    key: Option<NodeId>,
    merges: Vec<Entry>,
}

struct Builder<'a> {
    tree: Tree,
    source: Arc<Source>,
    findings: &'a mut Findings,
    stack: Vec<Open>,
    /// The node of each anchor number; `None` while it is open.
    anchors: HashMap<usize, Option<NodeId>>,
    /// The scalar that the next anchor event would name; `None` if it would name the innermost open collection.
    last: Option<NodeId>,
    documents: usize,
    root: Option<NodeId>,
}

impl<'a> Builder<'a> {
    fn new(source: &Arc<Source>, findings: &'a mut Findings) -> Self {
        Self {
            tree: Tree::empty(source),
            source: Arc::clone(source),
            findings,
            stack: Vec::new(),
            anchors: HashMap::new(),
            last: None,
            documents: 0,
            root: None,
        }
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Step {
        let range = bytes(&span);
        match event {
            Event::DocumentStart(..) => self.document(range),
            Event::Scalar(text, style, anchor, tag) => {
                let text = self.text_of(text, style, &range);
                let tag = tag_of(tag.as_deref());
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                };
                let node = Node {
                    span: range,
                    style,
                    tag,
                    anchor: None,
                    content: Content::Scalar(text),
                    weight: 1,
                    height: 1,
                };
                self.check_tag(&node);
                self.leaf(node, anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.open(range, style, Content::List(Vec::new()), anchor, tag_of(tag.as_deref()));
                Ok(())
            }
            Event::MappingStart(style, anchor, tag) => {
                self.open(range, style, Content::Mapping(Mapping::default()), anchor, tag_of(tag.as_deref()));
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&range),
            Event::Alias(anchor) => self.alias(anchor, range),
            Event::UnresolvedAlias(name) => {
                let words = match self.source.privacy() {
                    Privacy::Public => format!("no anchor `&{name}` stands before this alias"),
                    Privacy::Private => "no anchor of this name stands before this alias".to_owned(),
                };
                self.fault(
                    codes::ALIAS,
                    words,
                    &range,
                    "write `&` and the name before the value that is meant, or write the value again",
                );
                self.leaf(Node::missing(range), 0)
            }
            Event::Anchor(_, name) => {
                self.name_anchor(&name);
                Ok(())
            }
            _ => Ok(()),
        }
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

    /// The text of a scalar, as a slice of the source where it stands there unchanged.
    fn text_of(&self, text: Cow<'_, str>, style: ScalarStyle, range: &Range<usize>) -> Text {
        if style == ScalarStyle::Plain && range.is_empty() {
            return Text::Made("".into());
        }
        let whole = self.source.text();
        let inner = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => range.start + 1..range.end.saturating_sub(1),
            _ => range.clone(),
        };
        if whole.get(inner.clone()) == Some(&*text) { Text::Slice(inner) } else { Text::Made(text.into()) }
    }

    fn leaf(&mut self, node: Node, anchor: usize) -> Step {
        let id = self.tree.add(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Some(id));
        }
        self.last = Some(id);
        self.place_node(id)
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
        let node = Node { span: range, style, tag, anchor: None, content, weight: 1, height: 1 };
        self.stack.push(Open { node, anchor, key: None, merges: Vec::new() });
    }

    /// The anchor event follows the node that it names, before the node's children.
    fn name_anchor(&mut self, name: &str) {
        match (self.last, self.stack.last_mut()) {
            (Some(id), _) => self.tree.name_anchor(id, name),
            (None, Some(open)) => open.node.anchor = Some(name.into()),
            (None, None) => {}
        }
    }

    fn close(&mut self, range: &Range<usize>) -> Step {
        let Some(mut open) = self.stack.pop() else {
            return Ok(());
        };
        open.node.span.end = range.end.max(open.node.span.end);
        self.check_tag(&open.node);
        if let Content::Mapping(mapping) = &mut open.node.content {
            self.index(mapping, &open.merges);
        }
        self.measure(&mut open.node)?;
        let id = self.tree.add(open.node);
        if open.anchor != 0 {
            self.anchors.insert(open.anchor, Some(id));
        }
        self.last = None;
        self.place_node(id)
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
        let words = if node.height > MAX_DEPTH + 1 {
            format!("lists and mappings lie in one another more than {MAX_DEPTH} levels deep")
        } else if node.weight > self.tree.len() as u64 + MAX_ALIASED_NODES {
            format!("the aliases in it stand for more than {MAX_ALIASED_NODES} values")
        } else {
            return Ok(());
        };
        let start = node.span.start;
        Err(Diagnostic::error(codes::BUDGET, words)
            .at(self.source.place(start..start), "")
            .help("write the values out, with fewer levels and fewer aliases"))
    }

    fn alias(&mut self, anchor: usize, range: Range<usize>) -> Step {
        match self.anchors.get(&anchor) {
            Some(Some(target)) => {
                let target = match self.tree.node(*target).content {
                    Content::Alias(further) => further,
                    _ => *target,
                };
                let (weight, height) = (self.tree.node(target).weight, self.tree.node(target).height);
                let node = Node {
                    span: range,
                    style: Style::Alias,
                    tag: Tag::Absent,
                    anchor: None,
                    content: Content::Alias(target),
                    weight,
                    height,
                };
                self.leaf(node, 0)
            }
            _ => {
                self.fault(
                    codes::ALIAS,
                    "this alias stands inside the value that it refers to",
                    &range,
                    "write the value out",
                );
                self.leaf(Node::missing(range), 0)
            }
        }
    }

    /// Puts a finished node where it belongs.
    fn place_node(&mut self, id: NodeId) -> Step {
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(id);
            return Ok(());
        };
        match (&mut open.node.content, open.key.take()) {
            (Content::List(items), _) => items.push(id),
            (Content::Mapping(_), None) => open.key = Some(id),
            (Content::Mapping(mapping), Some(key)) => {
                let entry = Entry { key, value: id };
                if self.tree.is_merge_key(key) {
                    open.merges.push(entry);
                } else if self.tree.text(key).is_some() {
                    mapping.entries.push(entry);
                } else {
                    let place = self.tree.node_place(key);
                    self.findings.push(
                        Diagnostic::error(codes::KEY, "a list or mapping cannot be a key")
                            .at(place, "")
                            .help("write a text as the key"),
                    );
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Sorts the keys, reports those that are written twice, and brings in what is merged.
    fn index(&mut self, mapping: &mut Mapping, merges: &[Entry]) {
        sort(&self.tree, mapping);
        self.duplicates(mapping);
        for merge in merges {
            let sources: Vec<NodeId> = match &self.tree.target(merge.value).content {
                Content::Mapping(_) => vec![merge.value],
                Content::List(items) => items.clone(),
                _ => Vec::new(),
            };
            let maps: Vec<Mapping> = sources
                .iter()
                .filter_map(|id| match &self.tree.target(*id).content {
                    Content::Mapping(map) => Some(map.clone()),
                    _ => None,
                })
                .collect();
            if maps.is_empty() || maps.len() != sources.len() {
                let place = self.tree.node_place(merge.value);
                self.findings.push(
                    Diagnostic::error(codes::ALIAS, "a merge key `<<` takes a mapping or a list of mappings")
                        .at(place, "")
                        .help("write an alias of a mapping, for example `<<: *defaults`"),
                );
            }
            for entry in maps.iter().flat_map(|map| map.entries.iter().copied()) {
                if self.tree.text(entry.key).is_some_and(|key| self.tree.entry(mapping, key).is_none()) {
                    mapping.entries.push(entry);
                    mapping.sorted.clear();
                }
            }
            sort(&self.tree, mapping);
        }
    }

    fn duplicates(&mut self, mapping: &mut Mapping) {
        let mut first: HashMap<&str, Entry> = HashMap::new();
        let mut doubled = Vec::new();
        if mapping.sorted.is_empty() {
            for (at, entry) in mapping.entries.iter().enumerate() {
                let key = self.tree.text(entry.key);
                let earlier = mapping.entries.iter().take(at).find(|other| self.tree.text(other.key) == key);
                if let Some(earlier) = earlier {
                    doubled.push((*earlier, *entry));
                }
            }
        } else {
            for entry in &mapping.entries {
                match first.entry(self.tree.text(entry.key).unwrap_or_default()) {
                    std::collections::hash_map::Entry::Occupied(earlier) => doubled.push((*earlier.get(), *entry)),
                    std::collections::hash_map::Entry::Vacant(free) => {
                        free.insert(*entry);
                    }
                }
            }
        }
        for (earlier, later) in doubled {
            let key = self.tree.text(later.key).unwrap_or_default();
            let words = format!("the key `{}` is written twice in this mapping", key.escape_debug());
            self.findings.push(
                Diagnostic::error(codes::DUPLICATE_KEY, words)
                    .at(self.tree.node_place(later.key), "again here")
                    .at(self.tree.node_place(earlier.key), "first here")
                    .help("keep one of the two"),
            );
        }
    }

    fn check_tag(&mut self, node: &Node) {
        let fits = match (&node.tag, &node.content) {
            (Tag::Absent | Tag::NonSpecific, _) => return,
            (Tag::Core(tag), Content::List(_)) => &**tag == "seq",
            (Tag::Core(tag), Content::Mapping(_)) => &**tag == "map",
            (Tag::Core(tag), Content::Scalar(text)) => {
                let text = match text {
                    Text::Slice(range) => self.source.text().get(range.clone()).unwrap_or_default(),
                    Text::Made(text) => text,
                };
                core_tag_fits(tag, text)
            }
            _ => false,
        };
        if !fits {
            let words = match (&node.tag, self.source.privacy()) {
                (Tag::Core(tag), _) => format!("the tag `!!{tag}` does not fit this value"),
                (Tag::Foreign(tag), Privacy::Public) => format!("the tag `{}` is not known", tag.escape_debug()),
                _ => "this tag is not known".to_owned(),
            };
            let at = node.span.start;
            self.fault(codes::TAG, words, &(at..at), "leave the tag out: the type of a value follows from its key");
        }
    }

    fn fault(&mut self, code: crate::diagnostic::Code, words: impl Into<String>, range: &Range<usize>, help: &str) {
        let place = self.source.place(range.clone());
        self.findings.push(Diagnostic::error(code, words).at(place, "").help(help));
    }

    fn syntax(&self, error: &ScanError) -> Diagnostic {
        let at = error.marker().byte_offset().unwrap_or(0).min(self.source.text().len());
        let place: Place = self.source.place(at..at);
        if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
            let words = format!("lists and mappings lie in one another more than {MAX_DEPTH} levels deep");
            return Diagnostic::error(codes::BUDGET, words)
                .at(place, "")
                .help("write the values out, with fewer levels");
        }
        super::syntax::diagnostic(error.kind(), place)
    }

    fn finish(mut self) -> Option<Tree> {
        let Some(root) = self.root else {
            self.findings.push(
                Diagnostic::error(codes::EMPTY, "this text holds no document")
                    .at(self.source.whole(), "")
                    .help("write the document, beginning with its `version`"),
            );
            return None;
        };
        self.tree.set_root(root);
        Some(self.tree)
    }
}

impl Node {
    /// A node in the place of one that cannot be read.
    fn missing(span: Range<usize>) -> Self {
        Self {
            span,
            style: Style::Quoted,
            tag: Tag::Foreign("".into()),
            anchor: None,
            content: Content::Scalar(Text::Made("".into())),
            weight: 1,
            height: 1,
        }
    }
}

fn sort(tree: &Tree, mapping: &mut Mapping) {
    if mapping.entries.len() > SMALL {
        let mut sorted: Vec<u32> = (0u32..).take(mapping.entries.len()).collect();
        let key = |number: &u32| mapping.entries.get(*number as usize).and_then(|entry| tree.text(entry.key));
        sorted.sort_by(|a, b| key(a).cmp(&key(b)));
        mapping.sorted = sorted;
    }
}

fn core_tag_fits(tag: &str, text: &str) -> bool {
    use super::scalar::Reading;
    let core = readings(text).map_or(Reading::Text, |readings| readings.core);
    match tag {
        "str" => true,
        "null" => core == Reading::Null,
        "bool" => matches!(core, Reading::Bool(_)),
        "int" => matches!(core, Reading::Int(_)),
        "float" => matches!(core, Reading::Int(_) | Reading::Float(_)),
        _ => false,
    }
}

fn tag_of(tag: Option<&granit_parser::Tag>) -> Tag {
    match tag {
        None => Tag::Absent,
        Some(tag) => match tag.core_suffix() {
            Some(suffix) => Tag::Core(suffix.into()),
            None if tag.handle().is_empty() && tag.suffix() == "!" => Tag::NonSpecific,
            None => Tag::Foreign(format!("{}{}", tag.handle(), tag.suffix()).into()),
        },
    }
}

fn bytes(span: &Span) -> Range<usize> {
    let start = span.start.byte_offset().unwrap_or(0);
    start..span.end.byte_offset().unwrap_or(start).max(start)
}
