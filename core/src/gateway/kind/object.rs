//! What all objects have in common.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::catalogue::{Owner, Route};

/// A text of an object, borrowed where it can be.
pub type Text<'a> = Cow<'a, str>;

/// What of an object its kind decides.
pub trait Spec: Serialize {
    /// The group and version of its API.
    const API_VERSION: &'static str;
    /// Its kind.
    const KIND: &'static str;
    /// The key that the rest of it stands under.
    const KEY: &'static str = "spec";
}

/// An object of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Object<'a, S> {
    /// What it is called, and how it is marked.
    pub metadata: Metadata<'a>,
    /// What it says.
    pub spec: S,
    /// The routes that it is there for, in the order of the table; none for what all routes share. Not part of the manifest.
    pub routes: Routes<'a>,
}

impl<S> Object<'_, S> {
    /// Who states its routes; `None` for what all routes share. Objects are never shared by two owners of different kinds.
    pub fn owner(&self) -> Option<&Owner> {
        self.routes.iter().next().map(|route| &route.owner)
    }
}

impl<S: Spec> Serialize for Object<'_, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut object = serializer.serialize_struct(S::KIND, 4)?;
        object.serialize_field("apiVersion", S::API_VERSION)?;
        object.serialize_field("kind", S::KIND)?;
        object.serialize_field("metadata", &self.metadata)?;
        object.serialize_field(S::KEY, &self.spec)?;
        object.end()
    }
}

/// As the object is written: `routes` is not part of it.
impl<S: Spec + JsonSchema> JsonSchema for Object<'_, S> {
    fn schema_name() -> Cow<'static, str> {
        S::KIND.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "type": "object",
            "properties": {
                "apiVersion": { "const": S::API_VERSION },
                "kind": { "const": S::KIND },
                "metadata": generator.subschema_for::<Metadata<'_>>(),
            },
            "required": ["apiVersion", "kind", "metadata", S::KEY],
        });
        let said = json!(generator.subschema_for::<S>());
        if let Some(properties) = schema.ensure_object().get_mut("properties").and_then(|all| all.as_object_mut()) {
            properties.insert(S::KEY.to_owned(), said);
        }
        schema
    }
}

/// What a schema calls the full name of a Service.
pub(in crate::gateway) const SERVICE_HOST: &str = "ServiceHost";

/// What a schema calls the namespace of an object.
pub(in crate::gateway) const OBJECT_NAMESPACE: &str = "ObjectNamespace";

/// The full name of a Service, in a schema: a chart lists those that were reviewed.
pub(super) struct ServiceHost;

/// The namespace of an object, in a schema: a chart lists those that a catalogue knows.
struct ObjectNamespace;

impl JsonSchema for ServiceHost {
    fn schema_name() -> Cow<'static, str> {
        SERVICE_HOST.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

impl JsonSchema for ObjectNamespace {
    fn schema_name() -> Cow<'static, str> {
        OBJECT_NAMESPACE.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// What an object is called, and how it is marked.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Metadata<'a> {
    /// Its name, unique among its kind in its namespace.
    pub name: Text<'a>,
    /// Its namespace.
    #[schemars(with = "ObjectNamespace")]
    pub namespace: Text<'a>,
    /// Its labels.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub labels: Map<'a>,
}

/// A mapping from text to text, in the order in which it is written.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Map<'a>(pub Vec<(Text<'a>, Text<'a>)>);

impl<'a> Map<'a> {
    /// Of one entry.
    pub fn of(key: impl Into<Text<'a>>, value: impl Into<Text<'a>>) -> Self {
        Self(vec![(key.into(), value.into())])
    }

    /// Whether it has no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_ref())
    }
}

impl<'a, K: AsRef<str>, V: AsRef<str>> From<&'a std::collections::BTreeMap<K, V>> for Map<'a> {
    fn from(map: &'a std::collections::BTreeMap<K, V>) -> Self {
        Self(map.iter().map(|(key, value)| (key.as_ref().into(), value.as_ref().into())).collect())
    }
}

impl JsonSchema for Map<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Texts".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": { "type": "string" } })
    }
}

impl Serialize for Map<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Which pods, or which namespaces.
#[derive(Clone, Debug, Default, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelector<'a> {
    /// The labels that they have, all of them.
    #[serde(skip_serializing_if = "is_everything")]
    pub match_labels: Arc<Map<'a>>,
}

fn is_everything(labels: &Arc<Map<'_>>) -> bool {
    labels.is_empty()
}

/// The routes that an object is there for.
#[derive(Clone, Debug, PartialEq)]
pub enum Routes<'a> {
    /// Neighbours in the table.
    Slice(&'a [Route]),
    /// Routes of several hosts.
    List(Vec<&'a Route>),
}

impl<'a> Routes<'a> {
    /// None.
    pub const NONE: Self = Self::Slice(&[]);

    /// One by one.
    pub fn iter(&self) -> impl Iterator<Item = &'a Route> + '_ {
        let (slice, list): (&'a [Route], &[&'a Route]) = match self {
            Self::Slice(routes) => (routes, &[]),
            Self::List(routes) => (&[], routes),
        };
        slice.iter().chain(list.iter().copied())
    }
}
