//! The codes of the gateway.

crate::codes! { "gateway":
    /// A gateway is asked of a site that states none.
    NOT_STATED = "not-stated";
    /// A mesh about a gateway that the catalogue does not declare.
    UNKNOWN_GATEWAY = "unknown-gateway";
    /// A node port that Kubernetes does not give.
    NODE_PORT = "node-port";
    /// An upstream of the edge that does not lead to the node port.
    UPSTREAM_PORT = "upstream-port";
    /// An HTTPS gateway without ports or a certificate of its own, or a certificate for a plain one.
    CERTIFICATE = "certificate";
    /// Edge networks that hold every address, or nearly.
    EDGE_EVERYONE = "edge-everyone";
    /// A network that the gateway may leave for, and that holds every address, or nearly.
    EGRESS_EVERYONE = "egress-everyone";
    /// A gateway that is kept from its own control plane.
    NO_EGRESS = "no-egress";
    /// One port of the gateway for plain HTTP and for HTTPS.
    LISTENER_PORTS = "listener-ports";
    /// A gateway that shares its namespace with a backend.
    NAMESPACE_SHARED = "namespace-shared";
    /// A management route behind a gateway that everybody in the cluster reaches.
    MANAGEMENT_UNPROTECTED = "management-unprotected";
    /// A backend whose pods or target port are not stated.
    BACKEND_PODS = "backend-pods";
    /// Two statements about where one port of a Service leads.
    TARGET_PORT = "target-port";
    /// Pods of a Service that is no reviewed backend.
    UNREVIEWED_PODS = "unreviewed-pods";
    /// Two routes that want one port spoken to in two ways.
    BACKEND_DISAGREEMENT = "backend-disagreement";
    /// A trust reference that is not published for the gateway.
    UNPUBLISHED_TRUST = "unpublished-trust";
    /// What is published for a trust reference that the catalogue does not have.
    UNKNOWN_TRUST = "unknown-trust";
    /// Two objects of one name that hold different certificates.
    PUBLISHED_TWICE = "published-twice";
    /// A trust reference whose backends are recognised by fingerprint, without one.
    FINGERPRINT_MISSING = "fingerprint-missing";
    /// A fingerprint for a trust reference whose backends are recognised by name.
    FINGERPRINT_SURPLUS = "fingerprint-surplus";
    /// A path normalisation under which routes and policies would see other paths than clients and backends do.
    PATH_NORMALIZATION = "path-normalization";
    /// A host with more routes than one object may hold.
    OBJECT_SIZE = "object-size";
    /// A gateway whose name is that of a route's objects.
    NAME_TAKEN = "name-taken";
    /// A CA bundle with a private key in it.
    TRUST_PRIVATE_KEY = "trust-private-key";
    /// A route whose requests another takes, or that takes another's.
    SHADOWED_ROUTE = "shadowed-route";
    /// A listener at another port, on other pods or for other hosts than those of the gateway's routes.
    WRONG_LISTENER = "wrong-listener";
    /// A route whose requests go to another Service or port than the route's.
    WRONG_DESTINATION = "wrong-destination";
    /// A route that no policy lets requests through to.
    ROUTE_WITHOUT_POLICY = "route-without-policy";
    /// A policy that lets requests through which no route takes.
    POLICY_WITHOUT_ROUTE = "policy-without-route";
    /// An HTTPS backend that is not verified as its route says.
    BACKEND_WITHOUT_TRUST = "backend-without-trust";
    /// A management route that is open to others than its networks.
    MANAGEMENT_REACHABLE = "management-reachable";
    /// A chart whose schema was made from another catalogue.
    CHART_SCHEMA = "chart-schema";
    /// Two owners that meet in a host, in an object or in the mark of the catalogue.
    LABORATORY_CONFLICT = "laboratory-conflict";
}
