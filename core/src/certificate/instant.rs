//! The instant at which things are judged.

use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

/// Seconds since 1970-01-01T00:00:00Z, without leap seconds. The core has no clock: whoever asks for a judgement
/// says for which instant.
///
/// It is written as RFC 3339 in UTC, and read from that or from a date alone (midnight UTC).
///
/// ```
/// use pharos_core::certificate::UnixTime;
/// let at: UnixTime = "2026-06-01".parse().unwrap();
/// assert_eq!(at.to_string(), "2026-06-01T00:00:00Z");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UnixTime(i64);

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

impl UnixTime {
    /// The instant so many seconds after the epoch.
    pub const fn new(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Seconds since the epoch.
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// The instant so many seconds later.
    #[must_use]
    pub const fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }

    /// Seconds from `earlier` to this instant; negative if it comes first.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl std::fmt::Display for UnixTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match OffsetDateTime::from_unix_timestamp(self.0).ok().and_then(|at| at.format(&Rfc3339).ok()) {
            Some(text) => f.write_str(&text),
            None => write!(f, "second {}", self.0),
        }
    }
}

/// The refusal of a text that should have been an instant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct InstantError;

impl std::fmt::Display for InstantError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not an instant: write `2026-06-01` or `2026-06-01T12:00:00Z`")
    }
}

impl std::error::Error for InstantError {}

impl std::str::FromStr for UnixTime {
    type Err = InstantError;

    fn from_str(text: &str) -> Result<Self, InstantError> {
        let date =
            || Date::parse(text, format_description!("[year]-[month]-[day]")).map(|day| day.midnight().assume_utc());
        let at = OffsetDateTime::parse(text, &Rfc3339).or_else(|_| date()).map_err(|_| InstantError)?;
        Ok(Self(at.unix_timestamp()))
    }
}

impl serde::Serialize for UnixTime {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for UnixTime {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for UnixTime {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "UnixTime".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "an instant in RFC 3339, UTC" })
    }
}

/// A span of time as people say it, to the unit that matters: `3 days`, `5 hours`, `40 minutes`.
pub(super) fn span(seconds: i64) -> String {
    let seconds = seconds.abs();
    let (count, unit) = match seconds {
        s if s >= 2 * DAY => (s / DAY, "day"),
        s if s >= 2 * 3600 => (s / 3600, "hour"),
        s => (s / 60, "minute"),
    };
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

#[cfg(test)]
mod tests {
    use super::{UnixTime, span};

    #[test]
    fn both_forms_are_read() {
        let noon: UnixTime = "2026-06-01T14:00:00+02:00".parse().unwrap();
        assert_eq!(noon.to_string(), "2026-06-01T12:00:00Z");
        assert_eq!(noon.since("2026-06-01".parse().unwrap()), 43_200);
        for bad in ["", "today", "2026-13-01", "2026-06-01 12:00", "1780000000"] {
            assert!(bad.parse::<UnixTime>().is_err(), "{bad}");
        }
    }

    #[test]
    fn spans_read_well() {
        let all: Vec<String> = [0, 60, 7200, 86_400, 172_800, -259_200].map(span).to_vec();
        assert_eq!(all, ["0 minutes", "1 minute", "2 hours", "24 hours", "2 days", "3 days"]);
    }
}
