//! The codes of this room.

crate::codes! { "plan":
    /// A record that is no plan.
    UNREADABLE = "unreadable";
    /// A record of a newer release.
    NEWER = "newer";
    /// A recorded plan that is not the one that was recorded.
    CHANGED = "changed";
    /// Records of another environment than the one that is asked for.
    OTHER_ENVIRONMENT = "other-environment";
    /// An offline plan where a change is to be authorised.
    OFFLINE = "offline";
    /// A plan of a working tree with uncommitted changes where a change is to be authorised.
    DIRTY = "dirty";
    /// A plan with refusals where a change is to be authorised.
    REFUSED = "refused";
    /// A plan whose inputs or identities moved.
    MOVED = "moved";
    /// An entry of the journal that was damaged or changed.
    JOURNAL_DAMAGED = "journal-damaged";
    /// An entry of the journal that does not follow on the one before.
    JOURNAL_BROKEN = "journal-broken";
    /// An entry of the journal that a newer release wrote.
    JOURNAL_NEWER = "journal-newer";
    /// A journal whose last line is incomplete.
    JOURNAL_PARTIAL = "journal-partial";
    /// A journal that lacks an entry which was recorded.
    JOURNAL_SHORT = "journal-short";
    /// A key of keyed fingerprints that is none.
    KEY_DAMAGED = "key-damaged";
    /// Public names, and no edge host that serves them.
    NO_EDGE_HOST = "no-edge-host";
    /// A cluster that is not the one that is expected.
    OTHER_CLUSTER = "other-cluster";
    /// A Ceph cluster that is not the one that is expected.
    OTHER_CEPH = "other-ceph";
    /// An expected identity that nothing which was seen confirms.
    UNCONFIRMED_IDENTITY = "unconfirmed-identity";
    /// Nodes that only the inventory or only the cluster has.
    NODES_DIFFER = "nodes-differ";
    /// A kubelet that is too new or too old for its API server.
    KUBELET_SKEW = "kubelet-skew";
    /// A version of Kubernetes that is not one.
    UNKNOWN_VERSION = "unknown-version";
    /// A release of Kubernetes that is not the pinned one.
    OTHER_RELEASE = "other-release";
    /// A node that is not ready.
    NODE_NOT_READY = "node-not-ready";
    /// A Ceph cluster that is not healthy.
    CEPH_HEALTH = "ceph-health";
    /// A host whose cluster state nothing accounts for.
    OCCUPIED_HOST = "occupied-host";
    /// Hosts with the same machine id.
    SAME_MACHINE = "same-machine";
    /// A host that is another machine than the node of its name.
    OTHER_MACHINE = "other-machine";
    /// A device that is not there.
    DEVICE_MISSING = "device-missing";
    /// A device that holds something already.
    DEVICE_IN_USE = "device-in-use";
    /// A device that is no whole disk.
    DEVICE_KIND = "device-kind";
    /// Two references to one device.
    SAME_DEVICE = "same-device";
    /// Labels of nodes that differ from the inventory's.
    LABELS_DIFFER = "labels-differ";
    /// Taints of nodes that differ from the inventory's.
    TAINTS_DIFFER = "taints-differ";
    /// A service host with another processor than AMD64.
    SERVICE_ARCHITECTURE = "service-architecture";
    /// Limits of inotify that a node runs out of.
    INOTIFY_LIMITS = "inotify-limits";
}
