//! Fingerprints: SHA-256 over the canonical form of a value, and HMAC-SHA256 where the value is secret.

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// SHA-256 over the canonical JSON (RFC 8785) of a value, written `sha256:` and 64 hexadecimal digits. Equal values have equal
/// fingerprints whatever the order of their keys.
///
/// ```
/// use pharos_core::plan::Fingerprint;
/// let one = Fingerprint::of(&serde_json::json!({"a": 1, "b": "é"}));
/// assert_eq!(one, Fingerprint::of(&serde_json::json!({"b": "\u{e9}", "a": 1.0})));
/// assert_eq!(one, one.to_string().parse().unwrap());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Fingerprint([u8; 32]);

/// HMAC-SHA256 over the canonical JSON of a secret value, written `hmac-sha256:` and 64 hexadecimal digits. Without the key nobody
/// can try values against it.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeyedFingerprint([u8; 32]);

/// The key of keyed fingerprints: 32 random bytes, kept under the private root and never beside the records.
#[derive(Clone)]
pub struct FingerprintKey([u8; 32]);

/// How many bytes a key has.
pub const KEY_BYTES: usize = 32;

impl Fingerprint {
    /// The fingerprint of a value.
    pub fn of(value: &impl Serialize) -> Self {
        Self(Sha256::digest(canonical(value)).into())
    }

    /// The first eight digits, for file names and for people.
    pub fn short(&self) -> String {
        hexadecimal(self.0.get(..4).unwrap_or_default())
    }
}

impl KeyedFingerprint {
    /// The fingerprint of a secret value under a key.
    pub fn of(key: &FingerprintKey, value: &impl Serialize) -> Self {
        // HMAC takes keys of any length (RFC 2104), so that no key is refused; an empty result would equal no fingerprint.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key.0) else { return Self([0; 32]) };
        mac.update(&canonical(value));
        Self(mac.finalize().into_bytes().into())
    }
}

impl FingerprintKey {
    /// A key of these bytes; `None` unless there are 32 of them.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

/// Without the bytes: a `Debug` form ends up in logs.
impl std::fmt::Debug for FingerprintKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FingerprintKey(..)")
    }
}

/// The canonical form of a value: RFC 8785, whose key order and number form no other writer can vary.
///
/// A value that has no JSON form at all (a map whose keys are no texts, a number that is not finite) has the empty one; the types of
/// this crate have none of these.
pub fn canonical(value: &impl Serialize) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).unwrap_or_default()
}

/// The text forms of a fingerprint: `<prefix>:<64 digits>`.
macro_rules! text_forms {
    ($name:ident, $prefix:literal, $description:literal) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, ":{}"), hexadecimal(&self.0))
            }
        }

        impl std::str::FromStr for $name {
            type Err = FingerprintError;

            fn from_str(text: &str) -> Result<Self, FingerprintError> {
                let digits = text.strip_prefix(concat!($prefix, ":")).ok_or(FingerprintError)?;
                bytes(digits).map(Self).ok_or(FingerprintError)
            }
        }

        $crate::name::macros::serde_as_text!($name);

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "pattern": concat!("^", $prefix, ":[0-9a-f]{64}$"),
                    "description": $description,
                })
            }
        }
    };
}

text_forms!(Fingerprint, "sha256", "SHA-256 over the canonical JSON (RFC 8785) of what it stands for");
text_forms!(KeyedFingerprint, "hmac-sha256", "HMAC-SHA256 over the canonical JSON (RFC 8785) of what it stands for");

/// The refusal of a text that should have been a fingerprint.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FingerprintError;

impl std::fmt::Display for FingerprintError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a fingerprint: an algorithm, a colon and 64 lower-case hexadecimal digits are expected")
    }
}

impl std::error::Error for FingerprintError {}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(digits: &str) -> Option<[u8; 32]> {
    if digits.len() != 64 || !digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Fingerprint, FingerprintKey, KeyedFingerprint, canonical};
    use serde_json::json;

    /// The example of RFC 8785, section 3.2.2, and its order of keys by UTF-16 units (3.2.3).
    #[test]
    fn the_canonical_form_is_that_of_rfc_8785() {
        let value: serde_json::Value = serde_json::from_str(
            r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#,
        )
        .unwrap();
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                        \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(String::from_utf8(canonical(&value)).unwrap(), expected);
        let keys = json!({"\u{fb33}": 1, "\u{1f600}": 2, "€": 3, "\r": 4});
        assert_eq!(String::from_utf8(canonical(&keys)).unwrap(), "{\"\\r\":4,\"€\":3,\"😀\":2,\"\u{fb33}\":1}");
    }

    #[test]
    fn sha256_of_the_empty_object() {
        let known = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(Fingerprint::of(&json!({})).to_string(), known);
        assert_eq!(Fingerprint::of(&json!({})).short(), "44136fa3");
        for bad in ["", "44136fa3", "sha256:44", &known.to_uppercase(), &known.replace("sha256", "hmac-sha256")] {
            assert!(bad.parse::<Fingerprint>().is_err(), "{bad}");
        }
    }

    /// As Python's `hmac` computes it over the same text.
    #[test]
    fn the_key_decides() {
        let key = FingerprintKey::new(&[7; 32]).unwrap();
        let of = |key: &FingerprintKey| KeyedFingerprint::of(key, &json!({"b": 1, "a": "x"})).to_string();
        assert_eq!(of(&key), "hmac-sha256:a244308a45f6f0c62dac6a00bcb20d938008142db77b2564a1c7603415a86a39");
        assert_ne!(of(&key), of(&FingerprintKey::new(&[8; 32]).unwrap()));
        assert!(FingerprintKey::new(&[7; 31]).is_none());
        assert_eq!(format!("{key:?}"), "FingerprintKey(..)");
    }
}
