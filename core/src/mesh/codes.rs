//! The codes of this room.

crate::codes! { "mesh":
    /// A host without a configuration of containerd.
    NO_CONTAINERD = "no-containerd";
    /// A folder of CNI that is not there.
    CNI_FOLDER = "cni-folder";
    /// Nodes whose containerd looks for CNI in different folders.
    CNI_DISAGREEMENT = "cni-disagreement";
    /// Limits of inotify that cannot be raised.
    WATCH_LIMIT = "watch-limit";
    /// A file that takes the limits of inotify back when the host boots.
    LIMIT_LOWERED = "limit-lowered";
    /// A namespace whose pods would be given a proxy.
    NAMESPACE_INJECTED = "namespace-injected";
    /// What was read is no list of namespaces.
    NAMESPACES = "namespaces";
}
