//! A plan of 5,000 nodes: composed, written, read, shown and compared, `cargo bench -p pharos-core --bench plan`.

#![allow(clippy::expect_used, reason = "a benchmark fails by panicking")]

use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::Report;
use pharos_core::inventory::Topology;
use pharos_core::plan::{self, Draft, Expected, Observations, Operation, Plan, Recorded, Revision};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

fn main() {
    divan::main();
}

const NODES: usize = 5_000;

fn typed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("what is made below has the form of what it stands for")
}

/// A site of so many nodes, and what an online plan sees of it.
fn site(count: usize) -> (Topology, Observations) {
    let each = |of: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        (0..count).map(|number| (format!("n{number:04}"), of(number))).collect()
    };
    let nodes = each(&|number| {
        let roles: &[&str] = if number < 3 { &["control-plane", "etcd", "worker"] } else { &["worker"] };
        let address = format!("10.{}.{}.{}", number / 62_500, number / 250 % 250, number % 250 + 1);
        json!({
            "roles": roles,
            "addresses": {"ip": address},
            "labels": {"rack": format!("rack-{}", number / 40)},
            "memberships": [{"group": "kube_node", "at": {"kind": "line", "file": "hosts.yml", "line": number + 10}}],
        })
    });
    let names: Vec<&String> = nodes.keys().collect();
    let topology = json!({
        "primary": {"node": "n0000", "because": "group"},
        "groups": {"kube-node": {"hosts": names}},
        "aliases": {"kube_node": names, "k8s_cluster": names},
        "nodes": nodes,
    });
    let live = each(&|number| json!({"uid": format!("uid-{number}"), "kubelet": "v1.33.5", "ready": true}));
    let hosts = each(&|number| json!({"machine_id": format!("{number:032x}"), "architecture": "x86_64"}));
    let seen = json!({"cluster": {"uid": "uid", "version": "v1.33.5", "nodes": live}, "hosts": hosts});
    (typed(topology), typed(seen))
}

fn drafted(topology: &Topology, observations: &Observations) -> Plan {
    plan::draft(&Draft {
        environment: "example".parse().expect("a name"),
        operation: Operation::DeployPlan,
        offline: false,
        revision: Revision { commit: "3f2a9d4c8b7e6f5a4d3c2b1a0f9e8d7c6b5a4938".to_owned(), dirty: false },
        policy: None,
        routes: None,
        topology: Some(topology),
        edges: &[],
        external_identity: None,
        certificates: &[],
        expected: &Expected::default(),
        observations: Some(observations),
        api_refused: false,
        report: &Report::default(),
        at: UnixTime::new(1_796_040_000),
    })
}

#[divan::bench]
fn draft(bencher: divan::Bencher<'_, '_>) {
    let (topology, observations) = site(NODES);
    bencher.bench(|| drafted(&topology, &observations));
}

#[divan::bench]
fn write(bencher: divan::Bencher<'_, '_>) {
    let (topology, observations) = site(NODES);
    let plan = drafted(&topology, &observations);
    bencher.bench(|| plan::write(&plan));
}

#[divan::bench]
fn read(bencher: divan::Bencher<'_, '_>) {
    let (topology, observations) = site(NODES);
    let text = plan::write(&drafted(&topology, &observations));
    bencher
        .counter(divan::counter::BytesCount::of_str(&text))
        .bench(|| plan::read("plan.json", text.as_bytes()).expect("the record that was just written"));
}

#[divan::bench]
fn text_for_people(bencher: divan::Bencher<'_, '_>) {
    let (topology, observations) = site(NODES);
    let recorded = Recorded::Known(Box::new(drafted(&topology, &observations)));
    bencher.bench(|| plan::human(&recorded));
}

#[divan::bench]
fn report_for_a_browser(bencher: divan::Bencher<'_, '_>) {
    let (topology, observations) = site(NODES);
    let plan = drafted(&topology, &observations);
    bencher.bench(|| plan::html(&plan));
}

#[divan::bench]
fn what_moved(bencher: divan::Bencher<'_, '_>) {
    let (topology, observations) = site(NODES);
    let (larger, seen) = site(NODES + 1);
    let (old, new) = (drafted(&topology, &observations), drafted(&larger, &seen));
    bencher.bench(|| plan::moved(&old, &new));
}
