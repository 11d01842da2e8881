//! What a plain scalar is: to the core schema of YAML 1.2, which decides here, and to YAML 1.1, which other readers
//! (`PyYAML`, Ansible) still follow.

use serde_json::{Number, Value};

/// What a plain scalar is read as.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reading {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(Number),
    /// A finite number with a fraction or exponent.
    Float(f64),
    /// A number that no JSON value can hold: infinite, not a number, or more than 64 bits.
    Beyond,
    /// A date or time (YAML 1.1 alone).
    Timestamp,
    /// One of the signs `=` and `<<` (YAML 1.1 alone).
    Sign,
    /// A text.
    Text,
}

impl Reading {
    /// The value; a text and what has no value of its own stay a text.
    pub(super) fn value(&self, text: &str) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(number) => Value::Number(number.clone()),
            Self::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Self::Beyond | Self::Timestamp | Self::Sign | Self::Text => Value::String(text.to_owned()),
        }
    }

    /// What it is, in words.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Int(_) | Self::Float(_) | Self::Beyond => "a number",
            Self::Timestamp => "a date",
            Self::Sign => "a sign of YAML itself",
            Self::Text => "a text",
        }
    }
}

/// What both versions of YAML make of a plain scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Readings {
    /// YAML 1.2, core schema (YAML 1.2.2 section 10.3.2).
    pub(super) core: Reading,
    /// YAML 1.1 (its type repository, and `PyYAML` where the two differ in what they accept).
    pub(super) old: Reading,
}

impl Readings {
    /// Whether both read the same.
    pub(super) fn agree(&self) -> bool {
        self.core == self.old
    }
}

/// Reads a plain scalar; `None` if it is a text to everybody.
pub(super) fn readings(text: &str) -> Option<Readings> {
    let first = text.bytes().next().unwrap_or(b'~');
    if !(first.is_ascii_digit() || b"~nNtTfFyYoO.+-=<".contains(&first)) {
        return None;
    }
    let readings = Readings { core: core(text), old: old(text) };
    (readings.core != Reading::Text || readings.old != Reading::Text).then_some(readings)
}

fn core(text: &str) -> Reading {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Reading::Null,
        "true" | "True" | "TRUE" => return Reading::Bool(true),
        "false" | "False" | "FALSE" => return Reading::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Reading::Beyond,
        _ => {}
    }
    let (negative, digits) = sign(text);
    if is_infinity(digits) {
        return Reading::Beyond;
    }
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return decimal(negative, digits);
    }
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(rest) = text.strip_prefix(prefix)
            && !rest.is_empty()
            && rest.chars().all(|c| c.is_digit(radix))
        {
            return whole(false, u64::from_str_radix(rest, radix).ok());
        }
    }
    if is_core_float(digits) { float(text) } else { Reading::Text }
}

fn old(text: &str) -> Reading {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Reading::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Reading::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Reading::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Reading::Beyond,
        "=" | "<<" => return Reading::Sign,
        _ => {}
    }
    if is_timestamp(text) {
        return Reading::Timestamp;
    }
    let (negative, digits) = sign(text);
    if is_infinity(digits) {
        return Reading::Beyond;
    }
    if let Some(number) = old_int(negative, digits).or_else(|| sexagesimal(negative, digits)) {
        return number;
    }
    if is_old_float(digits) { float(&text.replace('_', "")) } else { Reading::Text }
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn is_infinity(digits: &str) -> bool {
    matches!(digits, ".inf" | ".Inf" | ".INF")
}

fn whole(negative: bool, size: Option<u64>) -> Reading {
    let number = match size {
        Some(size) if negative => 0i64.checked_sub_unsigned(size).map(Number::from),
        Some(size) => Some(Number::from(size)),
        None => None,
    };
    number.map_or(Reading::Beyond, Reading::Int)
}

fn decimal(negative: bool, digits: &str) -> Reading {
    whole(negative, digits.parse().ok())
}

fn float(text: &str) -> Reading {
    match text.trim_start_matches('+').parse::<f64>() {
        Ok(number) if number.is_finite() => Reading::Float(number),
        _ => Reading::Beyond,
    }
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_core_float(digits: &str) -> bool {
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (digits.get(..at).unwrap_or_default(), digits.get(at + 1..)),
        None => (digits, None),
    };
    let all = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let sound = match mantissa.split_once('.') {
        Some((before, after)) => all(before) && all(after) && !(before.is_empty() && after.is_empty()),
        None => !mantissa.is_empty() && all(mantissa),
    };
    sound && exponent.is_none_or(|text| matches!(sign(text).1, digits if !digits.is_empty() && all(digits)))
}

/// Binary, octal with a leading 0, decimal and hexadecimal, each with underscores.
fn old_int(negative: bool, digits: &str) -> Option<Reading> {
    let first = digits.bytes().next().filter(u8::is_ascii_digit)?;
    let (rest, radix) = match (digits.strip_prefix("0b"), digits.strip_prefix("0x")) {
        (Some(rest), _) => (rest, 2),
        (_, Some(rest)) => (rest, 16),
        _ if first == b'0' && digits.len() > 1 => (digits.get(1..).unwrap_or_default(), 8),
        _ => (digits, 10),
    };
    let figures = rest.replace('_', "");
    if rest.is_empty() || !figures.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    Some(whole(negative, u64::from_str_radix(if figures.is_empty() { "0" } else { &figures }, radix).ok()))
}

/// `[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`: minutes and seconds, as YAML 1.1 counts them.
fn sexagesimal(negative: bool, digits: &str) -> Option<Reading> {
    let (body, fraction) = match digits.split_once('.') {
        Some((body, fraction)) => (body, Some(fraction)),
        None => (digits, None),
    };
    let mut parts = body.split(':');
    let head = parts.next().filter(|head| head.bytes().next().is_some_and(|b| b.is_ascii_digit()))?;
    let mut total: u64 = head.replace('_', "").parse().ok()?;
    let mut count = 0;
    for part in parts {
        let small = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let value = part.parse::<u64>().ok().filter(|value| small && *value < 60)?;
        total = total.checked_mul(60)?.checked_add(value)?;
        count += 1;
    }
    match fraction {
        _ if count == 0 => None,
        None => Some(whole(negative, Some(total))),
        Some(text) if text.bytes().all(|b| b.is_ascii_digit() || b == b'_') => Some(Reading::Beyond),
        Some(_) => None,
    }
}

/// A fraction with underscores; an exponent needs a dot before it and a sign.
fn is_old_float(digits: &str) -> bool {
    let Some((before, after)) = digits.split_once('.') else {
        return false;
    };
    let (fraction, exponent) = match after.find(['e', 'E']) {
        Some(at) => (after.get(..at).unwrap_or_default(), after.get(at + 1..)),
        None => (after, None),
    };
    let figures = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let starts = |text: &str| text.bytes().next().is_some_and(|b| b.is_ascii_digit());
    let mantissa = figures(before) && figures(fraction) && (starts(before) || (before.is_empty() && starts(fraction)));
    let signed =
        |text: &str| text.starts_with(['-', '+']) && text.len() > 1 && sign(text).1.bytes().all(|b| b.is_ascii_digit());
    mantissa && exponent.is_none_or(signed)
}

/// `yyyy-mm-dd`, or with one digit for month or day when a time follows.
fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((year, rest)) = bytes.split_at_checked(4) else {
        return false;
    };
    if !year.iter().all(u8::is_ascii_digit) || rest.first() != Some(&b'-') {
        return false;
    }
    let parts: Vec<&str> = text.splitn(3, '-').collect();
    let [_, month, tail] = parts.as_slice() else {
        return false;
    };
    let day_end = tail.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(tail.len());
    let after = tail.get(day_end..).unwrap_or_default();
    let short = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let day = tail.get(..day_end).unwrap_or_default();
    if after.is_empty() {
        month.len() == 2 && day.len() == 2 && short(month)
    } else {
        short(month) && short(day) && is_time(after)
    }
}

/// What follows a date: `T` or blanks, then a time.
fn is_time(text: &str) -> bool {
    let clock = text.trim_start_matches(['T', 't', ' ', '\t']);
    clock.len() < text.len()
        && clock.bytes().next().is_some_and(|b| b.is_ascii_digit())
        && clock.matches(':').count() >= 2
        && clock.bytes().all(|b| b.is_ascii_digit() || b":.+- \tZ".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::{Reading, readings};

    #[test]
    fn look_alikes_are_known() {
        for text in [
            "no",
            "NO",
            "on",
            "off",
            "yes",
            "y",
            "N",
            "true",
            "null",
            "~",
            "",
            "0755",
            "08",
            "1e3",
            "1.0e3",
            "12:30",
            "1:30:00.5",
            "2024-01-02",
            "2001-12-14t21:59:43.10-05:00",
            "1_000",
            "1.0",
            ".5",
            "0x1F",
            "0o14",
            "0b1",
            ".inf",
            "-.INF",
            ".nan",
            "=",
            "<<",
            "+1",
            "-0",
            "18446744073709551616",
        ] {
            assert!(readings(text).is_some(), "{text:?}");
        }
        for text in [
            "none",
            "nope",
            "only",
            "yesterday",
            "1.2.3",
            "10.0.0.0/8",
            "192.0.2.1:443",
            "2024-01",
            "v1",
            "-",
            ".",
            "+",
            "e3",
            "1e",
            "0x",
            "a:b",
            "truth",
            "443/tcp",
            "1:99",
            "_1",
            "3 services",
            "-a",
            "0o9",
        ] {
            assert!(readings(text).is_none(), "{text:?}: {:?}", readings(text));
        }
    }

    #[test]
    fn the_two_versions_disagree_where_it_matters() {
        for (text, agree) in [
            ("0755", false),
            ("755", true),
            ("yes", false),
            ("true", true),
            ("1_000", false),
            ("1e3", false),
            ("1.0e+3", true),
            ("12:30", false),
            ("2024-01-02", false),
            ("1.50", true),
            ("0x1f", true),
            ("08", false),
            ("0", true),
            ("00", true),
            ("-1", true),
            ("~", true),
            ("0o14", false),
        ] {
            assert_eq!(readings(text).unwrap().agree(), agree, "{text}");
        }
    }

    #[test]
    fn numbers_keep_their_value() {
        let int = |text: &str| match readings(text).unwrap().core {
            Reading::Int(number) => number.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(int("-9223372036854775808"), "-9223372036854775808");
        assert_eq!(int("18446744073709551615"), "18446744073709551615");
        assert_eq!(int("18446744073709551616"), "Beyond");
        assert_eq!(int("-9223372036854775809"), "Beyond");
    }
}
