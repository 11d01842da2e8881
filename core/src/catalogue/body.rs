//! How large a request body may be, and how that is written.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How large a request body may be: a number of bytes, a size with the unit `KiB`, `MiB` or `GiB`, or `unlimited`.
///
/// ```
/// use pharos_core::catalogue::BodyLimit;
/// assert_eq!("64MiB".parse(), Ok(BodyLimit::Bytes(64 << 20)));
/// assert_eq!("unlimited".parse(), Ok(BodyLimit::Unlimited));
/// assert!("64MB".parse::<BodyLimit>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum BodyLimit {
    /// At most this many bytes, 1 to [`BodyLimit::LARGEST`].
    Bytes(u64),
    /// No limit.
    Unlimited,
}

const UNITS: [(&str, u32); 3] = [("KiB", 10), ("MiB", 20), ("GiB", 30)];

impl BodyLimit {
    /// The largest limit that can be written, 1 PiB: nginx counts bytes in a signed 64-bit number.
    pub const LARGEST: u64 = 1 << 50;

    fn bytes(count: u64) -> Result<Self, &'static str> {
        if (1..=Self::LARGEST).contains(&count) { Ok(Self::Bytes(count)) } else { Err("a limit is 1 byte to 1 PiB") }
    }
}

impl std::str::FromStr for BodyLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "unlimited" {
            return Ok(Self::Unlimited);
        }
        let wrong = "write bytes, a size such as `64MiB`, or `unlimited`";
        let (digits, shift) = UNITS
            .iter()
            .find_map(|(unit, shift)| text.strip_suffix(unit).map(|digits| (digits, *shift)))
            .ok_or(wrong)?;
        let canonical = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        let count: u64 = digits.parse().ok().filter(|_| canonical).ok_or(wrong)?;
        Self::bytes(count.checked_mul(1 << shift).ok_or(wrong)?)
    }
}

impl std::fmt::Display for BodyLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Bytes(count) = self else { return f.write_str("unlimited") };
        let unit = UNITS.iter().rev().find(|(_, shift)| count.trailing_zeros() >= *shift);
        match unit {
            Some((unit, shift)) => write!(f, "{}{unit}", count >> shift),
            None => count.fmt(f),
        }
    }
}

impl Serialize for BodyLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(count) => serializer.serialize_u64(*count),
            Self::Unlimited => serializer.serialize_str("unlimited"),
        }
    }
}

impl<'de> Deserialize<'de> for BodyLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl de::Visitor<'_> for Written {
            type Value = BodyLimit;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes, a size such as `64MiB`, or `unlimited`")
            }

            fn visit_u64<E: de::Error>(self, count: u64) -> Result<BodyLimit, E> {
                BodyLimit::bytes(count).map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, count: i64) -> Result<BodyLimit, E> {
                self.visit_u64(u64::try_from(count).unwrap_or(0))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<BodyLimit, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

impl JsonSchema for BodyLimit {
    fn schema_name() -> Cow<'static, str> {
        "BodyLimit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": Self::LARGEST,
            "pattern": "^(unlimited|[1-9][0-9]{0,5}(KiB|MiB|GiB))$",
            "examples": ["8MiB", "512KiB", "unlimited"],
            "description": "Bytes, a size with the unit KiB, MiB or GiB, or `unlimited`.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BodyLimit;

    #[test]
    fn written_forms() {
        for (text, limit) in [
            ("1KiB", BodyLimit::Bytes(1024)),
            ("3GiB", BodyLimit::Bytes(3 << 30)),
            ("999999GiB", BodyLimit::Bytes(999_999 << 30)),
            ("unlimited", BodyLimit::Unlimited),
        ] {
            assert_eq!(text.parse(), Ok(limit));
            assert_eq!(limit.to_string(), text);
        }
        for bad in ["", "0MiB", "1024", "1 MiB", "01KiB", "+1KiB", "1mib", "Unlimited", "1048577GiB"] {
            assert!(bad.parse::<BodyLimit>().is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_and_texts_are_read() {
        assert_eq!(serde_json::from_str::<BodyLimit>("1500").unwrap(), BodyLimit::Bytes(1500));
        assert_eq!(serde_json::from_str::<BodyLimit>("\"2MiB\"").unwrap(), BodyLimit::Bytes(2 << 20));
        for bad in ["0", "-1", "1.5", "true", "null", "2000000000000000"] {
            assert!(serde_json::from_str::<BodyLimit>(bad).is_err(), "{bad}");
        }
    }
}
