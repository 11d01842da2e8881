//! The codes of this room.

crate::codes! { "name":
    /// Not a DNS label.
    DNS_LABEL = "dns-label";
    /// Not the name of a Kubernetes Service.
    SERVICE_LABEL = "service-label";
    /// Not a host name.
    HOST_NAME = "host-name";
    /// Not an origin.
    ORIGIN = "origin";
    /// An origin with credentials, a path, a query or a fragment.
    ORIGIN_SURPLUS = "origin-surplus";
    /// Not the path of a URL as a route states it.
    URL_PATH = "url-path";
    /// Not a network.
    NETWORK = "network";
    /// A network whose address has bits set beyond the prefix length.
    NETWORK_HOST_BITS = "network-host-bits";
    /// Not the absolute path of a file.
    ABSOLUTE_PATH = "absolute-path";
    /// Not an address with a port.
    SOCKET_ADDRESS = "socket-address";
    /// Not an address to listen on.
    LISTEN_ADDRESS = "listen-address";
    /// Not a bare mail address.
    MAIL_ADDRESS = "mail-address";
    /// Not the name of a node.
    NODE_NAME = "node-name";
    /// Neither an IP address nor a host name.
    NODE_ADDRESS = "node-address";
    /// Not a variable of the role `edge`.
    EDGE_VARIABLE = "edge-variable";
    /// A name that begins as the variables of a role of the cluster, and is none of them.
    ROLE_VARIABLE = "role-variable";
    /// Not the address of a Git repository.
    REPOSITORY = "repository";
    /// Not the key of a Kubernetes label.
    LABEL_KEY = "label-key";
    /// Not the value of a Kubernetes label.
    LABEL_VALUE = "label-value";
    /// Not the fingerprint of a certificate.
    CERTIFICATE_FINGERPRINT = "certificate-fingerprint";
}
