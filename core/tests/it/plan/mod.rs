//! Plans: what they are composed of, what is refused of them and of what was seen.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test may panic as the test may"
)]

mod moved;
mod record;
mod shown;

use pharos_core::catalogue::{self, RouteTable};
use pharos_core::diagnostic::Report;
use pharos_core::inventory::Topology;
use pharos_core::plan::{
    self, Draft, Expected, Fingerprint, FingerprintKey, KeyedFingerprint, Observations, Operation, Plan, Recorded,
    Revision, SeenCertificate, journal,
};
use pharos_core::policy::PolicyDocument;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::committed;
use crate::rejected::{Fixture, refused};

const TOPOLOGY: &str = include_str!("../../plans/topology.json");
const OBSERVATIONS: &str = include_str!("../../plans/observations.json");
const CERTIFICATES: &str = include_str!("../../plans/certificates.json");
const COMMIT: &str = "3f2a9d4c8b7e6f5a4d3c2b1a0f9e8d7c6b5a4938";

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn typed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A value with others merged over it; null takes a key away.
fn merged(base: Value, over: &Value) -> Value {
    match (base, over) {
        (Value::Object(mut base), Value::Object(over)) => {
            for (key, value) in over {
                match base.remove(key) {
                    _ if value.is_null() => {}
                    Some(there) => drop(base.insert(key.clone(), merged(there, value))),
                    None => drop(base.insert(key.clone(), value.clone())),
                }
            }
            Value::Object(base)
        }
        (_, over) => over.clone(),
    }
}

/// What a plan of the example site is drafted from.
pub(crate) struct Site {
    pub(crate) policy: PolicyDocument,
    pub(crate) table: Option<RouteTable>,
    pub(crate) topology: Topology,
    pub(crate) observations: Observations,
    pub(crate) certificates: Vec<SeenCertificate>,
    pub(crate) expected: Expected,
    pub(crate) edges: Vec<String>,
    pub(crate) report: Report,
}

impl Site {
    pub(crate) fn of(environment: &str) -> Self {
        let policy = committed::policy(environment);
        let table = policy
            .value
            .edge
            .is_some()
            .then(|| catalogue::resolve(&committed::catalogue(), &policy).map(|(table, _)| table))
            .transpose()
            .unwrap_or_else(|report| panic!("{report}"));
        Self {
            policy: policy.value,
            table,
            topology: typed(value(TOPOLOGY)),
            observations: typed(value(OBSERVATIONS)),
            certificates: typed(value(CERTIFICATES)),
            expected: Expected {
                cluster_uid: Some("6f0c1d1e-0000-4000-8000-000000000001".to_owned()),
                ceph_fsid: Some("c0ffee00-0000-4000-8000-000000000001".to_owned()),
            },
            edges: vec!["edge2".to_owned(), "edge1".to_owned()],
            report: Report::default(),
        }
    }

    pub(crate) fn draft(&self, offline: bool) -> Plan {
        self.drafted(offline, false)
    }

    /// With an API that was to be seen and was not.
    fn drafted(&self, offline: bool, api_refused: bool) -> Plan {
        let key = FingerprintKey::new(&[1; 32]).unwrap();
        plan::draft(&Draft {
            environment: self.policy.environment.clone(),
            operation: Operation::DeployPlan,
            offline,
            revision: Revision { commit: COMMIT.to_owned(), dirty: false },
            policy: Some(&self.policy),
            routes: self.table.as_ref(),
            topology: Some(&self.topology),
            edges: &self.edges,
            external_identity: Some(KeyedFingerprint::of(&key, &json!({"issuer": "https://aai.example.org"}))),
            certificates: &self.certificates,
            expected: &self.expected,
            observations: Some(&self.observations),
            api_refused,
            report: &self.report,
            at: "2026-11-30T12:00:00Z".parse().unwrap(),
        })
    }
}

/// A fixture is a record, a journal, or what is merged over the example's plan or over what was seen of it.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let source = fixture.source();
    let (name, text) = (source.name(), source.text());
    let over_plan = || -> Plan { typed(merged(json!(Site::of("example").draft(false)), &value(text))) };
    match fixture.what() {
        "unreadable" => refused(plan::read(name, text.as_bytes())),
        "newer" => refused(plan::read(name, text.as_bytes()).unwrap().known(name)),
        "changed" => {
            let recorded = Site::of("example").draft(false).fingerprint();
            refused(plan::unchanged(name, plan::write(&over_plan()).as_bytes(), &recorded))
        }
        "offline" | "dirty" | "refused" => refused(plan::authorise(&over_plan(), name)),
        "moved" => refused(plan::hold(&Site::of("example").draft(false), &over_plan(), name)),
        "other-environment" => {
            let other = Recorded::Known(Box::new(over_plan()));
            refused(other.of(name, &"icarus-cloud".parse().unwrap()))
        }
        "journal-short" => {
            let (journal, _) = journal::read(&source).unwrap_or_else(|report| panic!("{report}"));
            let head = journal::Head { sequence: 3, hash: Fingerprint::of(&json!({})) };
            refused(journal.reaches(name, &head))
        }
        what if what.starts_with("journal-") => {
            journal::read(&source).map_or_else(|report| report, |(_, report)| report)
        }
        "unconfirmed-identity" => seen_of(&Site::of("example"), &value(text)),
        _ => seen(&value(text)),
    }
}

/// The findings about what was seen of the example. Where that is no cluster, none is expected either.
fn seen(over: &Value) -> Report {
    let mut site = Site::of("example");
    if over.get("cluster").is_some_and(Value::is_null) {
        site.expected = Expected::default();
    }
    seen_of(&site, over)
}

/// The same of a site, as a report is not kept in a plan: each with the words that it is printed with.
fn seen_of(site: &Site, over: &Value) -> Report {
    let observations: Observations = typed(merged(value(OBSERVATIONS), over));
    plan::judge_observations(&observations, Some(&site.topology), Some(&site.policy), &site.expected)
}

#[test]
fn what_is_as_it_should_be_raises_nothing() {
    assert_eq!(seen(&json!({})).to_string(), Report::default().to_string());
    let plan = Site::of("example").draft(false);
    assert!(plan.findings.is_empty() && plan.obstacles.is_empty());
    // No plan contacts an edge host.
    assert_eq!(json!(plan.unseen), json!(["certificates"]));
    assert!(plan::authorise(&plan, "plan.json").is_ok());
}

#[test]
fn an_offline_plan_looks_at_nothing_and_authorises_nothing() {
    let plan = Site::of("example").draft(true);
    assert!(plan.observations.is_none() && plan.fingerprints.identities.is_none());
    assert_eq!(json!(plan.unseen), json!(["cluster", "ceph", "hosts", "certificates"]));
    assert!(plan::authorise(&plan, "plan.json").is_err());
    assert!(plan.certificates.iter().all(|seen| json!(seen.r#use) != "api_server"));
}

#[test]
fn public_names_need_an_edge_host() {
    let mut site = Site::of("example");
    site.edges.clear();
    let codes: Vec<String> = site.draft(false).findings.into_iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["plan/no-edge-host"]);
    let mut lab = Site::of("icaruscloudlab");
    lab.edges.clear();
    assert!(lab.draft(false).findings.iter().all(|finding| finding.code != "plan/no-edge-host"));
}

#[test]
fn equal_inputs_give_equal_plans() {
    let write = || plan::write(&Site::of("example").draft(false));
    assert_eq!(write(), write());
}

fn fingerprints(change: impl FnOnce(&mut Site)) -> [bool; 4] {
    let before = Site::of("example").draft(false).fingerprints;
    let mut site = Site::of("example");
    change(&mut site);
    let after = site.draft(false).fingerprints;
    [
        before.policy != after.policy,
        before.inputs != after.inputs,
        before.topology != after.topology,
        before.identities != after.identities,
    ]
}

/// Which of policy, inputs, topology and identities is another one when something changes.
#[test]
fn each_fingerprint_covers_its_part_and_no_more() {
    let topology = |over: Value| typed::<Topology>(merged(value(TOPOLOGY), &over));
    let label = json!({"nodes": {"n2": {"labels": {"a": "b"}}}});
    assert_eq!(fingerprints(|site| site.topology = topology(label)), [false, true, false, false]);
    let address = json!({"nodes": {"n2": {"addresses": {"ip": "10.0.0.99"}}}});
    assert_eq!(fingerprints(|site| site.topology = topology(address)), [false, true, false, false]);
    let place = json!({"nodes": {"n1": {"memberships": null}}});
    assert_eq!(fingerprints(|site| site.topology = topology(place)), [false; 4]);
    let member = json!({"aliases": {"etcd": ["n1", "n2", "n4"]}});
    assert_eq!(fingerprints(|site| site.topology = topology(member)), [false, true, true, false]);
    // Kubespray numbers the members of etcd in their order; it is no other cluster.
    let order = json!({"groups": {"etcd": {"hosts": ["n3", "n2", "n1"]}}, "aliases": {"etcd": ["n3", "n2", "n1"]}});
    assert_eq!(fingerprints(|site| site.topology = topology(order)), [false, true, false, false]);
    let node = json!({"nodes": {"n5": {"roles": ["worker"], "addresses": {}}}});
    assert_eq!(fingerprints(|site| site.topology = topology(node)), [false, true, true, false]);
    let kubernetes = |site: &mut Site| site.policy.foundation.kubernetes = "1.33.6".to_owned();
    assert_eq!(fingerprints(kubernetes), [true, false, true, false]);
    let cni = |site: &mut Site| site.policy.foundation.cni.version = "3.30.4".to_owned();
    assert_eq!(fingerprints(cni), [true, false, true, false]);
    let mail = |site: &mut Site| site.policy.smtp = None;
    assert_eq!(fingerprints(mail), [true, false, false, false]);
    let seen = |over: &Value| typed::<Observations>(merged(value(OBSERVATIONS), over));
    let health = json!({"ceph": {"health": "HEALTH_WARN"}, "cluster": {"version": "v1.33.6"}});
    assert_eq!(fingerprints(|site| site.observations = seen(&health)), [false; 4]);
    // How the nodes are labelled and what disks the hosts have is no identity: it is judged, and may change until an operation runs.
    let device = json!({"/dev/disk/by-id/nvme-one": {"path": "/dev/nvme0n1", "kind": "disk", "bytes": 1}});
    let moved = json!({"cluster": {"nodes": {"n2": {"labels": {"rack": "a"}, "taints": [{"key": "a", "effect": "NoExecute"}]}}},
        "hosts": {"n2": {"devices": device}}});
    assert_eq!(fingerprints(|site| site.observations = seen(&moved)), [false; 4]);
    let uid = json!({"cluster": {"nodes": {"n2": {"uid": "another"}}}});
    assert_eq!(fingerprints(|site| site.observations = seen(&uid)), [false, false, false, true]);
}

#[test]
fn layers_follow_policy_topology_and_what_is_there() {
    let states = |plan: &Plan| -> Vec<String> {
        plan.layers.iter().map(|layer| format!("{} {}", layer.layer.word(), layer.state.words())).collect()
    };
    let all = [
        "kubernetes stands",
        "storage runs",
        "mesh runs",
        "argo runs",
        "edge runs",
        "applications runs",
        "edge-final runs",
    ];
    assert_eq!(states(&Site::of("example").draft(false)), all);
    let mut lab = Site::of("icaruscloudlab");
    lab.topology.nodes.values_mut().for_each(|node| node.labels.clear());
    let lab = lab.draft(true);
    let foundation = [
        "kubernetes undecided",
        "storage left out",
        "mesh runs",
        "argo left out",
        "edge left out",
        "applications left out",
        "edge-final left out",
    ];
    assert_eq!(states(&lab), foundation);
    assert!(lab.edge.is_none());
}

/// A site that is expected has to be seen, whatever else was: nothing of it makes it a fresh one.
#[test]
fn what_is_expected_and_not_seen_is_refused() {
    let codes = |site: &Site, offline| -> Vec<String> {
        site.draft(offline).findings.into_iter().map(|finding| finding.code).collect()
    };
    let mut site = Site::of("example");
    site.observations = Observations::default();
    assert_eq!(codes(&site, false), ["plan/unconfirmed-identity"; 2]);
    assert!(codes(&site, true).is_empty(), "an offline plan says that nothing was looked at");
    site.observations = typed(merged(value(OBSERVATIONS), &json!({"cluster": null, "ceph": null})));
    assert_eq!(codes(&site, false), ["plan/unconfirmed-identity"; 2]);
    assert!(!plan::is_fresh(&site.observations, &site.expected, false));
    site.expected.cluster_uid = None;
    assert!(!plan::is_fresh(&site.observations, &site.expected, false), "Ceph is expected");
}

/// Freshness is concluded from what was seen, and from nothing else.
#[test]
fn a_site_of_which_nothing_was_seen_is_not_fresh() {
    let mut site = Site::of("example");
    site.expected = Expected::default();
    let mut kubernetes = |over: Value, api_refused: bool| {
        site.observations = typed(merged(value(OBSERVATIONS), &over));
        let fresh = plan::is_fresh(&site.observations, &site.expected, api_refused);
        let state = site.drafted(false, api_refused).layers[0].state.words();
        (fresh, state)
    };
    let none = |hosts: Value| json!({"cluster": null, "ceph": null, "hosts": hosts});
    assert_eq!(kubernetes(none(json!({})), false), (true, "runs"));
    assert_eq!(kubernetes(none(json!({})), true), (false, "undecided"), "the API was to be seen");
    assert_eq!(kubernetes(none(Value::Null), false), (false, "undecided"), "no host was read");
    assert_eq!(kubernetes(none(json!({"n3": {"occupied": true}})), false), (false, "undecided"));
    assert_eq!(kubernetes(json!({}), false), (false, "stands"));
}

/// What the inventory expects is private: the plan says that it is another one, and not which.
#[test]
fn what_is_expected_enters_no_plan() {
    let mut site = Site::of("example");
    let canary = "7a5e2c11-0000-4000-8000-00c0ffee5ec7";
    site.expected = Expected { cluster_uid: Some(canary.to_owned()), ceph_fsid: Some(canary.to_owned()) };
    let plan = site.draft(false);
    let codes: Vec<&str> = plan.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["plan/other-cluster", "plan/other-ceph"]);
    let shown = format!("{:?}", site.expected) + &plan::write(&plan) + &plan::html(&plan);
    assert!(!shown.contains(canary));
    assert!(!plan::human(&Recorded::Known(Box::new(plan))).contains(canary));
}

/// A site of 5,000 machines of one image has a finding a fault, and not one a machine.
#[test]
fn a_fault_of_many_is_said_once() {
    let hosts: serde_json::Map<String, Value> = (0..5000)
        .map(|number| {
            let id = format!("{number:032x}");
            let sysctls = json!({"fs.inotify.max_user_instances": 128, "fs.inotify.max_user_watches": 8192});
            (format!("worker-{number:04}"), json!({"machine_id": id, "sysctls": sysctls}))
        })
        .collect();
    let report = seen(&json!({"hosts": hosts}));
    assert_eq!(report.diagnostics().len(), 2, "{report}");
    assert!(report.to_string().contains("host worker-0000, worker-0001"), "{report}");
}
