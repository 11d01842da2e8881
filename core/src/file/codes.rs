//! The codes of this room.

crate::codes! { "file":
    /// A private file or directory that group or others may use.
    MODE = "mode";
    /// A private file or directory of somebody else.
    OWNER = "owner";
    /// A link where a private file or directory is expected.
    LINK = "link";
    /// Neither the file nor the directory that is expected.
    KIND = "kind";
    /// A directory above the private root that somebody else may change.
    ANCESTOR = "ancestor";
    /// The system refused an operation on a file.
    IO = "io" => World;
    /// The lock is held.
    LOCK_HELD = "lock-held";
}
