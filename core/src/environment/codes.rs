//! The codes of this room.

crate::codes! { "environment":
    /// An operation on an environment without the name of one.
    NOT_SELECTED = "not-selected" => Usage;
    /// A name that no committed policy has.
    UNKNOWN = "unknown" => Usage;
    /// A personal selection beside an environment.
    MIXED_SELECTION = "mixed-selection" => Usage;
    /// `OFFLINE` with a value that is not 1.
    OFFLINE_VALUE = "offline-value" => Usage;
    /// An administration runner is named or recorded.
    RUNNER = "runner";
    /// A path of a private file or directory that cannot be used.
    PATH = "path" => Usage;
    /// No inventory where it is looked for.
    INVENTORY_MISSING = "inventory-missing" => World;
    /// A tool of the operation that is not installed.
    TOOL = "tool" => World;
}
