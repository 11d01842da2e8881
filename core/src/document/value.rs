//! From the tree to a JSON value: plain scalars get their type, with an eye on what the schema expects there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::codes;
use super::scalar::{Reading, Readings, readings};
use super::shape::{ShapeId, Shapes, Types, UNKNOWN};
use super::tree::{Content, NodeId, Style, Tag, Tree};
use crate::diagnostic::{Diagnostic, Findings, Place};

/// The value of a tree. Look-alikes are noted and then taken for what the schema expects, so that each is said once.
pub(super) fn value(tree: &Tree, shapes: Option<&Shapes>, findings: &mut Findings) -> Valued {
    let mut maker = Maker { tree, shapes, findings, unreadable: BTreeSet::new(), look_alikes: BTreeMap::new() };
    let value = maker.node(tree.root(), shapes.map_or(UNKNOWN, Shapes::root));
    Valued { value, unreadable: maker.unreadable, look_alikes: maker.look_alikes }
}

/// The value of a tree.
pub(super) struct Valued {
    pub(super) value: Value,
    /// Scalars that have been reported and have no value: what the schema says of them is of no interest.
    pub(super) unreadable: BTreeSet<NodeId>,
    /// What is to be said of scalars that readers take for different things, unless the schema refuses them even as the text or number
    /// that was meant.
    pub(super) look_alikes: LookAlikes,
}

/// Findings by the scalar that each is about.
pub(super) type LookAlikes = BTreeMap<NodeId, Diagnostic>;

struct Maker<'a> {
    tree: &'a Tree,
    shapes: Option<&'a Shapes>,
    findings: &'a mut Findings,
    unreadable: BTreeSet<NodeId>,
    look_alikes: LookAlikes,
}

impl<'a> Maker<'a> {
    fn node(&mut self, id: NodeId, shape: ShapeId) -> Value {
        let tree = self.tree;
        match tree.content(id) {
            Content::List(items) => {
                let inner = self.shapes.map_or(UNKNOWN, |shapes| shapes.item(shape));
                Value::Array(items.iter().map(|item| self.node(*item, inner)).collect())
            }
            Content::Mapping(entries) => {
                let mut map = Map::with_capacity(entries.len());
                for entry in entries {
                    let key = self.key(entry.key);
                    let inner = self.shapes.map_or(UNKNOWN, |shapes| shapes.property(shape, key));
                    let value = self.node(entry.value, inner);
                    // The first of two equal keys stays: the second one has been reported.
                    map.entry(key).or_insert(value);
                }
                Value::Object(map)
            }
            Content::Scalar(text) => self.scalar(id, text, shape),
        }
    }

    fn key(&mut self, id: NodeId) -> &'a str {
        let tree = self.tree;
        let text = tree.text(id).unwrap_or_default();
        if tree.style(id) == Style::Plain
            && let Some(readings) = readings(text)
            && *tree.tag(id) == Tag::Absent
        {
            self.report(id, text, &readings, &quoted(text));
        }
        text
    }

    fn scalar(&mut self, id: NodeId, text: &str, shape: ShapeId) -> Value {
        let tree = self.tree;
        let written = tree.target(id);
        let is_text = match tree.tag(written) {
            Tag::Absent => false,
            Tag::Core(tag) if &**tag == "str" => true,
            Tag::Core(tag) if super::tag::fits(tag, text) => {
                return readings(text).map_or(Value::Null, |readings| readings.core.value(text));
            }
            // The tag has been reported.
            Tag::Core(_) | Tag::Foreign(_) => {
                self.unreadable.insert(id);
                true
            }
            Tag::NonSpecific => true,
        };
        if is_text || tree.style(written) != Style::Plain {
            return Value::String(text.to_owned());
        }
        match readings(text) {
            None => Value::String(text.to_owned()),
            Some(readings) => self.plain(id, text, &readings, self.shapes.map_or(Types::ANY, |s| s.types(shape))),
        }
    }

    /// A plain scalar that is a text to some readers only, or to none.
    fn plain(&mut self, id: NodeId, text: &str, readings: &Readings, types: Types) -> Value {
        let fits = |reading: &Reading| reading_type(reading).is_some_and(|kind| types.has(kind));
        let core_fits = fits(&readings.core);
        if core_fits && readings.agree() {
            return readings.core.value(text);
        }
        if readings.core == Reading::Beyond && types.has(Types::NUMBER) {
            return self.beyond(id, text);
        }
        if types == Types::ANY || core_fits {
            let help = match &readings.core {
                Reading::Int(_) | Reading::Float(_) if types != Types::ANY => canonical(&readings.core),
                _ => quoted(text),
            };
            self.report(id, text, readings, &help);
            return readings.core.value(text);
        }
        if text.is_empty() {
            return Value::Null;
        }
        if types.has(Types::TEXT) {
            self.report(id, text, readings, &quoted(text));
            return Value::String(text.to_owned());
        }
        if readings.core == Reading::Beyond && types.has(Types::INT) {
            return self.beyond(id, text);
        }
        if fits(&readings.old) {
            self.report(id, text, readings, &canonical(&readings.old));
            return readings.old.value(text);
        }
        readings.core.value(text)
    }

    fn beyond(&mut self, id: NodeId, text: &str) -> Value {
        let place = self.tree.node_place(id);
        let shown = shown(&place, text);
        self.findings.push(
            Diagnostic::error(codes::NUMBER, format!("{shown} is not a number of 64 bits"))
                .at(place, "")
                .help("write a finite number between -9223372036854775808 and 18446744073709551615"),
        );
        self.unreadable.insert(id);
        Value::Null
    }

    fn report(&mut self, id: NodeId, text: &str, readings: &Readings, help: &str) {
        let place = self.tree.node_place(id);
        let shown = shown(&place, text);
        let (core, old) = (readings.core.words(), readings.old.words());
        let (words, label) = if readings.agree() {
            (format!("{shown} without quotes is not a text"), format!("read as {core}"))
        } else if core == old {
            (format!("readers take {shown} for different numbers"), "YAML 1.2 and YAML 1.1 differ".to_owned())
        } else {
            (format!("readers take {shown} for different things"), format!("{core} in YAML 1.2, {old} in YAML 1.1"))
        };
        let help = if place.excerpt().is_some() {
            format!("write `{help}`")
        } else {
            "put a text into quotes; write a number in plain figures, a truth value as `true` or `false`".to_owned()
        };
        self.look_alikes.insert(id, Diagnostic::error(codes::LOOK_ALIKE, words).at(place, label).help(help));
    }
}

/// A scalar as it is written, if the text of its place is shown.
fn shown(place: &Place, text: &str) -> String {
    if place.excerpt().is_some() { format!("`{}`", text.escape_debug()) } else { "this value".to_owned() }
}

/// The type that a reading has in JSON; `None` where it has none.
fn reading_type(reading: &Reading) -> Option<Types> {
    match reading {
        Reading::Null => Some(Types::NULL),
        Reading::Bool(_) => Some(Types::BOOL),
        Reading::Int(_) => Some(Types::INT),
        Reading::Float(_) => Some(Types::NUMBER),
        Reading::Text => Some(Types::TEXT),
        Reading::Beyond | Reading::Timestamp | Reading::Sign => None,
    }
}

/// The text in quotes, as YAML and JSON both read it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The plainest way to write a value.
fn canonical(reading: &Reading) -> String {
    reading.value("").to_string()
}
