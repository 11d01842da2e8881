//! Plans: what they are composed of, what is refused of them and of what was seen.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test may panic as the test may"
)]

use pharos_core::catalogue::{self, RouteTable};
use pharos_core::diagnostic::{Report, Source};
use pharos_core::inventory::{PrimaryBecause, Topology};
use pharos_core::plan::{
    self, Draft, Expected, Fingerprint, FingerprintKey, KeyedFingerprint, Observations, Operation, Plan, Recorded,
    Revision, journal,
};
use pharos_core::policy::PolicyDocument;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::committed;
use crate::rejected::{Fixture, refused};

const TOPOLOGY: &str = include_str!("../plans/topology.json");
const OBSERVATIONS: &str = include_str!("../plans/observations.json");
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
            expected: Expected {
                cluster_uid: Some("6f0c1d1e-0000-4000-8000-000000000001".to_owned()),
                ceph_fsid: Some("c0ffee00-0000-4000-8000-000000000001".to_owned()),
            },
            edges: vec!["edge2".to_owned(), "edge1".to_owned()],
            report: Report::default(),
        }
    }

    pub(crate) fn draft(&self, offline: bool) -> Plan {
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
            expected: &self.expected,
            observations: Some(&self.observations),
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
        _ => seen(&value(text)),
    }
}

/// The findings about what was seen, as a report is not kept in a plan: each with the words that it is printed with.
fn seen(over: &Value) -> Report {
    let mut site = Site::of("example");
    site.observations = typed(merged(value(OBSERVATIONS), over));
    plan::judge_observations(&site.observations, Some(&site.topology), Some(&site.policy), &site.expected)
}

#[test]
fn what_is_as_it_should_be_raises_nothing() {
    assert_eq!(seen(&json!({})).to_string(), Report::default().to_string());
    let plan = Site::of("example").draft(false);
    assert!(plan.findings.is_empty() && plan.obstacles.is_empty() && plan.unseen.is_empty());
    assert!(plan::authorise(&plan, "plan.json").is_ok());
}

#[test]
fn an_offline_plan_looks_at_nothing_and_authorises_nothing() {
    let plan = Site::of("example").draft(true);
    assert!(plan.observations.is_none() && plan.fingerprints.identities.is_none());
    assert_eq!(json!(plan.unseen), json!(["cluster", "ceph", "hosts", "certificates"]));
    assert!(plan::authorise(&plan, "plan.json").is_err());
    assert!(plan.edge.unwrap().hosts.iter().all(|host| host.certificate.as_ref().unwrap().not_after.is_none()));
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

/// Kept as it was released: every later release reads it, and writes what it read.
#[test]
fn version_1_is_read_and_written() {
    let path = committed::repository().join("core/tests/plans/version-1.json");
    let written = plan::write(&Site::of("example").draft(false));
    if std::env::var_os("PHAROS_UPDATE_PLAN").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    let Recorded::Known(plan) = plan::read("version-1.json", golden.as_bytes()).unwrap() else { panic!("known") };
    assert_eq!(plan::write(&plan), golden);
    plan::unchanged("version-1.json", golden.as_bytes(), &plan.fingerprint()).unwrap();
    assert_eq!(plan.environment.as_str(), "example");
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
    let order = json!({"aliases": {"etcd": ["n3", "n2", "n1"]}});
    assert!(!fingerprints(|site| site.topology = topology(order))[2]);
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
fn what_moved_is_named() {
    let old = Site::of("example").draft(false);
    let texts = |over: &Value| -> Vec<String> {
        let new: Plan = typed(merged(json!(old), over));
        plan::moved(&old, &new).into_iter().map(|moved| moved.text).collect()
    };
    assert_eq!(texts(&json!({"at": "2027-01-01T00:00:00Z", "findings": [], "layers": []})), Vec::<String>::new());
    let nodes = json!({"topology": {
        "nodes": {"n7": {"roles": ["worker"], "addresses": {}}},
        "aliases": {"etcd": ["n1", "n3"], "kube_node": ["n2", "n3", "n4", "n7"]},
    }, "policy": {"smtp": {"host": "relay.example.org"}}});
    assert_eq!(texts(&nodes), ["added n7", "n2 left etcd", "policy smtp.host added"]);
    let mail = |host: &str| -> Plan { typed(merged(json!(old), &json!({"policy": {"smtp": {"host": host}}}))) };
    let moved = plan::moved(&mail("a.example.org"), &mail("b.example.org"));
    assert_eq!(moved[0].text, "policy smtp.host changed from a.example.org to b.example.org");
    let edge = json!({"policy": {"edge": {"management_networks": ["192.0.2.0/24"], "origins": {"zammad": null}}}});
    assert_eq!(texts(&edge), ["policy edge.management_networks changed", "policy edge.origins.zammad removed"]);
    let gone = json!({"topology": null, "external": null, "fingerprints": {"external_identity": null}});
    assert_eq!(texts(&gone), ["the inventory is refused", "the file of the external identity changed"]);
    let pinned = json!({"pinned": {"kubernetes": "1.34.1"}, "policy": {"foundation": {"kubernetes": "1.34.1"}}});
    assert_eq!(texts(&pinned), ["Kubernetes changed from 1.33.5 to 1.34.1"]);
    let machine = json!({"observations": {"hosts": {"n2": {"machine_id": "another"}}, "ceph": null}});
    assert_eq!(
        texts(&machine),
        ["Ceph does not answer any more; it was c0ffee00-0000-4000-8000-000000000001", "machine n2 is another one"]
    );
}

/// Whatever moves a fingerprint is named, and what is named moves one.
#[test]
fn what_moves_a_fingerprint_is_named() {
    let old = Site::of("example").draft(false);
    for over in [
        json!({"nodes": {"n2": {"labels": {"a": "b"}}}}),
        json!({"nodes": {"n2": {"devices": ["/dev/disk/by-id/other"]}}}),
        json!({"nodes": {"n3": {"taints": null}}}),
        json!({"nodes": {"n3": {"addresses": {"ip6": "2001:db8::1"}}}}),
        json!({"primary": {"node": "n2"}}),
        json!({"aliases": {"kube_node": ["n2", "n3"]}}),
    ] {
        let mut site = Site::of("example");
        site.topology = typed(merged(value(TOPOLOGY), &over));
        let new = site.draft(false);
        assert_ne!(old.fingerprints, new.fingerprints, "{over}");
        assert!(!plan::moved(&old, &new).is_empty(), "{over}");
    }
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

#[test]
fn a_plan_reads_well() {
    let mut site = Site::of("example");
    site.observations = typed(merged(value(OBSERVATIONS), &json!({"ceph": {"health": "HEALTH_ERR"}})));
    for (name, plan) in [("online", site.draft(false)), ("offline", site.draft(true))] {
        let text = plan::human(&Recorded::Known(Box::new(plan)));
        insta::with_settings!({ snapshot_path => "../plans", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, text);
        });
    }
    let newer = plan::read("p", br#"{"version": 7, "environment": "ex\u001b[31mample", "fingerprints": {}}"#).unwrap();
    let text = plan::human(&newer);
    assert!(text.contains("version 7") && text.contains("authorises no change") && !text.contains('\u{1b}'), "{text}");
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

/// What a host has under the references of `storage_devices` stands in the plan, for the terminal and for a browser.
#[test]
fn devices_are_shown_as_they_were_found() {
    let mut site = Site::of("example");
    let one = json!({"path": "/dev/nvme0n1", "kind": "disk", "bytes": 2_000_398_934_016_u64});
    let devices = json!({"/dev/disk/by-id/nvme-one": one, "/dev/disk/by-id/nvme-nine": null});
    site.observations = typed(merged(value(OBSERVATIONS), &json!({"hosts": {"n2": {"devices": devices}}})));
    let plan = site.draft(false);
    let free = "/dev/nvme0n1, 1.8 TiB, free";
    assert!(plan::html(&plan).contains(&format!("/dev/disk/by-id/nvme-one: {free}")));
    let text = plan::human(&Recorded::Known(Box::new(plan)));
    assert!(text.contains(&format!("  n2  /dev/disk/by-id/nvme-one   {free}\n")), "{text}");
    assert!(text.contains("  n2  /dev/disk/by-id/nvme-nine  not there\n"), "{text}");
}

/// With modern names alone no group names the primary: what makes it one is stated.
#[test]
fn the_primary_is_stated_with_its_reason() {
    let mut site = Site::of("example");
    site.topology.primary.because = PrimaryBecause::FirstControlPlane;
    let plan = site.draft(true);
    let reason = "primary: the first control plane host";
    assert!(plan::html(&plan).contains(reason));
    assert!(plan::human(&Recorded::Known(Box::new(plan))).contains(reason));
}

#[test]
fn a_journal_is_a_chain() {
    let news = |plan: &str| journal::News {
        at: "2026-11-30T12:00:00Z".parse().unwrap(),
        event: journal::Event::Planned,
        operation: Operation::DeployPlan,
        plan: Fingerprint::of(&plan),
    };
    let mut text = String::new();
    for plan in ["a", "b", "c"] {
        let (journal, _) = journal::read(&Source::private("journal", &text)).unwrap();
        text += &journal.next(news(plan)).line();
    }
    let read = |text: &str| journal::read(&Source::private("journal", text));
    let codes = |text: &str| -> Vec<String> {
        let report = read(text).map_or_else(|report| report, |(_, report)| report);
        report.diagnostics().iter().map(|d| format!("{} {}", d.code, d.place().unwrap().to_text())).collect()
    };
    assert_eq!(codes(&text), Vec::<String>::new());
    let (journal, _) = read(&text).unwrap();
    assert_eq!(journal.entries.len(), 3);
    journal.reaches("journal", &journal.head().unwrap()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(codes(&[lines[0], lines[2]].concat()), ["plan/journal-broken journal:2:1"]);
    assert_eq!(codes(&[lines[1], lines[2]].concat()), ["plan/journal-broken journal:1:1"]);
    assert_eq!(codes(&[lines[0], lines[2], lines[1]].concat()).len(), 2);
    let changed = lines[1].replace("12:00:00", "13:00:00");
    assert_eq!(codes(&[lines[0], &changed, lines[2]].concat()), ["plan/journal-damaged journal:2:1"]);
    // Cut at its end: nothing of the chain tells, and the recorded end does.
    let (cut, _) = read(&lines[..2].concat()).unwrap();
    assert!(cut.reaches("journal", &journal.head().unwrap()).is_err());
    // Cut anywhere in the last line: what is before stands.
    for end in 1..lines[2].len() {
        let partial = [lines[0], lines[1], &lines[2][..end]].concat();
        assert_eq!(codes(&partial), ["plan/journal-partial journal:3:1"]);
        assert_eq!(read(&partial).unwrap().0.whole, lines[0].len() + lines[1].len());
    }
    // Every single change of a byte is told, unless it leaves the same entry.
    for at in 0..lines[0].len() - 1 {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        assert!(!codes(&changed).is_empty(), "{at}: {changed}");
    }
}

/// Every text of a plan that its reader did not choose, each with what would leave its place if it were not escaped.
const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x>&";

#[test]
fn a_report_shows_hostile_text_as_text_and_loads_nothing() {
    let hostile = serde_json::to_string(HOSTILE).unwrap();
    let name = &hostile[1..hostile.len() - 1];
    let text = plan::write(&Site::of("example").draft(false))
        .replace("storage-node", name)
        .replace("calico", "cilium")
        .replace("edge1", name)
        .replace("C=US, O=Let's Encrypt, CN=R12", name)
        .replace(COMMIT, name)
        .replace("\"layers\"", &format!("\"findings\": [{{\"grade\": \"error\", \"code\": {hostile}, \"message\": {hostile}, \"places\": [{hostile}], \"help\": {hostile}}}], \"layers\""));
    let Recorded::Known(plan) = plan::read("p", text.as_bytes()).unwrap() else { panic!("known") };
    let newer = text.replacen("\"version\": 1", "\"version\": 2", 1).replace("\"deploy-plan\"", &hostile);
    let newer = plan::read("p", newer.as_bytes()).unwrap();
    for html in [plan::html(&plan), plan::html_record(&newer)] {
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
        for forbidden in ["<script", "<img", "src=", "url(", "@import", "<link", "<iframe", "onload", "style=\""] {
            let html = html.replace("&lt;", "\u{1}").replace("img src=x", "").replace("img src", "");
            assert!(!html.contains(forbidden), "{forbidden} in {html}");
        }
        let links = html.split("href=\"").skip(1).filter(|link| !link.starts_with('#')).count();
        assert_eq!(links, 0);
    }
}

#[test]
fn a_report_shows_what_the_record_holds() {
    let plan = Site::of("example").draft(false);
    let html = plan::html(&plan);
    for text in
        ["n1", "10.0.0.11", "platform.example.org", "81 days left", "expired", "edge1, edge2", "site-api.pharos:443"]
    {
        assert!(html.contains(text), "{text}");
    }
    assert!(html.contains("Nothing stands in the way"));
    assert!(plan::html(&Site::of("example").draft(true)).contains("This plan authorises no change"));
    assert!(plan::html(&Site::of("icaruscloudlab").draft(true)).contains("a foundation alone"));
}
