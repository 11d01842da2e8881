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
    /// A `listen` that nginx refuses.
    LISTEN_INVALID = "listen-invalid";
    /// A server name that nginx refuses.
    SERVER_NAME = "server-name";
    /// Two default servers of one address.
    SECOND_DEFAULT_SERVER = "second-default-server";
    /// One server that listens twice, or socket options that are set twice.
    DUPLICATE_LISTEN = "duplicate-listen";
    /// A name that two servers of one address claim.
    DUPLICATE_SERVER_NAME = "duplicate-server-name";
    /// A specific address that takes traffic away from servers on all addresses.
    SPECIFIC_ADDRESS = "specific-address";
    /// An ACME challenge that another server answers.
    CHALLENGE_SHADOWED = "challenge-shadowed";
    /// A stream or mail server on a port of ours.
    FOREIGN_LISTENER = "foreign-listener";
    /// Sockets of one configuration that cannot be open at once.
    SOCKET_CONFLICT = "socket-conflict";
    /// More than one nginx master.
    SEVERAL_MASTERS = "several-masters";
    /// A port that another program holds.
    PORT_HELD = "port-held";
    /// The package's welcome site.
    WELCOME_SITE = "welcome-site";
    /// A copy of a file that nginx reads too.
    BACKUP_FILE = "backup-file";
    /// A file of ours that nginx does not read.
    NOT_INCLUDED = "not-included";
}
