//! What moved between two plans: named wherever it moves a fingerprint, and nowhere else.

use pharos_core::catalogue;
use pharos_core::plan::{self, Plan};
use serde_json::{Value, json};

use super::{Site, TOPOLOGY, merged, typed, value};
use crate::committed;

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
    assert_eq!(texts(&gone), ["the inventory was refused", "the file of the external identity changed"]);
    let pinned = json!({"pinned": {"kubernetes": "1.34.1"}, "policy": {"foundation": {"kubernetes": "1.34.1"}}});
    assert_eq!(texts(&pinned), ["Kubernetes changed from 1.33.5 to 1.34.1"]);
    let machine = json!({"observations": {"hosts": {"n2": {"machine_id": "another"}}, "ceph": null}});
    assert_eq!(
        texts(&machine),
        ["Ceph does not answer any more; it was c0ffee00-0000-4000-8000-000000000001", "machine n2 is another one"]
    );
}

fn texts(old: &Plan, new: &Plan) -> Vec<String> {
    plan::moved(old, new).into_iter().map(|moved| moved.text).collect()
}

/// Every value of a document, with where it stands.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    let below = |key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(keys) => keys.iter().for_each(|(key, value)| leaves(value, &below(key), found)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(number, item)| leaves(item, &below(&number.to_string()), found));
        }
        _ => found.push(at.to_owned()),
    }
}

/// Each value that `mutate` can make another one of what stands at a place, as far as it is one of the type.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(stated) => vec![json!(!stated)],
        Value::Number(number) => vec![json!(number.as_u64().unwrap_or_default() + 1)],
        // Another name, another address, and the other words of a few closed sets.
        Value::String(text) => {
            ["n4", "192.0.2.77", "worker", "NoExecute", "first-control-plane", "/dev/disk/by-id/other"]
                .into_iter()
                .filter(|other| other != text)
                .map(Value::from)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whatever moves a fingerprint is named as what it is, and what is named moves one: each value of a topology in turn.
#[test]
fn what_moves_a_fingerprint_is_named() {
    let old = Site::of("example").draft(false);
    let (mut places, mut moved) = (Vec::new(), 0);
    leaves(&value(TOPOLOGY), "", &mut places);
    // Who is in a group stands twice, and together: as it is written, and under its modern name.
    for at in places.into_iter().filter(|at| !at.starts_with("/groups/")) {
        let mut changed = value(TOPOLOGY);
        for other in others(changed.pointer(&at).unwrap()) {
            *changed.pointer_mut(&at).unwrap() = other;
            let Ok(topology) = serde_json::from_value(changed.clone()) else { continue };
            let mut site = Site::of("example");
            site.topology = topology;
            let new = site.draft(false);
            let texts = texts(&old, &new);
            assert_eq!(texts.is_empty(), old.fingerprints == new.fingerprints, "{at}: {changed}: {texts:?}");
            assert!(texts.iter().all(|text| !text.contains("does not keep")), "{at}: {changed}: {texts:?}");
            moved += usize::from(!texts.is_empty());
        }
    }
    assert!(moved > 40, "{moved} values were changed");
}

/// Neither a spelling, nor a group of somebody else's, nor the order of what is a set is an input.
#[test]
fn what_changes_nothing_moves_nothing() {
    let old = Site::of("example").draft(false);
    let node = json!({"nodes": {"n3": {"taints": [{"key": "gpu", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}]}}});
    let reversed = json!({"nodes": {"n3": {"taints": [{"key": "a", "effect": "NoExecute"}, {"key": "gpu", "effect": "NoSchedule"}]}}});
    let plan = |over: &Value| {
        let mut site = Site::of("example");
        site.topology = typed(merged(value(TOPOLOGY), over));
        site.draft(false)
    };
    assert_eq!(plan(&node).fingerprints, plan(&reversed).fingerprints);
    for over in [
        json!({"groups": {"kube-node": null, "kube_node": {"hosts": ["n4", "n3", "n2"]}}, "aliases": {"kube_node": ["n4", "n3", "n2"]}}),
        json!({"groups": {"racks": {"hosts": ["n2"]}}}),
        json!({"primary": {"because": "first-control-plane"}}),
    ] {
        assert_eq!(plan(&over).fingerprints, old.fingerprints, "{over}");
        assert_eq!(texts(&old, &plan(&over)), Vec::<String>::new(), "{over}");
    }
    let order = json!({"groups": {"etcd": {"hosts": ["n2", "n1", "n3"]}}, "aliases": {"etcd": ["n2", "n1", "n3"]}});
    assert_eq!(texts(&old, &plan(&order)), ["the order of etcd changed: n2, n1, n3"]);
}

/// Every value that a catalogue states of a route.
#[test]
fn each_setting_of_a_route_is_named() {
    let policy = committed::policy("example");
    let plan = |catalogue: &str| {
        let mut site = Site::of("example");
        let table = catalogue::resolve(&committed::parsed("services.yaml", catalogue), &policy).map(|(table, _)| table);
        site.table = Some(table.unwrap_or_else(|report| panic!("{report}")));
        site.draft(false)
    };
    let text = std::fs::read_to_string(committed::repository().join("catalogue/services.yaml")).unwrap();
    let old = plan(&text);
    for (from, to, expected) in [
        ("timeout: 120", "timeout: 90", "timeout changed from 120 to 90"),
        ("timeout: 120", "timeout: 120\n        connect_timeout: 3", "connect_timeout added"),
        ("body: 64MiB", "body: 65MiB", "body changed from 67108864 to 68157440"),
        ("stream: response", "stream: both", "stream changed from response to both"),
        ("encoded_slashes: true", "encoded_slashes: false", "encoded_slashes changed from true to false"),
        ("trust: site-api-trust", "trust: ceph-trust", "trust changed from site-api-trust to ceph-trust"),
        (
            "sni: site-api.pharos.svc",
            "sni: other.pharos.svc",
            "sni changed from site-api.pharos.svc to other.pharos.svc",
        ),
    ] {
        let moved = texts(&old, &plan(&text.replacen(from, to, 1)));
        assert!(
            matches!(&moved[..], [one] if one.starts_with("route ") && one.ends_with(expected)),
            "{expected}: {moved:?}"
        );
    }
}

/// A record of an older release may be bound to more than it keeps.
#[test]
fn what_a_record_does_not_keep_is_told_as_that() {
    let old = Site::of("example").draft(false);
    let other = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
    let parts = [
        ("source", "the source"),
        ("topology", "the topology"),
        ("inputs", "the inventory or the routes"),
        ("policy", "the policy"),
        ("identities", "what is there"),
    ];
    for (part, what) in parts {
        let new: Plan = typed(merged(json!(old), &json!({"fingerprints": {part: other}})));
        assert_eq!(texts(&old, &new), [format!("{what} changed in what one of the two plans does not keep")]);
        assert!(plan::hold(&old, &new, "plan.json").is_err(), "{part}");
    }
}
