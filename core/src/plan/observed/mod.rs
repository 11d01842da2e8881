//! What was seen of a site, judged by what is planned for it.

mod devices;
mod identity;
mod labels;

use std::collections::{BTreeMap, BTreeSet};

use super::{ClusterObservation, Expected, Observations, codes};
use crate::diagnostic::{Code, Diagnostic, Findings, Place, Report};
use crate::inventory::{Role, Topology};
use crate::policy::PolicyDocument;

/// How many minor versions a kubelet may be older than its API server.
const SKEW: u64 = 3;

/// The label of a host that services run on.
const SERVICES: (&str, &str) = ("pharos.platform/services", "true");

pub(super) use devices::words as device_words;
pub use identity::is_fresh;
pub use labels::{is_observed_label, is_observed_taint};

/// Judges what was seen of a site by what is planned for it: its identities, versions, nodes, hosts and Ceph.
pub fn judge_observations(
    seen: &Observations,
    topology: Option<&Topology>,
    policy: Option<&PolicyDocument>,
    expected: &Expected,
) -> Report {
    let mut findings = Findings::new();
    judge(seen, topology, policy, expected, &mut findings);
    findings.into_report()
}

pub(super) fn judge(
    seen: &Observations,
    topology: Option<&Topology>,
    policy: Option<&PolicyDocument>,
    expected: &Expected,
    findings: &mut Findings,
) {
    identity::judge(seen, expected, findings);
    if let Some(cluster) = &seen.cluster {
        versions(cluster, policy, findings);
        readiness(cluster, findings);
        if let Some(topology) = topology {
            same_nodes(cluster, topology, findings);
            same_machines(cluster, seen, findings);
            labels::judge(cluster, topology, findings);
        }
    }
    ceph(seen, findings);
    hosts(seen, findings);
    if let Some(topology) = topology {
        architecture(seen, topology, findings);
    }
    inotify(seen, findings);
}

/// A finding about something of the site that has a name and no file.
fn about(what: &str, name: &str) -> Place {
    Place::named(&format!("{what} {name}"))
}

/// Names as people read them: all of a few, else the first and how many more.
fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 8;
    let names: Vec<&str> = names.into_iter().collect();
    match names.split_at_checked(SHOWN) {
        Some((first, rest)) if !rest.is_empty() => format!("{} and {} more", first.join(", "), rest.len()),
        _ => names.join(", "),
    }
}

/// `v1.33.5` or `1.33.5-eks`: the numbers of a release.
fn release(version: &str) -> Option<(u64, u64, u64)> {
    let numbers = version.strip_prefix('v').unwrap_or(version);
    let numbers = numbers.split(['-', '+']).next().unwrap_or_default();
    let mut parts = numbers.split('.').map(|part| part.parse().ok());
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Some(major)), Some(Some(minor)), Some(Some(patch)), None) => Some((major, minor, patch)),
        _ => None,
    }
}

fn versions(cluster: &ClusterObservation, policy: Option<&PolicyDocument>, findings: &mut Findings) {
    let Some(server) = release(&cluster.version) else {
        findings.push(unknown_version("the API server", &cluster.version, &about("cluster", &cluster.uid)));
        return;
    };
    // One finding a version and not one a node: a site has thousands of nodes.
    let mut kubelets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, node) in &cluster.nodes {
        kubelets.entry(&node.kubelet).or_default().push(name);
    }
    for (version, nodes) in &kubelets {
        let place = about("node", &listed(nodes.iter().copied()));
        let Some(kubelet) = release(version) else {
            findings.push(unknown_version("the kubelet", version, &place));
            continue;
        };
        // Patch releases of one minor version work with each other in either order (Kubernetes' version skew policy).
        let skew = if (kubelet.0, kubelet.1) > (server.0, server.1) {
            Some("newer than")
        } else if kubelet.0 != server.0 || kubelet.1 + SKEW < server.1 {
            Some("more than three minor versions older than")
        } else {
            None
        };
        if let Some(skew) = skew {
            findings.push(
                Diagnostic::error(
                    codes::KUBELET_SKEW,
                    format!("kubelet {version} is {skew} the API server, which is {}", cluster.version),
                )
                .at(place, "")
                .help("bring the control plane and these nodes to supported versions first; that is a maintenance of its own"),
            );
        }
    }
    if let Some(pinned) = policy.map(|policy| policy.foundation.kubernetes.as_str())
        && release(pinned) != Some(server)
    {
        let message = format!("the API server is {}, and the policy pins {pinned}", cluster.version);
        findings.push(
            Diagnostic::warning(codes::OTHER_RELEASE, message)
                .at(about("cluster", &cluster.uid), "")
                .help("an upgrade is an operation of its own; pin the release that runs until then"),
        );
    }
}

fn unknown_version(what: &str, version: &str, place: &Place) -> Diagnostic {
    let shown: String = version.chars().filter(|c| !c.is_control()).take(40).collect();
    Diagnostic::error(codes::UNKNOWN_VERSION, format!("{what} states `{shown}`, which is no version of Kubernetes"))
        .at(place.clone(), "")
        .help("see what answers there: a version reads `v1.33.5`")
}

fn readiness(cluster: &ClusterObservation, findings: &mut Findings) {
    let waiting: Vec<&str> =
        cluster.nodes.iter().filter(|(_, node)| !node.ready).map(|(name, _)| name.as_str()).collect();
    if !waiting.is_empty() {
        findings.push(
            Diagnostic::warning(codes::NODE_NOT_READY, format!("not ready: {}", listed(waiting.iter().copied())))
                .at(about("cluster", &cluster.uid), "")
                .help("`kubectl describe node` tells why; an operation waits for every node"),
        );
    }
}

/// The hosts of the inventory that run a kubelet are the nodes of the cluster, no more and no fewer.
fn same_nodes(cluster: &ClusterObservation, topology: &Topology, findings: &mut Findings) {
    let stated: BTreeSet<&str> = topology
        .nodes
        .iter()
        // A member of etcd alone is no node of the cluster.
        .filter(|(_, node)| node.roles.iter().any(|role| *role != Role::Etcd))
        .map(|(name, _)| name.as_str())
        .collect();
    let live: BTreeSet<&str> = cluster.nodes.keys().map(String::as_str).collect();
    let pairs = [
        (stated.difference(&live), "the inventory has nodes that the cluster lacks"),
        (live.difference(&stated), "the cluster has nodes that the inventory lacks"),
    ];
    for (names, what) in pairs {
        let names: Vec<&str> = names.copied().collect();
        if !names.is_empty() {
            findings.push(
                Diagnostic::error(codes::NODES_DIFFER, format!("{what}: {}", listed(names.iter().copied())))
                    .at(about("cluster", &cluster.uid), "")
                    .help(
                        "bring the inventory to what is there; adding and removing nodes are operations of their own",
                    ),
            );
        }
    }
}

/// A host is the machine that runs the node of its name.
fn same_machines(cluster: &ClusterObservation, seen: &Observations, findings: &mut Findings) {
    for (name, host) in &seen.hosts {
        let Some(node) = cluster.nodes.get(name) else { continue };
        if !node.machine_id.is_empty() && !host.machine_id.is_empty() && node.machine_id != host.machine_id {
            findings.push(
                Diagnostic::error(codes::OTHER_MACHINE, format!("host {name} is another machine than node {name}"))
                    .at(about("host", name), format!("machine id {}", host.machine_id))
                    .at(about("node", name), format!("machine id {}", node.machine_id))
                    .help("check `ansible_host` of this host, and whether the kubeconfig is of this site"),
            );
        }
    }
}

fn ceph(seen: &Observations, findings: &mut Findings) {
    let Some(ceph) = &seen.ceph else { return };
    let diagnostic: fn(Code, String) -> Diagnostic = match ceph.health.as_str() {
        "HEALTH_OK" => return,
        "HEALTH_ERR" => Diagnostic::error,
        _ => Diagnostic::warning,
    };
    let health: String = ceph.health.chars().filter(|c| !c.is_control()).take(40).collect();
    findings.push(
        diagnostic(codes::CEPH_HEALTH, format!("Ceph states `{health}`"))
            .at(about("Ceph cluster", &ceph.fsid), "")
            .help("`ceph health detail` tells why; heal it first"),
    );
}

fn hosts(seen: &Observations, findings: &mut Findings) {
    let mut machines: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, host) in &seen.hosts {
        if !host.machine_id.is_empty()
            && let Some(other) = machines.insert(&host.machine_id, name)
        {
            findings.push(
                Diagnostic::error(codes::SAME_MACHINE, format!("hosts {other} and {name} have the same machine id"))
                    .at(about("host", name), "")
                    .at(about("host", other), "the same")
                    .help("one machine under two names, or a copied disk: then remove /etc/machine-id and run `systemd-machine-id-setup`"),
            );
        }
        if seen.cluster.is_none() && host.occupied {
            findings.push(
                Diagnostic::error(
                    codes::OCCUPIED_HOST,
                    format!("host {name} holds the state of a cluster, and no Kubernetes API was seen"),
                )
                .at(about("host", name), "")
                .help("inspect that installation and restore its access first; nothing is installed over it"),
            );
        }
        devices::judge(name, host, findings);
    }
}

/// The processor of a host that services run on, as the host states it, or else as its kubelet does.
fn architecture(seen: &Observations, topology: &Topology, findings: &mut Findings) {
    let serves =
        topology.nodes.iter().filter(|(_, node)| node.labels.get(SERVICES.0).is_some_and(|it| it == SERVICES.1));
    for (name, _) in serves {
        let host = seen.hosts.get(name.as_str()).map(|host| host.architecture.as_str());
        let nodes = seen.cluster.as_ref().map(|cluster| &cluster.nodes);
        let node = nodes.and_then(|nodes| nodes.get(name.as_str())).map(|node| node.architecture.as_str());
        let stated = [host, node].into_iter().flatten().find(|stated| !stated.is_empty());
        if let Some(stated) = stated.filter(|stated| !matches!(*stated, "x86_64" | "amd64")) {
            findings.push(
                Diagnostic::error(
                    codes::SERVICE_ARCHITECTURE,
                    format!("host {name} is {stated} and has the label `{}`", SERVICES.0),
                )
                .at(about("host", name.as_str()), "")
                .help("services run on AMD64: take the label from this host"),
            );
        }
    }
}

/// One finding a value and not one a host: machines of one image have the same.
fn inotify(seen: &Observations, findings: &mut Findings) {
    for (limit, least) in crate::mesh::node::LIMITS {
        let parameter = format!("fs.inotify.{limit}");
        let mut low: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for (name, host) in &seen.hosts {
            if let Some(value) = host.sysctls.get(&parameter).filter(|value| **value < least) {
                low.entry(*value).or_default().push(name);
            }
        }
        for (value, names) in low {
            let message = format!("{parameter} is {value}, and a node with many pods runs out of it below {least}");
            findings.push(
                Diagnostic::warning(codes::INOTIFY_LIMITS, message)
                    .at(about("host", &listed(names)), "")
                    .help(format!("set `{parameter} = {least}` or more in /etc/sysctl.d on these hosts")),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{listed, release};

    #[test]
    fn releases_are_read() {
        assert_eq!(release("v1.33.5"), Some((1, 33, 5)));
        assert_eq!(release("1.33.5-gke.100+x"), Some((1, 33, 5)));
        for bad in ["", "v1.33", "1.33.5.1", "v1.x.5", "latest"] {
            assert_eq!(release(bad), None, "{bad}");
        }
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(listed(["a", "b"]), "a, b");
        assert_eq!(listed(["1", "2", "3", "4", "5", "6", "7", "8"]), "1, 2, 3, 4, 5, 6, 7, 8");
        assert_eq!(listed(["1", "2", "3", "4", "5", "6", "7", "8", "9"]), "1, 2, 3, 4, 5, 6, 7, 8 and 1 more");
    }
}
