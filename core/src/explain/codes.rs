//! The codes of this room.

crate::codes! { "explain":
    /// Not an address of a site.
    URL = "url";
    /// A text that no client can send there.
    UNSENDABLE = "unsendable";
    /// Not an address or a network that a request comes from.
    FROM = "from";
    /// A caller without what it must say of itself, or with what it cannot have.
    CALLER = "caller";
    /// A network of which a rule takes a part.
    DIVIDED_NETWORK = "divided-network";
}
