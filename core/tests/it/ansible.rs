//! What Ansible could not resolve, in words.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pharos_core::ansible::{Failure, in_part, report, sources};
use pharos_core::diagnostic::Report;
use pharos_core::inventory::{Purpose, Source};
use serde::Deserialize;

use crate::rejected::Fixture;

#[derive(Deserialize)]
struct Case {
    failures: Vec<Failure>,
    files: BTreeMap<String, String>,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let case: Case = serde_json::from_str(fixture.source().text()).unwrap();
    let files: Vec<Source> =
        case.files.into_iter().map(|(name, text)| Source { name, bytes: text.into_bytes() }).collect();
    let report = report(&case.failures, &files);
    assert!(!report.to_string().contains("hunter2"), "a line of a private file is shown:\n{report}");
    report
}

fn file(name: &str, text: &str) -> Source {
    Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() }
}

/// Lists of lists by aliases: `levels` of them unfold to 10 to that power of texts.
fn bomb(levels: usize) -> String {
    let mut text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..levels {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "a{level}: &a{level} [{items}]").unwrap();
    }
    text
}

#[test]
fn what_would_unfold_without_end_is_refused_before_ansible_has_it() {
    for name in ["hosts.yml", "group_vars/all", "hosts.json"] {
        let refused = sources(&[file("fit.yml", "all: {hosts: {n1: }}\n"), file(name, &bomb(9))]);
        let codes: Vec<&str> = refused.diagnostics().iter().map(|found| found.code.name()).collect();
        assert_eq!(codes, ["document/budget"]);
        let text = refused.to_string();
        assert!(text.contains("100000") && text.contains(&format!("--> {name}:")) && !text.contains("lol"), "{text}");
    }
}

/// Ansible tells of such a file that it cannot be read, or the place of the first fault.
#[test]
fn the_shape_of_an_inventory_in_yaml_is_told_fault_by_fault() {
    let text = "all:\n  children:\n    kube-node:\n      hosts:\n      - n1: {ansible_password: hunter2}\n    etcd:\n      children: [kube-node]\n    \
                kube-master:\n      hosts:\n        n1: hunter2\n        n2:\n        n3: {}\n      vars:\n      - ansible_password: hunter2\n      var: {}\n    \
                kube_node: hunter2\n";
    for line in ["", r#", "line": 5, "column": 7"#] {
        let failure = format!(r#"{{"kind": "source", "file": "hosts.yml", "plugin": "yaml"{line}}}"#);
        let report = report(&[serde_json::from_str(&failure).unwrap()], &[file("hosts.yml", text)]);
        let found: Vec<String> = report
            .diagnostics()
            .iter()
            .map(|found| format!("{} {}: {}", found.code, found.place().unwrap().to_text(), found.message))
            .collect();
        assert_eq!(
            found,
            [
                "inventory/yaml hosts.yml:4:7: `hosts` of group `kube-node` is a list",
                "inventory/yaml hosts.yml:7:7: `children` of group `etcd` is a list",
                "inventory/yaml hosts.yml:10:9: host `n1` has a text in the place of its variables",
                "inventory/yaml hosts.yml:13:7: `vars` of group `kube-master` is a list",
                "inventory/yaml hosts.yml:15:7: `var` is no part of group `kube-master`: Ansible passes over it",
                "inventory/yaml hosts.yml:16:5: group `kube_node` is a text in the place of its parts",
            ]
        );
        assert!(!report.to_string().contains("hunter2"), "{report}");
    }
    let moved = "all:\n  children:\n    kube-node:\n    hosts:\n      n1: {}\n    etcd:\n      hosts:\n        n1:\n        vars: {ip: hunter2}\n";
    let failure = r#"{"kind": "source", "file": "hosts.yml", "plugin": "yaml"}"#;
    let said = report(&[serde_json::from_str(failure).unwrap()], &[file("hosts.yml", moved)]).to_string();
    assert!(said.contains("`hosts` stands in `children` of group `all`") && said.contains("hosts.yml:4:5"), "{said}");
    assert!(said.contains("`vars` stands in `hosts` of group `etcd`") && said.contains("hosts.yml:9:9"), "{said}");
    // One without such a fault is told as Ansible does.
    let failure = r#"{"kind": "source", "file": "hosts.yml", "plugin": "yaml", "line": 1, "column": 1}"#;
    let report = report(&[serde_json::from_str(failure).unwrap()], &[file("hosts.yml", "all: {hosts: {n1: }}\n")]);
    assert_eq!(report.diagnostics()[0].code.name(), "ansible/source");
}

#[test]
fn what_is_no_document_of_ours_is_left_to_ansible() {
    let ini = "[kube-node]\nn[1:3] ansible_password=hunter2\n[all:vars]\nip={{ net }}.1\n";
    let vault = "$ANSIBLE_VAULT;1.1;AES256\n6162\n";
    let files = [
        file("hosts.ini", ini),
        file("vars.yml", vault),
        file("no.yml", "a: [1\n"),
        file("anchors.yml", "a: &a {b: 1}\nc: *a\nd: {<<: *a, b: 2}\n"),
        Source { name: "latin".to_owned(), bytes: b"a: caf\xe9\n".to_vec() },
    ];
    assert!(sources(&files).is_empty(), "{}", sources(&files));
}

#[test]
fn what_is_written_is_judged_whatever_else_is_missing() {
    let facts = serde_json::from_value(serde_json::json!({
        "groups": {
            "kube_control_plane": {"hosts": ["n1", "n2"]}, "etcd": {"hosts": ["n1", "n2"]},
            "kube_node": {"hosts": ["n1", "n2"]},
            "k8s_cluster": {"children": ["kube_control_plane", "kube_node"]},
        },
        "hosts": {
            "n1": {"address": "192.0.2.1", "labels": {"storage-node": true}, "pharos": {"pharos_unheard_of": null}},
            "n2": {"ip": "127.0.0.1"},
        },
    }))
    .unwrap();
    let said = |kind: &str| -> Vec<&'static str> {
        let failure = serde_json::from_value(serde_json::json!({"kind": kind, "file": "x"})).unwrap();
        in_part(&facts, &[], &[failure], Purpose::Existing)
            .diagnostics()
            .iter()
            .map(|found| found.code.name())
            .collect()
    };
    let written = ["inventory/address", "inventory/label-value", "inventory/unknown-variable"];
    for kind in ["undefined", "vault-variable", "file"] {
        let found = said(kind);
        assert!(written.iter().all(|code| found.contains(code)), "{kind}: {found:?}");
        assert!(found.contains(&"inventory/etcd-even"), "{kind}: no source is missing: {found:?}");
        assert!(!found.contains(&"inventory/storage-hosts"), "{kind}: others may have the label: {found:?}");
    }
    let found = said("source");
    assert!(written.iter().all(|code| found.contains(code)), "{found:?}");
    assert!(!found.contains(&"inventory/etcd-even"), "another source may have the third: {found:?}");
}

/// The files are there, whatever a template or a vault in them comes to.
#[test]
fn what_files_say_without_being_resolved_is_judged_beside_what_fails() {
    let facts = serde_json::from_value(serde_json::json!({
        "sources": [{"path": "hosts", "plugin": "ini"}],
        "groups": {"kube_control_plane": {"hosts": ["n1"]}, "kube_node": {"hosts": ["n1", "n2"]}, "etcd": {"hosts": ["n1"]}},
        "hosts": {
            "n1": {"ip": "2001:db8::1", "labels": {"storage-node": "True", "storage-control": "True"}},
            "n2": {"ip": "192.0.2.2", "access_ip": "192.0.2.2", "devices": ["/dev/sdb"], "pharos": {"pharos_api_access": "ssh"}},
        },
    }))
    .unwrap();
    let files = [file("hosts", "[kube_node]\nn1 ip=192.0.2.1\nn1 ip=2001:db8::1\nn2\n")];
    let said = |failures: &str| -> Vec<&'static str> {
        let failures: Vec<Failure> = serde_json::from_str(failures).unwrap();
        in_part(&facts, &files, &failures, Purpose::Fresh).diagnostics().iter().map(|found| found.code.name()).collect()
    };
    let of_variables =
        ["address-family", "storage-hosts", "no-devices", "variable-host"].map(|what| format!("inventory/{what}"));
    let lacking = |failures: &str| -> Vec<String> {
        let found = said(failures);
        for code in ["inventory/written-twice", "inventory/device-by-id"] {
            assert!(found.contains(&code), "{failures}: {found:?}");
        }
        of_variables.iter().filter(|code| !found.contains(&code.as_str())).cloned().collect()
    };
    for (variable, lacks) in [
        ("node_taints", vec![]),
        ("node_labels", vec!["inventory/storage-hosts", "inventory/no-devices"]),
        ("storage_devices", vec!["inventory/no-devices"]),
        ("access_ip", vec!["inventory/address-family"]),
        ("pharos_api_access", vec!["inventory/variable-host"]),
    ] {
        for kind in ["template", "undefined"] {
            let failure = format!(r#"[{{"kind": "{kind}", "file": "hosts", "host": "n2", "variable": "{variable}"}}]"#);
            assert_eq!(lacking(&failure), lacks, "{failure}");
        }
        // The variable that holds a vault is not the one whose template names it.
        let vault = format!(r#"[{{"kind": "vault-variable", "host": "n2", "variable": "{variable}"}}]"#);
        assert_eq!(lacking(&vault), of_variables, "{vault}");
    }
    assert_eq!(lacking(r#"[{"kind": "vault-facility"}]"#), Vec::<String>::new());
    let beside = said(r#"[{"kind": "vault-file", "file": "group_vars/all/vault.yml"}]"#);
    let source = said(r#"[{"kind": "vault-file", "file": "more/hosts.yml"}]"#);
    assert!(beside.contains(&"inventory/not-ha") && !source.contains(&"inventory/not-ha"), "{beside:?} {source:?}");
}

/// Two hosts may be reached at one address by two ports, if each has an `ip`: that one cannot be resolved tells nothing.
#[test]
fn an_address_of_two_hosts_is_judged_where_nothing_is_missing_of_it() {
    let facts = serde_json::from_value(serde_json::json!({
        "groups": {"kube_control_plane": {"hosts": ["n1"]}, "kube_node": {"hosts": ["n1", "n2"]}, "etcd": {"hosts": ["n1"]}},
        "hosts": {"n1": {"address": "192.0.2.1", "ip": "10.0.0.1"}, "n2": {"address": "192.0.2.1"}},
    }))
    .unwrap();
    let is_judged = |variable: &str| {
        let failure = serde_json::json!({"kind": "template", "host": "n2", "variable": variable});
        let failure = serde_json::from_value(failure).unwrap();
        let report = in_part(&facts, &[], &[failure], Purpose::Existing);
        report.diagnostics().iter().any(|found| found.code.name() == "inventory/duplicate-address")
    };
    assert!(is_judged("node_labels") && !is_judged("ip"));
}

#[test]
fn a_place_beyond_the_file_is_no_fault() {
    let failure: Failure =
        serde_json::from_str(r#"{"kind": "file", "file": "vars.yml", "line": 90, "column": 7}"#).unwrap();
    let file = Source { name: "vars.yml".to_owned(), bytes: b"a: 1\n\xff".to_vec() };
    assert_eq!(report(&[failure], &[file]).diagnostics().len(), 1);
}

/// Ansible's plugin refuses an inventory in INI as a whole and tells no line; every line is told here.
#[test]
fn an_inventory_in_ini_is_refused_line_by_line() {
    let told = |failure: &str, text: &str| -> Vec<String> {
        let failure: Failure = serde_json::from_str(failure).unwrap();
        let other = Source { name: "inventory/20-more".to_owned(), bytes: b"[elsewhere]\nn9\n".to_vec() };
        let file = Source { name: "inventory/hosts".to_owned(), bytes: text.as_bytes().to_vec() };
        let report = report(&[failure], &[file, other]);
        assert!(!report.to_string().contains("hunter2"), "{report}");
        report.diagnostics().iter().map(|each| format!("{} {}", each.code, each.place().unwrap().to_text())).collect()
    };
    let refused = r#"{"kind": "source", "file": "inventory/hosts", "plugin": "ini"}"#;
    let text = "[kube_node:var]\nx=hunter2\n[etcd]\nn1 hunter2\n  n[1:x] p=hunter2\n[a:children]\nnowhere\nelsewhere\n";
    let all = [
        "inventory/ini inventory/hosts:1:1",
        "inventory/ini inventory/hosts:4:4",
        "inventory/range inventory/hosts:5:3",
    ];
    assert_eq!(told(refused, text), all);
    // Groups that nobody declares are told once all lines can be read: a section at fault may be what declares them.
    let undeclared = "[a:children]\nnowhere\nelsewhere\n[b:vars]\np=hunter2\n";
    let both = ["inventory/ini inventory/hosts:2:1", "inventory/ini inventory/hosts:4:2"];
    assert_eq!(told(refused, undeclared), both);
    // What is no INI at all is told as a whole, or by its first line of YAML.
    assert_eq!(told(refused, "#!/bin/sh\necho hunter2\n"), ["ansible/source inventory/hosts"]);
    assert_eq!(told(refused, "all:\n  hosts:\n    n1: hunter2 [\n"), ["inventory/ini inventory/hosts:1:1"]);
    let yaml = r#"{"kind": "source", "file": "inventory/hosts", "plugin": "yaml"}"#;
    assert_eq!(told(yaml, text), ["ansible/source inventory/hosts"]);
}
