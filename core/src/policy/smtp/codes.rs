//! The codes of outbound mail.

crate::codes! { "smtp":
    /// Mail is enabled and something that it needs is not stated.
    INCOMPLETE = "incomplete";
    /// The egress networks hold every address.
    DEFAULT_ROUTE = "default-route";
    /// The public API of the mails is not the origin of the service that serves it.
    PUBLIC_API = "public-api";
}
