//! Kubernetes labels, as selectors and objects state them.

use super::{NameError, codes, error::quoted, macros::text_name};

/// The key of a Kubernetes label: a name of 1 to 63 of `A-Z a-z 0-9 - _ .` with a letter or digit at both ends, and before it, if
/// anything, a DNS name of 253 characters at most and a slash.
///
/// ```
/// use pharos_core::name::LabelKey;
/// assert!("app.kubernetes.io/name".parse::<LabelKey>().is_ok());
/// assert!("app/kubernetes/name".parse::<LabelKey>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LabelKey(Box<str>);

fn is_word(text: &str) -> bool {
    let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    text.len() <= 63
        && ends(text.as_bytes().first())
        && ends(text.as_bytes().last())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn is_domain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(super::label::is_label)
}

impl std::str::FromStr for LabelKey {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let sound = match text.split_once('/') {
            Some((domain, name)) => is_domain(domain) && is_word(name),
            None => is_word(text),
        };
        if sound {
            return Ok(Self(text.into()));
        }
        Err(NameError::new(
            codes::LABEL_KEY,
            format!("{} is not the key of a label", quoted(text)),
            "write a name of 1 to 63 of `A-Z a-z 0-9 - _ .`, with a DNS name and `/` before it or without",
        ))
    }
}

text_name!(LabelKey, "label-key", "the key of a Kubernetes label");

/// The value of a Kubernetes label: nothing, or 1 to 63 of `A-Z a-z 0-9 - _ .` with a letter or digit at both ends.
///
/// ```
/// use pharos_core::name::LabelValue;
/// assert!("ingressgateway".parse::<LabelValue>().is_ok());
/// assert!("-x".parse::<LabelValue>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LabelValue(Box<str>);

impl std::str::FromStr for LabelValue {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if text.is_empty() || is_word(text) {
            return Ok(Self(text.into()));
        }
        Err(NameError::new(
            codes::LABEL_VALUE,
            format!("{} is not the value of a label", quoted(text)),
            "write 1 to 63 of `A-Z a-z 0-9 - _ .`, with a letter or digit at both ends",
        ))
    }
}

text_name!(LabelValue, "label-value", "the value of a Kubernetes label");

#[cfg(test)]
mod tests {
    use super::{LabelKey, LabelValue};

    #[test]
    fn only_keys() {
        for good in ["app", "istio", "app.kubernetes.io/name", "A_b.c-1", "a.b/C"] {
            assert!(good.parse::<LabelKey>().is_ok(), "{good}");
        }
        for bad in ["", "/a", "a/", "a/b/c", "A.b/c", "-a", "a-", "a b", &"x".repeat(64)] {
            assert!(bad.parse::<LabelKey>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_values() {
        for good in ["", "a", "A_b.c-1"] {
            assert!(good.parse::<LabelValue>().is_ok(), "{good}");
        }
        for bad in ["-", "a/b", "a b", "é", &"x".repeat(64)] {
            assert!(bad.parse::<LabelValue>().is_err(), "{bad}");
        }
    }
}
