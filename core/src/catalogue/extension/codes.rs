//! The codes of laboratory extensions.

crate::codes! { "extension":
    /// Two laboratories of one name.
    DUPLICATE_LABORATORY = "duplicate-laboratory";
    /// A laboratory in a namespace that a route of the catalogue leads to.
    NAMESPACE_TAKEN = "namespace-taken";
    /// A laboratory's route on a host of the site itself.
    HOST_TAKEN = "host-taken";
    /// A CA bundle that neither the catalogue has nor the laboratory brings.
    UNKNOWN_TRUST = "unknown-trust";
    /// A host that two laboratories have routes on.
    HOST_SHARED = "host-shared";
    /// A Service that two laboratories have routes to.
    BACKEND_SHARED = "backend-shared";
    /// A laboratory for an environment without a gateway.
    NO_GATEWAY = "no-gateway";
    /// A file of the registry that is not named after the laboratory in it.
    FILE_NAME = "file-name";
    /// A file of the registry that cannot be read.
    REGISTERED_FILE = "registered-file";
    /// A laboratory that is to be registered before the edge serves it.
    NOT_SERVED = "not-served";
}
