//! Why a text is not a name.

use crate::diagnostic::{Code, Diagnostic, Place};

/// The refusal of a text that should have been a name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NameError {
    /// The kind of fault.
    pub code: Code,
    /// What is wrong, without a full stop; quotes the text.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// A text that should have been a name, quoted for its refusal. What is no slip of a name (a PEM block, a whole file) may be a secret that
/// stands in the wrong place, and is told by its length alone.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 320;
    if text.len() > LONGEST || text.contains("-----BEGIN") {
        return format!("a text of {} characters", text.chars().count());
    }
    format!("`{}`", text.escape_debug())
}

impl NameError {
    pub(super) fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: help.into() }
    }

    /// The diagnostic at a place.
    pub fn at(self, place: Place) -> Diagnostic {
        Diagnostic::error(self.code, self.message).at(place, "").help(self.help)
    }
}

impl std::fmt::Display for NameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [{}]: {}", self.message, self.code, self.help)
    }
}

impl std::error::Error for NameError {}
