//! What an inventory means: from the groups and variables that Ansible resolved to the [`Topology`] of a cluster.
//!
//! Ansible reads inventories; its plugins, templates and vaults are its own. The core is given [`Facts`], plain data without any
//! secret, and the static files once more as [`Source`]s, for Ansible does not say where it found what.

mod facts;
mod topology;

pub use facts::{FactSource, Facts, GroupFacts, HostFacts, Source};
pub use topology::{
    Addresses, Group, Membership, Node, Origin, Primary, PrimaryBecause, Role, Taint, TaintEffect, Topology,
};
