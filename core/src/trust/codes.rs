//! The codes of this room.

crate::codes! { "trust":
    /// A trust whose source is not there.
    NOT_PUBLISHED = "not-published";
    /// A source without a bundle.
    BUNDLE_MISSING = "bundle-missing";
    /// A private key in a source.
    PRIVATE_KEY = "private-key";
    /// An authority that is over, or has not begun.
    EXPIRED = "expired";
    /// Somebody else's object in the place of a published trust.
    FOREIGN_OBJECT = "foreign-object";
    /// An object that could not be read.
    UNREADABLE = "unreadable";
    /// What was read is not an object of the cluster.
    OBJECT = "object";
}
