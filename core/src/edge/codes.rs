//! The codes of this room.

crate::codes! { "edge":
    /// A configuration that nginx's own lexer refuses.
    NGINX_SYNTAX = "nginx-syntax";
    /// A configuration nested deeper or growing larger than a configuration can sensibly be.
    NGINX_BUDGET = "nginx-budget";
    /// A text that holds no nginx configuration.
    NO_CONFIGURATION = "no-configuration";
    /// An include whose file is not there.
    INCLUDE_MISSING = "include-missing";
    /// An include of files that were not passed.
    INCLUDE_NOT_GIVEN = "include-not-given";
    /// Files that include each other.
    INCLUDE_LOOP = "include-loop";
    /// Not the version of an nginx that we can write for.
    NGINX_VERSION = "nginx-version";
    /// An address to listen on that the host cannot have.
    LISTEN_ADDRESS = "listen-address";
    /// An address to listen on that the host does not have.
    LISTEN_ADDRESS_ABSENT = "listen-address-absent";
    /// A host name without certificate files, or files for a name that is not served.
    CERTIFICATE_FILES = "certificate-files";
    /// An origin that is not HTTPS.
    PLAIN_ORIGIN = "plain-origin";
    /// A hash table of nginx that somebody set too small for our names.
    HASH_SIZE = "hash-size";
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
    /// Addresses of a family on which other servers listen and ours do not.
    ANSWERED_ELSEWHERE = "answered-elsewhere";
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
    /// A host that an edge cannot be installed on.
    UNSUPPORTED_HOST = "unsupported-host";
    /// A host with the right layout that is not tested.
    UNTESTED_HOST = "untested-host";
    /// A target whose clock disagrees with the controller's.
    CLOCK_SKEW = "clock-skew";
    /// There is no nginx.
    NGINX_MISSING = "nginx-missing";
    /// nginx.service is masked.
    UNIT_MASKED = "unit-masked";
    /// nginx.service is being started or stopped.
    UNIT_BUSY = "unit-busy";
    /// An nginx that runs outside its unit.
    OUTSIDE_UNIT = "outside-unit";
    /// A marker that cannot be read.
    MARKER_UNREADABLE = "marker-unreadable";
    /// A change that a reload cannot make.
    RESTART_NEEDED = "restart-needed";
    /// A candidate that nginx's own test refuses.
    CANDIDATE_REFUSED = "candidate-refused";
    /// A candidate that nginx warns of.
    CANDIDATE_WARNING = "candidate-warning";
    /// A warning of nginx about somebody else's configuration.
    NGINX_WARNING = "nginx-warning";
    /// A configuration that nginx refused before anything of ours came.
    BROKEN_CONFIGURATION = "broken-configuration";
    /// systemd could not reload or start nginx.
    RELOAD_FAILED = "reload-failed";
    /// A reload after which the old configuration goes on.
    RELOAD_WITHOUT_EFFECT = "reload-without-effect";
    /// What was installed is not what is served.
    NOT_SERVED = "not-served";
    /// Another certificate is served than the file holds.
    STALE_CERTIFICATE = "stale-certificate";
    /// The edge that issues certificates does not answer.
    ISSUER_SILENT = "issuer-silent";
    /// A route whose gateway does not answer.
    UPSTREAM_SILENT = "upstream-silent";
    /// An edge that another run changed since it was judged.
    CHANGED_MEANWHILE = "changed-meanwhile";
    /// A file of ours that is not ours.
    FOREIGN_FILE = "foreign-file";
    /// A user who may not do it.
    NOT_ROOT = "not-root";
    /// A failed transaction that could not be undone.
    NOT_RESTORED = "not-restored";
    /// An earlier run was interrupted.
    PENDING = "pending";
    /// A file of ours that was changed by hand.
    FILE_CHANGED = "file-changed";
    /// A challenge that does not come back through its name.
    CHALLENGE_UNREACHABLE = "challenge-unreachable";
    /// Several edges, none of which is to request certificates.
    ISSUER_MISSING = "issuer-missing";
    /// An issuing edge that is no edge.
    ISSUER_UNKNOWN = "issuer-unknown";
    /// An issuing edge without an address.
    ISSUER_ADDRESS = "issuer-address";
    /// A certificate that is still to be issued.
    CERTIFICATE_TO_BE_ISSUED = "certificate-to-be-issued";
    /// A lineage of an edge that is given its certificates.
    LINEAGE_IN_THE_WAY = "lineage-in-the-way";
    /// A development certificate for a site that is none.
    NOT_DEVELOPMENT = "not-development";
    /// A binding of a service that cannot be written.
    BINDING_VALUE = "binding-value";
    /// An environment file that cannot be changed safely.
    BINDING_FILE = "binding-file";
    /// A service that would be retargeted before the edge is active.
    BINDING_BEFORE_EDGE = "binding-before-edge";
    /// A service that could not be restarted.
    BINDING_RESTART_FAILED = "binding-restart-failed";
}
