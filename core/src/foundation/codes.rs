//! The codes of this room.

crate::codes! { "foundation":
    /// A stage before one that it needs.
    STAGE_ORDER = "stage-order";
    /// Routes that would be qualified before the gateway can verify their backends.
    TRUST_NOT_PUBLISHED = "trust-not-published";
}
