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
    /// A document of the controller that cannot be read.
    DOCUMENT_MISSING = "document-missing";
    /// A collection without its programs.
    NOT_BUILT = "not-built";
    /// A Python package of the controller that cannot be imported.
    BROKEN_PACKAGE = "broken-package";
    /// A host of an architecture that the collection has no program for.
    NO_PROGRAM = "no-program";
    /// A program that is not the one of the collection's manifest.
    DAMAGED_COLLECTION = "damaged-collection";
    /// A cache for programs that is no absolute path.
    CACHE_PATH = "cache-path";
    /// A user without a home that can be entered.
    NO_HOME = "no-home";
    /// A folder on the way to the programs that others can change.
    UNSAFE_CACHE = "unsafe-cache";
    /// A file system that runs no programs.
    NOEXEC_CACHE = "noexec-cache";
    /// A program that could not be stored on the host.
    CACHE_FAILED = "cache-failed";
    /// A program that a signal ended.
    KILLED = "killed";
    /// A program that gave no answer.
    NO_ANSWER = "no-answer";
}
