//! The topology: what the cluster of an inventory consists of, and nothing that is private.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shared;
use crate::name::{NodeAddress, NodeName};

/// The cluster of an inventory, as everybody may see it: nodes, groups and where each membership came from.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// The members of the cluster and of etcd, by name.
    pub nodes: BTreeMap<NodeName, Node>,
    /// The primary: the control plane host that an operation begins with.
    pub primary: Primary,
    /// The groups as they are written, as far as nodes are in them: also those that mean nothing to a cluster.
    pub groups: BTreeMap<String, Group>,
    /// The groups of the cluster by their modern names, with all their members: those of `groups` under a name that they may
    /// not be written with.
    pub aliases: BTreeMap<String, Vec<NodeName>>,
}

impl Topology {
    /// The same topology without the places of memberships: a file that only moved its lines gives an equal one.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        for node in self.nodes.values_mut() {
            node.memberships.clear();
        }
        self
    }

    /// The names of the nodes that have a role, in the order of their names.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &NodeName> {
        self.nodes.iter().filter(move |(_, node)| node.roles.contains(&role)).map(|(name, _)| name)
    }
}

/// The primary, and what makes it one.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Primary {
    /// The node.
    pub node: NodeName,
    /// What makes it the primary.
    pub because: PrimaryBecause,
}

/// What makes a node the primary.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrimaryBecause {
    /// It is the one member of `kube-master-primary`.
    Group,
    /// It is the first control plane host of an inventory with modern names, where no group names the primary.
    #[default]
    FirstControlPlane,
}

/// A member of the cluster or of etcd.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// What it does; nothing for a cluster member that no role was given.
    pub roles: BTreeSet<Role>,
    /// Its addresses.
    pub addresses: Addresses,
    /// Its labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Its taints, in the order of the inventory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Taint>,
    /// References to the devices that storage may use: by id for a fresh installation, and as they were written elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// How it came to each of its groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memberships: Vec<Membership>,
}

/// What a node does.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Runs the control plane of Kubernetes.
    ControlPlane,
    /// Runs a member of etcd.
    Etcd,
    /// Runs workloads.
    Worker,
    /// Reflects routes for Calico.
    RouteReflector,
}

impl Role {
    /// The word that people read: `control-plane`, `etcd`, `worker`, `route-reflector`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ControlPlane => "control-plane",
            Self::Etcd => "etcd",
            Self::Worker => "worker",
            Self::RouteReflector => "route-reflector",
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// The addresses of a node, each as far as it is stated.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Addresses {
    /// Where it is reached by SSH (`ansible_host`): an address or a host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<NodeAddress>,
    /// The address that its services listen at (`ip`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<IpAddr>,
    /// The address that other nodes reach it by (`access_ip`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_ip: Option<IpAddr>,
    /// Its address of IPv6 (`ip6`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip6: Option<IpAddr>,
}

impl Addresses {
    /// Those that are stated, with the variable of each.
    pub fn stated(&self) -> impl Iterator<Item = (&'static str, NodeAddress)> {
        let numbers = [("ip", self.ip), ("access_ip", self.access_ip), ("ip6", self.ip6)];
        let numbers = numbers.into_iter().filter_map(|(variable, ip)| Some((variable, ip?.into())));
        self.address.clone().map(|address| ("ansible_host", address)).into_iter().chain(numbers)
    }

    /// The one that other nodes know it by, or else the one that it is reached at.
    pub fn known_by(&self) -> Option<NodeAddress> {
        let inside = self.access_ip.or(self.ip).map(NodeAddress::from);
        inside.or_else(|| self.address.clone()).or_else(|| self.ip6.map(NodeAddress::from))
    }
}

/// A taint of a node.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// What it does to pods that do not tolerate it.
    pub effect: TaintEffect,
}

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
pub enum TaintEffect {
    /// They are not placed there.
    NoSchedule,
    /// They are placed there only when nothing else is left.
    PreferNoSchedule,
    /// They are removed from there.
    NoExecute,
}

impl std::fmt::Display for TaintEffect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
        })
    }
}

impl std::fmt::Display for Taint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value.as_str() {
            "" => write!(f, "{}:{}", self.key, self.effect),
            value => write!(f, "{}={value}:{}", self.key, self.effect),
        }
    }
}

/// A group as it is written: its own hosts and children.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its own hosts that are nodes, in the order of the inventory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<NodeName>,
    /// The groups that are its children, in the order of the inventory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
}

/// How a node came to a group of the cluster.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Membership {
    /// The group, by its modern name.
    #[serde(with = "shared::text")]
    #[schemars(with = "String")]
    pub group: Arc<str>,
    /// The groups as they are written, from the one whose own host the node is to the one that is the group; empty if that is
    /// one, and written with its modern name. A cluster group that is not written comes to its members by its parts.
    #[serde(default, skip_serializing_if = "shared::is_empty", with = "shared::texts")]
    #[schemars(with = "Vec<String>")]
    pub by_way_of: Arc<[String]>,
    /// Where it is written.
    pub at: Origin,
}

/// Where a membership is written.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Origin {
    /// In a static file.
    Line {
        /// The file.
        #[serde(with = "shared::text")]
        #[schemars(with = "String")]
        file: Arc<str>,
        /// The line, from 1.
        line: usize,
    },
    /// In the output of a plugin, or in a file that could not be read again: a source has no lines then.
    Plugin {
        /// Ansible's name of the plugin.
        #[serde(with = "shared::text")]
        #[schemars(with = "String")]
        plugin: Arc<str>,
        /// The source that it read.
        #[serde(with = "shared::text")]
        #[schemars(with = "String")]
        source: Arc<str>,
    },
    /// One of several sources that have no lines.
    Unknown,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{file}:{line}"),
            Self::Plugin { plugin, source } => write!(f, "{source} (plugin {plugin})"),
            Self::Unknown => f.write_str("a source without lines"),
        }
    }
}
