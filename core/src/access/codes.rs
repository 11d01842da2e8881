//! The codes of this room.

crate::codes! { "access":
    /// A kubeconfig that names no cluster and user that can be used.
    KUBECONFIG = "kubeconfig";
    /// An API server whose certificate would not be verified.
    UNVERIFIED = "unverified";
    /// A program that gives credentials and is not allowed.
    EXEC_PLUGIN = "exec-plugin";
    /// An allowed program that gave no credentials.
    EXEC_FAILED = "exec-failed" => World;
    /// No answer from the API.
    UNREACHABLE = "unreachable" => World;
    /// A refusal by the API.
    DENIED = "denied";
    /// An answer of the API that cannot be used.
    ANSWER = "answer" => World;
    /// More than one Ceph cluster.
    SEVERAL_CEPH_CLUSTERS = "several-ceph-clusters";
    /// A host that ssh does not reach.
    HOST_UNREACHABLE = "host-unreachable" => World;
    /// A host that leads to no API.
    NO_FORWARD = "no-forward";
    /// A host's answer that cannot be used.
    HOST_ANSWER = "host-answer";
}
