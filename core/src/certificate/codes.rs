//! The codes of this room.

crate::codes! { "certificate":
    /// A file is larger than is read.
    TOO_LARGE = "too-large";
    /// A file holds more certificates than are read.
    TOO_MANY = "too-many";
    /// A file holds no certificate.
    EMPTY = "empty";
    /// A binary file where PEM is expected.
    NOT_PEM = "not-pem";
    /// A private key where the certificates are expected.
    KEY_AS_CHAIN = "key-as-chain";
    /// Line ends are carriage returns alone.
    CARRIAGE_RETURN = "carriage-return";
    /// A PEM mark is indented.
    INDENTED = "indented";
    /// A BEGIN mark shares its line.
    GLUED = "glued";
    /// A PEM block without one of its marks.
    TRUNCATED = "truncated";
    /// A PEM block whose base64 is damaged.
    BAD_BASE64 = "bad-base64";
    /// A PEM block that does not hold a certificate.
    MALFORMED = "malformed";
    /// OpenSSL does not read a file that looks sound.
    OPENSSL_REFUSES = "openssl-refuses";
    /// A byte order mark begins the file.
    BYTE_ORDER_MARK = "byte-order-mark";
    /// A certificate under a label of its own.
    BLOCK_LABEL = "block-label";
    /// A block that is neither certificate nor key.
    FOREIGN_BLOCK = "foreign-block";
    /// A private key among the certificates.
    KEY_IN_CHAIN = "key-in-chain";
    /// A key file without a private key.
    KEY_MISSING = "key-missing";
    /// A key file with several private keys.
    SEVERAL_KEYS = "several-keys";
    /// A private key under a passphrase.
    KEY_ENCRYPTED = "key-encrypted";
    /// A private key that cannot be read.
    KEY_UNREADABLE = "key-unreadable";
    /// The private key of another certificate.
    KEY_MISMATCH = "key-mismatch";
    /// A host that the certificate does not name.
    HOST_MISMATCH = "host-mismatch";
    /// A certificate without subject alternative names.
    NO_ALTERNATIVE_NAME = "no-alternative-name";
    /// A certificate whose time is over.
    EXPIRED = "expired";
    /// A certificate whose time has not come.
    NOT_YET_VALID = "not-yet-valid";
    /// A server's certificate whose renewal is due.
    EXPIRES_SOON = "expires-soon";
    /// An issuing certificate that ends too soon.
    ISSUER_EXPIRES_SOON = "issuer-expires-soon";
    /// A certificate that is valid for longer than browsers accept.
    LONG_LIVED = "long-lived";
    /// A key that is too weak.
    WEAK_KEY = "weak-key";
    /// A key that TLS clients do not take.
    UNSUPPORTED_KEY = "unsupported-key";
    /// A key that some clients do not take.
    UNCOMMON_KEY = "uncommon-key";
    /// A signature with a broken hash.
    WEAK_SIGNATURE = "weak-signature";
    /// A server's certificate that is not the first of its file.
    LEAF_NOT_FIRST = "leaf-not-first";
    /// An issuer before what it issued.
    ORDER = "order";
    /// A certificate twice in a file.
    DUPLICATE = "duplicate";
    /// A certificate that is not part of the path.
    SURPLUS = "surplus";
    /// A root that is sent in vain.
    ROOT_SENT = "root-sent";
    /// An authority's certificate on a server.
    LEAF_IS_AUTHORITY = "leaf-is-authority";
    /// A key usage without digitalSignature.
    KEY_USAGE = "key-usage";
    /// A certificate for another purpose.
    PURPOSE = "purpose";
    /// A certificate without an extended key usage.
    NO_EXTENDED_KEY_USAGE = "no-extended-key-usage";
    /// A certificate that asks for a stapled answer.
    MUST_STAPLE = "must-staple";
    /// An issuer that is neither sent nor trusted.
    MISSING_INTERMEDIATE = "missing-intermediate";
    /// An issuer of the right name and another key.
    ISSUER_MISMATCH = "issuer-mismatch";
    /// A self-signed server's certificate.
    SELF_SIGNED = "self-signed";
    /// A path to a root that is not trusted.
    UNTRUSTED_ROOT = "untrusted-root";
    /// A certificate of a staging authority.
    STAGING = "staging";
    /// A signature that its issuer did not make.
    BAD_SIGNATURE = "bad-signature";
    /// An issuer that may not issue.
    NOT_AN_AUTHORITY = "not-an-authority";
    /// More authorities than a path length allows.
    PATH_LENGTH = "path-length";
    /// A name outside what an authority may issue for.
    NAME_CONSTRAINT = "name-constraint";
    /// A critical extension that is not understood.
    UNKNOWN_CRITICAL_EXTENSION = "unknown-critical-extension";
    /// A certificate outside the profile of RFC 5280.
    PROFILE = "profile";
    /// A path that OpenSSL refuses for another reason.
    UNVERIFIABLE = "unverifiable";
    /// A file without a trust anchor.
    NO_ANCHOR = "no-anchor";
    /// A trust anchor that cannot be read.
    ANCHOR_UNREADABLE = "anchor-unreadable";
    /// Not the URL of an ACME directory.
    ACME_SERVER = "acme-server";
    /// A renewal configuration that certbot did not write.
    RENEWAL_CONF = "renewal-conf";
    /// A lineage whose files cannot be read.
    LINEAGE_BROKEN = "lineage-broken";
    /// Folders of a lineage without its renewal configuration.
    LINEAGE_REMNANT = "lineage-remnant";
    /// A second lineage of a host.
    LINEAGE_DUPLICATE = "lineage-duplicate";
    /// A trusted lineage under a staging policy.
    PRODUCTION_KEPT = "production-kept";
    /// Certbot does not say its version.
    CERTBOT_VERSION = "certbot-version";
    /// Certbot cannot prove renewal.
    CERTBOT_TOO_OLD = "certbot-too-old";
    /// Certbot ended with an error.
    CERTBOT_FAILED = "certbot-failed";
    /// A hook of certbot failed.
    HOOK_FAILED = "hook-failed";
    /// A trial renewal that names no success.
    RENEWAL_UNPROVEN = "renewal-unproven";
    /// Another certificate is served than is stored.
    NOT_SERVED = "not-served";
    /// A development authority of which a part is missing.
    DEVELOPMENT_AUTHORITY_INCOMPLETE = "development-authority-incomplete";
    /// A development authority that cannot be read.
    DEVELOPMENT_AUTHORITY_UNREADABLE = "development-authority-unreadable";
    /// A development authority with the key of another.
    DEVELOPMENT_AUTHORITY_KEY = "development-authority-key";
    /// A development authority that cannot issue.
    DEVELOPMENT_AUTHORITY_UNFIT = "development-authority-unfit";
    /// A published copy that is not the development authority.
    DEVELOPMENT_AUTHORITY_COPY = "development-authority-copy";
    /// A development authority that ends before what it would issue.
    DEVELOPMENT_AUTHORITY_ENDS = "development-authority-ends";
    /// A certificate that was issued and is not fit.
    DEVELOPMENT_LEAF_UNFIT = "development-leaf-unfit";
}
