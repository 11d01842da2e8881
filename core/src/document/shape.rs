//! What a schema expects at each place, prepared once so that a walk over a large document costs one look-up a key.
//!
//! A shape stands for a set of schemas that apply at the same place: `$ref`, `oneOf`, `anyOf` and `allOf` are followed, and
//! the alternatives are put together. It says which types may stand there, not whether a value is sound: that is the validator's.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

/// The types of a value, as a set.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOL: Self = Self(2);
    pub(super) const INT: Self = Self(4);
    pub(super) const NUMBER: Self = Self(8);
    pub(super) const TEXT: Self = Self(16);
    pub(super) const LIST: Self = Self(32);
    pub(super) const MAPPING: Self = Self(64);
    /// No type is ruled out.
    pub(super) const ANY: Self = Self(127);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn named(word: &str) -> Self {
        match word {
            "null" => Self::NULL,
            "boolean" => Self::BOOL,
            "integer" => Self::INT,
            "number" => Self::INT.and(Self::NUMBER),
            "string" => Self::TEXT,
            "array" => Self::LIST,
            "object" => Self::MAPPING,
            _ => Self::ANY,
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOL,
            Value::Number(number) if number.is_f64() => Self::NUMBER,
            Value::Number(_) => Self::INT,
            Value::String(_) => Self::TEXT,
            Value::Array(_) => Self::LIST,
            Value::Object(_) => Self::MAPPING,
        }
    }
}

/// The number of a shape.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct ShapeId(u32);

/// The shape of a place about which the schema says nothing.
pub(super) const UNKNOWN: ShapeId = ShapeId(0);

#[derive(Debug)]
struct Shape {
    types: Types,
    /// By name.
    properties: Vec<(Box<str>, ShapeId)>,
    additional: ShapeId,
    items: ShapeId,
}

/// The shapes of one schema.
#[derive(Debug)]
pub(super) struct Shapes {
    list: Vec<Shape>,
    root: ShapeId,
}

impl Shapes {
    /// Prepares the shapes of a schema whose references all point into itself.
    pub(super) fn of(schema: &Value) -> Self {
        let mut maker = Maker { root: schema, list: Vec::new(), known: HashMap::new() };
        maker.list.push(Shape { types: Types::ANY, properties: Vec::new(), additional: UNKNOWN, items: UNKNOWN });
        let root = maker.shape(&[schema]);
        Self { list: maker.list, root }
    }

    pub(super) fn root(&self) -> ShapeId {
        self.root
    }

    fn get(&self, id: ShapeId) -> Option<&Shape> {
        self.list.get(id.0 as usize)
    }

    /// The types that may stand there.
    pub(super) fn types(&self, id: ShapeId) -> Types {
        self.get(id).map_or(Types::ANY, |shape| shape.types)
    }

    /// What may stand under a key.
    pub(super) fn property(&self, id: ShapeId, key: &str) -> ShapeId {
        self.get(id).map_or(UNKNOWN, |shape| {
            let at = shape.properties.binary_search_by(|(name, _)| (**name).cmp(key));
            at.ok().and_then(|at| shape.properties.get(at)).map_or(shape.additional, |(_, inner)| *inner)
        })
    }

    /// What may stand in a list.
    pub(super) fn item(&self, id: ShapeId) -> ShapeId {
        self.get(id).map_or(UNKNOWN, |shape| shape.items)
    }
}

struct Maker<'s> {
    root: &'s Value,
    list: Vec<Shape>,
    /// The shape of each set of schemas, which are told apart by where they lie in memory.
    known: HashMap<BTreeSet<usize>, ShapeId>,
}

impl<'s> Maker<'s> {
    fn shape(&mut self, schemas: &[&'s Value]) -> ShapeId {
        let mut set = BTreeSet::new();
        let mut flat = Vec::new();
        for schema in schemas {
            self.flatten(schema, &mut set, &mut flat);
        }
        if flat.is_empty() {
            return UNKNOWN;
        }
        if let Some(id) = self.known.get(&set) {
            return *id;
        }
        let id = ShapeId(u32::try_from(self.list.len()).unwrap_or(0));
        self.known.insert(set, id);
        let types = flat.iter().filter_map(|schema| own_types(schema)).reduce(Types::and).unwrap_or(Types::ANY);
        self.list.push(Shape { types, properties: Vec::new(), additional: UNKNOWN, items: UNKNOWN });
        let properties = self.properties(&flat);
        let additional = self.shape(&under(&flat, "additionalProperties"));
        let items = self.shape(&under(&flat, "items"));
        if let Some(shape) = self.list.get_mut(id.0 as usize) {
            (shape.properties, shape.additional, shape.items) = (properties, additional, items);
        }
        id
    }

    fn properties(&mut self, flat: &[&'s Map<String, Value>]) -> Vec<(Box<str>, ShapeId)> {
        let mut all: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for (key, schema) in flat.iter().filter_map(|s| s.get("properties").and_then(Value::as_object)).flatten() {
            all.entry(key).or_default().push(schema);
        }
        all.into_iter().map(|(key, schemas)| (key.into(), self.shape(&schemas))).collect()
    }

    /// The schema and everything that applies at the same place.
    fn flatten(&self, schema: &'s Value, set: &mut BTreeSet<usize>, flat: &mut Vec<&'s Map<String, Value>>) {
        let Value::Object(object) = schema else {
            return;
        };
        if !set.insert(std::ptr::from_ref(schema).addr()) {
            return;
        }
        flat.push(object);
        if let Some(target) = object.get("$ref").and_then(Value::as_str).and_then(|r| self.resolve(r)) {
            self.flatten(target, set, flat);
        }
        for word in ["oneOf", "anyOf", "allOf"] {
            for branch in object.get(word).and_then(Value::as_array).into_iter().flatten() {
                self.flatten(branch, set, flat);
            }
        }
    }

    fn resolve(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

fn under<'s>(flat: &[&'s Map<String, Value>], word: &str) -> Vec<&'s Value> {
    flat.iter().filter_map(|schema| schema.get(word)).collect()
}

/// The types that a schema states itself; `None` if it leaves them to others.
fn own_types(schema: &Map<String, Value>) -> Option<Types> {
    let stated = match schema.get("type") {
        Some(Value::String(word)) => Some(Types::named(word)),
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).map(Types::named).reduce(Types::and),
        _ => None,
    };
    stated
        .or_else(|| schema.get("const").map(Types::of))
        .or_else(|| schema.get("enum")?.as_array()?.iter().map(Types::of).reduce(Types::and))
}
