//! The codes of this room.

crate::codes! { "module":
    /// What arrived is not a request.
    REQUEST = "request";
    /// There is no module of this name.
    UNKNOWN_MODULE = "unknown-module";
    /// The module has no option of this name.
    UNKNOWN_OPTION = "unknown-option";
    /// An option that must be given is not.
    MISSING_OPTION = "missing-option";
    /// The value of an option is not of its type, or out of its range.
    OPTION_VALUE = "option-value";
    /// Collection and core are of different versions.
    VERSION_SKEW = "version-skew";
    /// The program has a fault of its own.
    INTERNAL_FAULT = "internal-fault";
    /// A file that the module needs cannot be read.
    UNREADABLE_FILE = "unreadable-file";
    /// A program that the module needs is missing or failed.
    PROGRAM_FAILED = "program-failed";
}
