//! What Ansible made of an inventory: the part of it that the core is given.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What Ansible resolved: groups, and of each host the few variables that the core may know.
///
/// Values are as Ansible has them (a YAML boolean is a boolean): they are judged here. No other variable of a host is ever
/// handed over; connection secrets stay with Ansible.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// What Ansible read, in its order.
    #[serde(default)]
    pub sources: Vec<FactSource>,
    /// Every group by the name that it is written with.
    #[serde(default)]
    pub groups: BTreeMap<String, GroupFacts>,
    /// The hosts by name. Hosts outside the cluster may be left out.
    #[serde(default)]
    pub hosts: BTreeMap<String, HostFacts>,
}

/// A source of an inventory and the plugin that read it.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FactSource {
    /// Its path, or what else it is known by.
    pub path: String,
    /// Ansible's name of the plugin: `yaml`, `ini`, `script`, `community.general.proxmox`.
    pub plugin: String,
}

/// A group.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GroupFacts {
    /// Its own hosts, without those of its children, in Ansible's order.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// The groups that are its children, in Ansible's order.
    #[serde(default)]
    pub children: Vec<String>,
}

/// The variables of a host that the core may know, each as Ansible resolved it; null where the host has none.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HostFacts {
    /// `ansible_host`.
    #[serde(default)]
    pub address: Value,
    /// `ip`.
    #[serde(default)]
    pub ip: Value,
    /// `access_ip`.
    #[serde(default)]
    pub access_ip: Value,
    /// `ip6`.
    #[serde(default)]
    pub ip6: Value,
    /// `node_labels`.
    #[serde(default)]
    pub labels: Value,
    /// `node_taints`.
    #[serde(default)]
    pub taints: Value,
    /// `storage_devices`.
    #[serde(default)]
    pub devices: Value,
    /// Every variable whose name begins with `pharos_`: the known ones with their value, the others with null.
    #[serde(default)]
    pub pharos: BTreeMap<String, Value>,
}

/// The variables of a host that state its facts. Of those that begin with [`PREFIX`] the [known](super::variables) ones count as well.
pub const VARIABLES: [&str; 7] =
    ["ansible_host", "ip", "access_ip", "ip6", "node_labels", "node_taints", "storage_devices"];

/// How the names of the site's own variables begin.
pub const PREFIX: &str = "pharos_";

impl HostFacts {
    /// What the host states for one of the variables of addresses; null for any other name.
    pub(super) fn stated(&self, variable: &str) -> &Value {
        match variable {
            "ansible_host" => &self.address,
            "ip" => &self.ip,
            "access_ip" => &self.access_ip,
            "ip6" => &self.ip6,
            _ => &Value::Null,
        }
    }

    /// From variables by their names; what is no fact is left out.
    pub fn of_variables(mut variables: BTreeMap<String, Value>) -> Self {
        let pharos = variables
            .iter()
            .filter(|(name, _)| name.starts_with(PREFIX))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut fact = |name: &str| variables.remove(name).unwrap_or_default();
        Self {
            address: fact("ansible_host"),
            ip: fact("ip"),
            access_ip: fact("access_ip"),
            ip6: fact("ip6"),
            labels: fact("node_labels"),
            taints: fact("node_taints"),
            devices: fact("storage_devices"),
            pharos,
        }
    }
}

/// A static file of an inventory, read again for the places of what Ansible resolved: an inventory in YAML or INI, or a file
/// of `group_vars` or `host_vars`. It is private: no line of it is shown.
#[derive(Clone)]
pub struct Source {
    /// Its path, written as in [`FactSource::path`].
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Without the bytes: a `Debug` form ends up in panics and logs.
impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
