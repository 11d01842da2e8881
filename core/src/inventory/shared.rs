//! Texts that thousands of memberships have in common: one in memory, written as what they are.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One text.
pub(super) mod text {
    use super::{Arc, Deserialize, Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Arc::from)
    }
}

/// A list of texts.
pub(super) mod texts {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(list: &Arc<[String]>, serializer: S) -> Result<S::Ok, S::Error> {
        list.as_ref().serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[String]>, D::Error> {
        Vec::deserialize(deserializer).map(Arc::from)
    }
}

/// Whether a list has nothing in it.
pub(super) fn is_empty(list: &Arc<[String]>) -> bool {
    list.is_empty()
}
