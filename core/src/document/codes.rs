//! The codes of this room.

crate::codes! { "document":
    /// Bytes that are no UTF-8.
    ENCODING = "encoding";
    /// Not YAML (or JSON) at all.
    SYNTAX = "syntax";
    /// A character that no text may hold.
    CONTROL_CHARACTER = "control-character";
    /// Nothing is written.
    EMPTY = "empty";
    /// More than one document in a text.
    SEVERAL_DOCUMENTS = "several-documents";
    /// Too large, too deep or too many aliases.
    BUDGET = "budget";
    /// A key is written twice.
    DUPLICATE_KEY = "duplicate-key";
    /// A key that is not a text.
    KEY = "key";
    /// A tag that this reader does not know, or one that does not fit its node.
    TAG = "tag";
    /// An alias or merge key that leads nowhere.
    ALIAS = "alias";
    /// A plain scalar that is read as something else than was meant.
    LOOK_ALIKE = "look-alike";
    /// A number that does not fit.
    NUMBER = "number";
    /// A version that this release does not read.
    VERSION = "version";
    /// A key that does not exist.
    UNKNOWN_KEY = "unknown-key";
    /// A key that must be written.
    MISSING_KEY = "missing-key";
    /// A value of another type.
    WRONG_TYPE = "wrong-type";
    /// A value that is not one of those allowed.
    UNKNOWN_VALUE = "unknown-value";
    /// Not exactly one of the keys that select a variant.
    VARIANT = "variant";
    /// A number out of range.
    RANGE = "range";
    /// A text, list or mapping that is too short or too long.
    LENGTH = "length";
    /// A text of another form.
    PATTERN = "pattern";
    /// An item that stands twice in a list.
    REPEATED_ITEM = "repeated-item";
    /// Another rule of the schema is broken.
    INVALID = "invalid";
    /// A value that the schema admits and the type does not.
    DECODE = "decode";
    /// A value that its type refuses to write.
    UNWRITABLE = "unwritable";
}
