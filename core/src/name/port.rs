//! TCP ports.

/// A TCP port, 1-65 535.
#[derive(
    Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, schemars::JsonSchema, serde::Deserialize, serde::Serialize,
)]
#[schemars(inline)]
pub struct Port(#[schemars(range(min = 1, max = 65535))] std::num::NonZeroU16);

impl Port {
    /// Plain HTTP's own port, 80.
    pub const HTTP: Self = Self::constant(80);
    /// HTTPS's own port, 443.
    pub const HTTPS: Self = Self::constant(443);

    const fn constant(number: u16) -> Self {
        match std::num::NonZeroU16::new(number) {
            Some(port) => Self(port),
            None => Self(std::num::NonZeroU16::MIN),
        }
    }

    /// The port of this number; `None` for 0.
    pub fn new(number: u16) -> Option<Self> {
        std::num::NonZeroU16::new(number).map(Self)
    }

    /// The number.
    pub const fn get(self) -> u16 {
        self.0.get()
    }
}

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
