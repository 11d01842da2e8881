//! What a large inventory means, `cargo bench -p pharos-core --bench inventory`: once Ansible has loaded it, and with the places of
//! its static file read again.

#![allow(clippy::expect_used, reason = "a benchmark fails by panicking")]

use std::fmt::Write;

use pharos_core::inventory::{FactSource, Facts, GroupFacts, HostFacts, Source, resolve};
use serde_json::json;

fn main() {
    divan::main();
}

/// A site of so many hosts in racks of forty, with addresses, labels, taints and devices.
fn facts(count: usize, path: &str) -> Facts {
    let mut facts = Facts {
        sources: vec![FactSource {
            path: path.to_owned(),
            plugin: path.rsplit('.').next().unwrap_or_default().replace("yml", "yaml"),
        }],
        ..Facts::default()
    };
    let mut racks = Vec::new();
    for number in 0..count {
        let (name, rack) = (format!("n{number}"), format!("rack_{}", number / 40));
        let labels = if number < 3 {
            json!({"storage-node": "True", "storage-control": "True"})
        } else {
            json!({"rack": rack, "pharos.platform/services": "true"})
        };
        let host = HostFacts {
            address: json!(format!("192.0.2.{}", number % 250)),
            ip: json!(format!("10.{}.{}.{}", number / 62_500, number / 250 % 250, number % 250 + 1)),
            labels,
            taints: json!(["dedicated=batch:PreferNoSchedule"]),
            devices: json!([format!("/dev/disk/by-id/wwn-0x{number:016x}")]),
            ..HostFacts::default()
        };
        facts.hosts.insert(name.clone(), host);
        let group = facts.groups.entry(rack.clone()).or_insert_with(|| {
            racks.push(rack);
            GroupFacts::default()
        });
        group.hosts.push(name);
    }
    let control: Vec<String> = (0..3).map(|number| format!("n{number}")).collect();
    let of = |hosts: &[String], children: &[&str]| GroupFacts {
        hosts: hosts.to_vec(),
        children: children.iter().map(|child| (*child).to_owned()).collect(),
    };
    facts.groups.insert("kube-master".to_owned(), of(&control, &[]));
    facts.groups.insert("kube-master-primary".to_owned(), of(control.get(..1).unwrap_or_default(), &[]));
    facts.groups.insert("etcd".to_owned(), of(&[], &["kube-master"]));
    facts.groups.insert("kube-node".to_owned(), GroupFacts { hosts: Vec::new(), children: racks });
    facts.groups.insert("k8s_cluster".to_owned(), of(&[], &["kube-master", "kube-node"]));
    facts
}

/// The inventory that these facts come from, in YAML.
fn yaml(facts: &Facts) -> String {
    let mut text = String::from("all:\n  hosts:\n");
    for (name, host) in &facts.hosts {
        let _ = write!(
            text,
            "    {name}:\n      ansible_host: {}\n      ip: {}\n      node_labels: {}\n      node_taints: {}\n      \
             storage_devices: {}\n",
            host.address, host.ip, host.labels, host.taints, host.devices
        );
    }
    text.push_str("  children:\n");
    for (name, group) in &facts.groups {
        let _ = writeln!(text, "    {name}:\n      hosts:");
        for host in &group.hosts {
            let _ = writeln!(text, "        {host}:");
        }
        text.push_str("      children:\n");
        for child in &group.children {
            let _ = writeln!(text, "        {child}:");
        }
    }
    text
}

/// The same in INI.
fn ini(facts: &Facts) -> String {
    let mut text = String::new();
    for (name, host) in &facts.hosts {
        let _ = writeln!(
            text,
            "{name} ansible_host={} ip={} node_labels='{}' node_taints='{}' storage_devices='{}'",
            host.address, host.ip, host.labels, host.taints, host.devices
        );
    }
    for (name, group) in &facts.groups {
        let _ =
            writeln!(text, "[{name}]\n{}\n[{name}:children]\n{}", group.hosts.join("\n"), group.children.join("\n"));
    }
    text
}

#[divan::bench(args = [1_000, 5_000])]
fn decoded(bencher: divan::Bencher<'_, '_>, count: usize) {
    let facts = facts(count, "hosts.yml");
    bencher.bench(|| resolve(&facts, &[]).expect("the site is without fault"));
}

#[divan::bench(args = [5_000])]
fn with_places_of_yaml(bencher: divan::Bencher<'_, '_>, count: usize) {
    let facts = facts(count, "hosts.yml");
    let sources = [Source { name: "hosts.yml".to_owned(), bytes: yaml(&facts).into_bytes() }];
    bencher.bench(|| resolve(&facts, &sources).expect("the site is without fault"));
}

#[divan::bench(args = [5_000])]
fn with_places_of_ini(bencher: divan::Bencher<'_, '_>, count: usize) {
    let facts = facts(count, "hosts.ini");
    let sources = [Source { name: "hosts.ini".to_owned(), bytes: ini(&facts).into_bytes() }];
    bencher.bench(|| resolve(&facts, &sources).expect("the site is without fault"));
}

/// A fault that one line brings to every host.
#[divan::bench(args = [5_000])]
fn refused(bencher: divan::Bencher<'_, '_>, count: usize) {
    let mut facts = facts(count, "hosts.yml");
    let text = yaml(&facts);
    facts.hosts.values_mut().for_each(|host| {
        host.pharos.insert("pharos_release".to_owned(), serde_json::Value::Null);
    });
    let sources = [Source { name: "hosts.yml".to_owned(), bytes: text.into_bytes() }];
    bencher.bench(|| resolve(&facts, &sources).is_err());
}
