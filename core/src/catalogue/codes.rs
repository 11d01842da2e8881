//! The codes of the catalogue.

crate::codes! { "catalogue":
    /// Two services of one name.
    DUPLICATE_SERVICE = "duplicate-service";
    /// Two routes of one name in a service.
    DUPLICATE_ROUTE = "duplicate-route";
    /// Two routes of a host that take the same path.
    DUPLICATE_PATH = "duplicate-path";
    /// Two routes whose joined names are equal.
    JOINED_NAME_TAKEN = "joined-name-taken";
    /// A joined name of more than 63 characters.
    JOINED_NAME_LENGTH = "joined-name-length";
    /// A service of a profile that the catalogue does not declare.
    UNKNOWN_PROFILE = "unknown-profile";
    /// A service behind a gateway that the catalogue does not declare.
    UNKNOWN_GATEWAY = "unknown-gateway";
    /// A backend in a namespace that the catalogue does not declare.
    UNKNOWN_NAMESPACE = "unknown-namespace";
    /// A trust reference that the catalogue does not declare.
    UNKNOWN_TRUST = "unknown-trust";
    /// A backend that was not reviewed.
    UNREVIEWED_BACKEND = "unreviewed-backend";
    /// A service required in a mode that its profile is not for.
    REQUIRED_PROFILE = "required-profile";
    /// A service whose routes do not take exactly the paths that it states.
    EXACT_PATHS = "exact-paths";
    /// An HTTPS backend without SNI or trust.
    BACKEND_TLS_MISSING = "backend-tls-missing";
    /// SNI or trust for a backend that is spoken to in plain text.
    BACKEND_TLS_SURPLUS = "backend-tls-surplus";
    /// A backend that does not speak what the route carries.
    BACKEND_PROTOCOL = "backend-protocol";
    /// A WebSocket on a gRPC route.
    GRPC_WEBSOCKET = "grpc-websocket";
    /// A body limit on a gRPC route.
    GRPC_BODY = "grpc-body";
    /// A gRPC route that is to be buffered.
    GRPC_STREAM = "grpc-stream";
    /// A WebSocket route without a timeout of its own.
    WEBSOCKET_TIMEOUT = "websocket-timeout";
    /// An unlimited body without a timeout of its own.
    UNLIMITED_TIMEOUT = "unlimited-timeout";
    /// An unlimited body that is to be buffered.
    UNLIMITED_STREAM = "unlimited-stream";
}
