//! The codes of this room.

crate::codes! { "probe":
    /// No connection, no trusted certificate or no answer.
    NO_ANSWER = "no-answer" => World;
    /// What is to be asked by, or from where, is no address.
    STANDPOINT = "standpoint" => Usage;
    /// A host name that the edge does not serve.
    NOT_SERVED = "not-served";
    /// A path that the gateway has no route for.
    NO_ROUTE = "no-route";
    /// A route whose backend the gateway does not reach.
    BACKEND_UNREACHED = "backend-unreached";
    /// A public route that refuses.
    REFUSED = "refused";
    /// A management route that answers from outside its networks.
    OPEN = "open";
    /// A failure of the edge or the gateway itself.
    FAILED = "failed";
}
