//! The codes of this room.

crate::codes! { "identity":
    /// A site that signs people in, without the private file that says how.
    FILE_MISSING = "file-missing";
    /// A policy with public origins that names no issuer.
    POLICY_ISSUER = "policy-issuer";
    /// A text that is not JSON.
    JSON = "json";
    /// An issuer that is not the URL of one.
    ISSUER = "issuer";
    /// An issuer at another origin than the policy's.
    ISSUER_ORIGIN = "issuer-origin";
    /// No registration for a client that a service of the site needs.
    CLIENT_MISSING = "client-missing";
    /// A registration for a client that no service of the catalogue has.
    CLIENT_UNKNOWN = "client-unknown";
    /// One registration for two clients.
    CLIENT_SHARED = "client-shared";
    /// A secret with white space around it or control characters in it.
    SECRET_FORM = "secret-form";
    /// A private key where a public certificate belongs.
    PRIVATE_KEY = "private-key";
    /// A certificate that is no authority's.
    NOT_AUTHORITY = "not-authority";
    /// A certificate of an authority outside its validity.
    AUTHORITY_DATES = "authority-dates";
}
