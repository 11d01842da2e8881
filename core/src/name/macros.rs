//! What every name that is a text has in common.

/// Gives a newtype over `Box<str>` its display, borrowing, serde and JSON Schema forms; the type itself writes `FromStr`.
macro_rules! text_name {
    ($name:ident, $format:literal, $description:literal) => {
        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        $crate::name::macros::serde_by_text!($name, $format, $description);
    };
}

/// Serde of a type that is written as its `Display` and read by its `FromStr`.
macro_rules! serde_as_text {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// Serde and JSON Schema of a type that is written as its `Display` and read by its `FromStr`.
macro_rules! serde_by_text {
    ($name:ident, $format:literal, $description:literal) => {
        $crate::name::macros::serde_as_text!($name);

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "format": $format,
                    "pattern": $crate::name::pattern($format),
                    "description": $description,
                })
            }
        }
    };
}

pub(crate) use serde_as_text;
pub(super) use {serde_by_text, text_name};
