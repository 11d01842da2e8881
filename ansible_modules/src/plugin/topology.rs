//! The filter `topology`: what groups and variables make of a cluster.

use std::collections::BTreeMap;

use pharos_core::ansible::{self, Failure, Kind as FailureKind};
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::inventory::{self, Facts, GroupFacts, HostFacts, Purpose, Topology};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{HostVariables, Kind, Plugin};

/// The filter.
pub(super) struct TopologyOf;

/// The one key of what stands in the place of a variable that Ansible could not resolve; its value is the kind of the failure.
const UNRESOLVED: &str = "*unresolved";

/// The cluster that groups and variables describe.
///
/// Takes every spelling of the cluster's groups together and judges the inventory: conflicting groups, the primary, addresses,
/// labels, taints and devices. Of the variables of a host those alone are read that say such; no connection secret is.
///
/// Ansible's magic variables do not say where a host is written, so that a finding names host and group without a line: `pharos
/// inventory` knows both. A variable that cannot be resolved is a finding like the others.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Ansible's magic variable `groups`: the hosts of each group.
    #[serde(rename = "_input")]
    groups: BTreeMap<String, Vec<String>>,
    /// Ansible's magic variable `hostvars`: the variables of each host.
    hostvars: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Plugin for TopologyOf {
    const NAME: &'static str = "topology";
    const KIND: Kind = Kind::Filter;
    const POSITIONAL: &'static [&'static str] = &["_input", "hostvars"];
    const EXAMPLES: &'static str = include_str!("../examples/plugins/topology.yml");
    type Arguments = Arguments;
    type Value = Topology;

    fn host_variables() -> Option<HostVariables> {
        Some(HostVariables {
            option: "hostvars",
            groups_option: "_input",
            groups: inventory::cluster_groups().collect(),
            names: inventory::VARIABLES.into_iter().chain(inventory::variables()).collect(),
            prefix: inventory::PREFIX,
        })
    }

    fn run(mut arguments: Arguments) -> Result<(Topology, Report), Report> {
        let failures = failures(&mut arguments.hostvars);
        // Ansible's own groups are in every inventory and say nothing.
        let written = arguments.groups.into_iter().filter(|(name, _)| name != "all" && name != "ungrouped");
        let facts = Facts {
            sources: Vec::new(),
            groups: written.map(|(name, hosts)| (name, GroupFacts { hosts, children: Vec::new() })).collect(),
            hosts: arguments.hostvars.into_iter().map(|(host, of)| (host, HostFacts::of_variables(of))).collect(),
        };
        if !failures.is_empty() {
            let mut findings = Findings::new();
            findings.extend(ansible::report(&failures, &[]));
            findings.extend(ansible::in_part(&facts, &[], &failures, Purpose::Existing));
            return Err(findings.into_report());
        }
        inventory::resolve(&facts, &[]).map(|resolved| (resolved.topology, resolved.notes))
    }
}

/// Takes out what stands for variables that Ansible could not resolve.
fn failures(hostvars: &mut BTreeMap<String, BTreeMap<String, Value>>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (host, variables) in hostvars {
        for (name, value) in variables {
            let Some(kind) = value.get(UNRESOLVED).and_then(|kind| FailureKind::deserialize(kind).ok()) else {
                continue;
            };
            failures.push(Failure::of_variable(kind, host, name));
            *value = Value::Null;
        }
    }
    failures
}
