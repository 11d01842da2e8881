//! The codes of this room.

crate::codes! { "inventory":
    /// Two spellings of one group have different members.
    ALIAS_CONFLICT = "alias-conflict";
    /// What stands where a host or a group does and is no name.
    NO_NAME = "no-name";
    /// A host, a group or a variable that is written twice in one file.
    WRITTEN_TWICE = "written-twice";
    /// A line of an inventory in INI that Ansible refuses.
    INI = "ini";
    /// A part of an inventory in YAML that Ansible refuses or passes over.
    YAML = "yaml";
    /// A range of hosts that no host is in.
    RANGE = "range";
    /// A group of the cluster is not written.
    ABSENT_GROUP = "absent-group";
    /// A group of the cluster has no member.
    EMPTY_GROUP = "empty-group";
    /// More than one primary.
    SEVERAL_PRIMARIES = "several-primaries";
    /// The primary is no control plane host.
    PRIMARY_ROLE = "primary-role";
    /// No group names the primary; the first control plane host is it.
    PRIMARY_DERIVED = "primary-derived";
    /// An even number of etcd members.
    ETCD_EVEN = "etcd-even";
    /// One etcd member or one control plane host.
    NOT_HA = "not-ha";
    /// A host of the cluster that the cluster's group does not have.
    OUTSIDE_CLUSTER = "outside-cluster";
    /// A member of the cluster's group that has no role.
    NO_ROLE = "no-role";
    /// A host whose name cannot be that of a Kubernetes node.
    NODE_NAME = "node-name";
    /// An address that is none, or that nobody can reach.
    ADDRESS = "address";
    /// Two hosts have one address.
    DUPLICATE_ADDRESS = "duplicate-address";
    /// Addresses of both families where one is needed.
    ADDRESS_FAMILY = "address-family";
    /// Labels that Kubernetes would refuse.
    LABEL = "label";
    /// A label whose value is no text, or not in the case that is looked for.
    LABEL_VALUE = "label-value";
    /// Not exactly three hosts for storage.
    STORAGE_HOSTS = "storage-hosts";
    /// A services host that is not AMD64.
    SERVICES_ARCHITECTURE = "services-architecture";
    /// A taint that Kubernetes would refuse.
    TAINT = "taint";
    /// A taint that a host has twice.
    DUPLICATE_TAINT = "duplicate-taint";
    /// A storage device that is no reference to one.
    DEVICE = "device";
    /// A storage device that a host has twice.
    DUPLICATE_DEVICE = "duplicate-device";
    /// A disk that several hosts are to take for storage.
    SHARED_DEVICE = "shared-device";
    /// A fresh installation on a device that is not named by its id.
    DEVICE_BY_ID = "device-by-id";
    /// A fresh installation on a storage host that names no device.
    NO_DEVICES = "no-devices";
    /// A variable `pharos_*` that does not exist.
    UNKNOWN_VARIABLE = "unknown-variable";
    /// A variable `pharos_*` with a value that it cannot have.
    VARIABLE_VALUE = "variable-value";
    /// A variable `pharos_*` that the primary does not have, or has with another value.
    VARIABLE_HOST = "variable-host";
}
