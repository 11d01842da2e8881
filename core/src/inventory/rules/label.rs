//! Labels: what Kubernetes takes, texts and not booleans, and those by which the platform chooses its hosts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::super::codes;
use super::super::group::Part;
use super::super::judge::{Fault, Judge, at, names, unquoted};
use crate::diagnostic::Diagnostic;
use crate::name::is_subdomain;

const VARIABLE: &str = "node_labels";

/// The labels that choose the hosts of storage, and of its monitors.
pub const STORAGE: [&str; 2] = ["storage-node", "storage-control"];
const SERVICES: &str = "pharos.platform/services";
const ARCHITECTURE: &str = "kubernetes.io/arch";

/// How many hosts storage takes.
const STORAGE_HOSTS: usize = 3;

/// The value by which a label of the platform chooses a host; `None` for any other label.
fn choice(key: &str) -> Option<&'static str> {
    match key {
        SERVICES => Some("true"),
        key if STORAGE.contains(&key) => Some("True"),
        _ => None,
    }
}

/// The labels of all nodes, in their order, and the hosts that storage was meant to have.
pub(in super::super) fn judge<'a>(judge: &mut Judge<'a>) -> (Vec<BTreeMap<String, String>>, BTreeSet<&'a str>) {
    let nodes = judge.nodes();
    let mut all = Vec::with_capacity(nodes.len());
    let mut chosen: BTreeMap<&str, BTreeSet<&'a str>> = BTreeMap::new();
    for (host, facts) in &nodes {
        all.push(labels(judge, host, &facts.labels, &mut chosen));
    }
    let storage = chosen.values().flatten().copied().collect();
    if nodes.iter().all(|(_, facts)| matches!(facts.labels, Value::Null | Value::Object(_))) {
        storage_hosts(judge, &chosen, &storage);
    }
    (all, storage)
}

/// The labels of a host that stand, and for which labels of storage it is meant.
fn labels<'a>(
    judge: &mut Judge<'a>,
    host: &'a str,
    value: &'a Value,
    chosen: &mut BTreeMap<&'a str, BTreeSet<&'a str>>,
) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let entries = match value {
        Value::Null => return labels,
        Value::Object(entries) => entries,
        other => {
            let place = judge.at_variable(host, VARIABLE, &[]);
            let help = unquoted(other, "write a mapping from label to value".to_owned());
            judge.fault(host, Fault::error(codes::LABEL, "`node_labels` is no mapping", help).at(place));
            return labels;
        }
    };
    for (key, value) in entries {
        if !is_key(key) {
            let place = judge.at_variable(host, VARIABLE, &[]);
            let help =
                "a label is a name of 1 to 63 of `A-Z a-z 0-9 - _ .`, with a DNS name and `/` before it or without";
            judge.fault(host, Fault::error(codes::LABEL, "`node_labels` has a key that is no label", help).at(place));
            continue;
        }
        match choice(key).filter(|_| is_meant(value)) {
            Some(_) if key == SERVICES => architecture(judge, host, entries),
            Some(_) => drop(chosen.entry(key).or_default().insert(host)),
            None => {}
        }
        match fault(key, value) {
            Some(fault) => {
                let place = judge.at_variable(host, VARIABLE, &[key]);
                judge.fault(host, fault.at(place));
            }
            None => {
                labels.insert(key.clone(), value.as_str().unwrap_or_default().to_owned());
            }
        }
    }
    labels
}

/// What is wrong with the value of a label.
fn fault(key: &str, value: &Value) -> Option<Fault> {
    let wanted = choice(key);
    let quoted = |value: &str| format!("write `{key}: \"{value}\"`");
    let (what, help) = match (value, wanted) {
        (Value::String(text), Some(wanted)) => {
            if text == wanted || text.eq_ignore_ascii_case("false") {
                return None;
            }
            let help = format!("{}, or leave the label out", quoted(wanted));
            (format!("label `{key}` has a value that chooses nobody"), help)
        }
        (Value::String(text), None) if is_value(text) => return None,
        (Value::String(_), None) => {
            let what = format!("label `{key}` has a value that Kubernetes refuses");
            let help = "write at most 63 of `A-Z a-z 0-9 - _ .`, with a letter or digit at both ends".to_owned();
            return Some(Fault::error(codes::LABEL, what, help));
        }
        (Value::Bool(true), Some(wanted)) => (format!("label `{key}` is a YAML boolean"), quoted(wanted)),
        (Value::Bool(false), Some(_)) => {
            (format!("label `{key}` is a YAML boolean"), "leave the label out where it does not apply".to_owned())
        }
        (Value::Bool(value), None) => (
            format!("label `{key}` is a YAML boolean"),
            format!("{}, in the case that is looked for", quoted(&value.to_string())),
        ),
        (Value::Number(_), _) => {
            (format!("label `{key}` is a number"), "put the value into quotes: a label is a text".to_owned())
        }
        (Value::Null, _) => (format!("label `{key}` has no value"), quoted(wanted.unwrap_or_default())),
        (Value::Array(_) | Value::Object(_), _) => {
            (format!("label `{key}` is no text"), "write one text as the value of a label".to_owned())
        }
    };
    Some(Fault::error(codes::LABEL_VALUE, what, help))
}

/// Whether a value says yes, however it is written.
fn is_meant(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::String(text) => !matches!(text.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | ""),
        Value::Number(number) => number.as_i64() != Some(0),
        _ => false,
    }
}

/// A name of Kubernetes with a DNS subdomain before it or without.
pub(super) fn is_key(key: &str) -> bool {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    prefix.is_none_or(is_subdomain) && !name.is_empty() && is_value(name)
}

/// A value of a label: nothing, or a name of Kubernetes.
pub(super) fn is_value(text: &str) -> bool {
    let bytes = text.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let ends = [bytes.first(), bytes.last()];
    bytes.len() <= 63 && bytes.iter().all(inner) && ends.into_iter().flatten().all(u8::is_ascii_alphanumeric)
}

/// Exactly three hosts, with both labels, each a node of Kubernetes.
fn storage_hosts<'a>(judge: &mut Judge<'a>, chosen: &BTreeMap<&str, BTreeSet<&'a str>>, storage: &BTreeSet<&'a str>) {
    for host in storage {
        let has = |label: &str| chosen.get(label).is_some_and(|hosts| hosts.contains(host));
        let [node, control] = STORAGE.map(|label| (label, has(label)));
        let (with, without) = if node.1 { (node.0, control) } else { (control.0, node) };
        if !without.1 {
            let what = format!("label `{with}` without `{}`", without.0);
            let help =
                format!("write `{}: \"True\"` too: the hosts of storage are also those of its monitors", without.0);
            let place = judge.at_variable(host, VARIABLE, &[with]);
            judge.fault(host, Fault::error(codes::STORAGE_HOSTS, what, help).at(place));
        }
    }
    let parts = [Part::ControlPlane, Part::Worker].map(|part| judge.cluster.hosts(part));
    let nodes: HashSet<&str> = parts.iter().flat_map(|hosts| hosts.iter().copied()).collect();
    for host in storage.iter().filter(|host| !nodes.contains(**host)) {
        let help = "label hosts of `kube_node`";
        let place = judge.at_host(host);
        judge.fault(
            host,
            Fault::error(codes::STORAGE_HOSTS, "labelled for storage, and no Kubernetes node", help).at(place),
        );
    }
    if storage.len() == STORAGE_HOSTS || judge.nodes().is_empty() {
        return;
    }
    let list: Vec<&str> = storage.iter().copied().collect();
    let (words, place) = match list.first() {
        None => ("no host is labelled for storage".to_owned(), judge.at_part(Part::Worker)),
        Some(first) => {
            let verb = if list.len() == 1 { "host is" } else { "hosts are" };
            let words = format!("{} {verb} labelled for storage: {}", list.len(), names(&list));
            (
                words,
                STORAGE
                    .iter()
                    .find_map(|label| {
                        chosen.get(label)?.contains(first).then(|| judge.at_variable(first, VARIABLE, &[label]))
                    })
                    .flatten(),
            )
        }
    };
    let help = "label exactly three hosts with `storage-node: \"True\"` and `storage-control: \"True\"`";
    judge.push(at(Diagnostic::error(codes::STORAGE_HOSTS, words), place, "").help(help));
}

/// The services are built for AMD64 alone. What a host really is, only an observation can tell.
fn architecture<'a>(judge: &mut Judge<'a>, host: &'a str, labels: &serde_json::Map<String, Value>) {
    let Some(stated) = labels.get(ARCHITECTURE).and_then(Value::as_str) else { return };
    if stated != "amd64" {
        let what = format!("label `{SERVICES}` on a host that is not `{ARCHITECTURE}: amd64`");
        let help = format!("take `{SERVICES}` from it: the services are built for AMD64");
        let place = judge.at_variable(host, VARIABLE, &[SERVICES]);
        judge.fault(host, Fault::error(codes::SERVICES_ARCHITECTURE, what, help).at(place));
    }
}

#[cfg(test)]
mod tests {
    use super::{is_key, is_value};

    #[test]
    fn keys_and_values_are_those_of_kubernetes() {
        for good in ["a", "storage-node", "pharos.platform/services", "A_b.c", "example.org/a.b_C-d"] {
            assert!(is_key(good), "{good}");
        }
        for bad in ["", "/a", "a/", "a/b/c", "-a", "a-", "Example.org/a", "a b", &"x".repeat(64)] {
            assert!(!is_key(bad), "{bad}");
        }
        assert!(is_value("") && is_value("True") && is_value("v1.33") && is_value(&"x".repeat(63)));
        assert!(!is_value("a b") && !is_value("_a") && !is_value("a:b") && !is_value(&"x".repeat(64)));
    }
}
