//! The codes of this room.

crate::codes! { "explain":
    /// Not an address of a site.
    URL = "url" => Usage;
    /// A text that no client can send there.
    UNSENDABLE = "unsendable" => Usage;
    /// Not an address or a network that a request comes from.
    FROM = "from" => Usage;
    /// A caller without what it must say of itself, or with what it cannot have.
    CALLER = "caller" => Usage;
    /// A sender that speaks to a gateway which the site does not describe.
    NO_GATEWAY = "no-gateway" => Usage;
    /// A network of which a rule takes a part.
    DIVIDED_NETWORK = "divided-network" => Usage;
}
