//! The codes of this room.

crate::codes! { "site":
    /// A file that is none of the site's documents.
    UNKNOWN_DOCUMENT = "unknown-document";
    /// A document in the place of another.
    WRONG_DOCUMENT = "wrong-document";
    /// A second catalogue.
    SECOND_CATALOGUE = "second-catalogue";
    /// Policies or edge environments without a catalogue to judge them by.
    NO_CATALOGUE = "no-catalogue";
}
