//! What an inventory means: from the groups and variables that Ansible resolved to the [`Topology`] of a cluster.
//!
//! Ansible reads inventories; its plugins, templates and vaults are its own. The core is given [`Facts`], plain data without any
//! secret, and the static files once more as [`Source`]s, for Ansible does not say where it found what. [`resolve`] takes the
//! spellings of the cluster's groups together, judges everything at once and gives the topology.

pub mod codes;
mod facts;
mod group;
mod judge;
mod place;
mod plain;
mod quick;
mod resolve;
mod rules;
mod shared;
pub mod show;
mod topology;

pub use facts::{FactSource, Facts, GroupFacts, HostFacts, PREFIX, Source, VARIABLES};
pub use group::{cluster_groups, edge_hosts, names_of_group};
pub(crate) use place::{is_of_variables, judge_ini, judge_yaml};
pub(crate) use plain::shown;
pub use resolve::{ApiAccess, Bindings, Purpose, Resolved, fresh_faults, resolve, resolve_for};
pub use rules::label::STORAGE as STORAGE_LABELS;
pub use rules::variable::names as variables;
pub use topology::{
    Addresses, Group, Membership, Node, Origin, Primary, PrimaryBecause, Role, Taint, TaintEffect, Topology,
};
