//! The codes of this room.

crate::codes! { "edge":
    /// A configuration that nginx's own lexer refuses.
    NGINX_SYNTAX = "nginx-syntax";
    /// A configuration nested deeper or growing larger than a configuration can sensibly be.
    NGINX_BUDGET = "nginx-budget";
    /// An include whose file is not there.
    INCLUDE_MISSING = "include-missing";
    /// Files that include each other.
    INCLUDE_LOOP = "include-loop";
    /// Not the version of an nginx that we can write for.
    NGINX_VERSION = "nginx-version";
}
