//! What a template gives to a plugin is judged by the plugin's own types: each argument, each other kind of value.

use std::sync::LazyLock;

use pharos_modules::options::{Kind, OptionSpec};
use pharos_modules::plugin::{Entry, PLUGINS};
use serde_json::{Map, Value, json};

/// A value of each kind, with the words for it.
static KINDS: LazyLock<[(&str, Value); 7]> = LazyLock::new(|| {
    [
        ("null", Value::Null),
        ("a boolean", json!(true)),
        ("a whole number", json!(3)),
        ("a number with a fraction", json!(1.5)),
        ("a text", json!("a.example.org")),
        ("a list", json!([])),
        ("a dictionary", json!({})),
    ]
});

fn asked(entry: &Entry, judge: bool, arguments: &Value) -> Value {
    let request = json!({
        "module": entry.name, "plugin": entry.kind.word(), "version": env!("CARGO_PKG_VERSION"), "instant": 0, "judge": judge,
        "arguments": arguments,
    });
    serde_json::from_str(&pharos_modules::run(&request.to_string())).unwrap()
}

/// The words for the kind that is wanted, and those for each kind that does as well; nothing where every kind does.
fn wanted(option: &OptionSpec) -> Option<(&'static str, Vec<&'static str>)> {
    let (wanted, or) = match &option.kind {
        Kind::Any => return None,
        Kind::Text { .. } => ("a text", "a text"),
        Kind::Document => ("the path of a document", "a text"),
        Kind::List { of, .. } if of.is_document() => ("a list", "a text"),
        Kind::List { .. } => ("a list", "a list"),
        Kind::Map(_) | Kind::Dictionary(_) => ("a dictionary", "a dictionary"),
        other => panic!("no plugin takes {other:?}: say here what is no such"),
    };
    let optional = if option.required { None } else { Some("null") };
    Some((wanted, [Some(wanted), Some(or), optional].into_iter().flatten().collect()))
}

/// A value that fits an option whose documents have not been read.
fn fitting(option: &OptionSpec) -> Value {
    match &option.kind {
        Kind::List { of, at_least: 1 } if of.is_document() => json!(["a.yaml"]),
        Kind::List { .. } => json!([]),
        Kind::Map(_) | Kind::Dictionary(_) => json!({}),
        _ => json!("a.example.org"),
    }
}

fn all_fitting(entry: &Entry) -> Map<String, Value> {
    entry.options().iter().map(|option| (option.name.clone(), fitting(option))).collect()
}

#[test]
fn every_other_kind_of_value_is_refused_for_every_argument() {
    let mut cases = 0;
    for entry in PLUGINS {
        let right = asked(entry, true, &all_fitting(entry).into());
        assert_eq!(right["failed"], Value::Null, "{right}");
        for option in entry.options() {
            let Some((wanted, does)) = wanted(&option) else { continue };
            for (kind, value) in KINDS.iter().filter(|(kind, _)| !does.contains(kind)) {
                let mut arguments = all_fitting(entry);
                arguments.insert(option.name.clone(), value.clone());
                let answer = asked(entry, true, &arguments.into());
                let [finding] = answer["diagnostics"].as_array().unwrap().as_slice() else { panic!("{answer}") };
                assert_eq!(finding["code"], "module/option-value");
                let (plugin, name) = (format!("{} `{}`", entry.kind.word(), entry.name), &option.name);
                assert_eq!(finding["message"], format!("{plugin}: `{name}` is {kind}, not {wanted}"));
                assert_eq!(finding["labels"][0]["key"], format!("/{name}"));
                cases += 1;
            }
        }
    }
    assert!(cases >= 40, "{cases}");
}

#[test]
fn what_is_inside_is_judged_as_well() {
    let topology = PLUGINS.iter().find(|entry| entry.name == "topology").unwrap();
    let message = |arguments: &Value| asked(topology, false, arguments)["diagnostics"][0]["message"].clone();
    for (groups, hostvars, said) in [
        (json!({ "etcd": "abc" }), json!({}), "`_input.etcd` is a text, not a list"),
        (json!({ "etcd": 3 }), json!({}), "`_input.etcd` is a whole number, not a list"),
        (json!({ "etcd": null }), json!({}), "`_input.etcd` is null, not a list"),
        (json!({ "etcd": [3] }), json!({}), "`_input.etcd[0]` is a whole number, not a text"),
        (json!({ "etcd": ["n1"] }), json!({ "n1": "hunter2" }), "`hostvars.n1` is a text, not a dictionary"),
    ] {
        assert_eq!(message(&json!({ "_input": groups, "hostvars": hostvars })), format!("filter `topology`: {said}"));
    }
}

#[test]
fn a_value_without_a_place_is_refused() {
    for (name, given, said, help) in [
        ("host_name", json!({ "_input": "a", "*": [3] }), "one value too many", "it takes none beside"),
        ("topology", json!({ "_input": {}, "hostvars": {}, "*": [1, 2] }), "2 values too many", "`hostvars`"),
    ] {
        let entry = PLUGINS.iter().find(|entry| entry.name == name).unwrap();
        for judge in [true, false] {
            let answer = asked(entry, judge, &given);
            let finding = &answer["diagnostics"][0];
            assert_eq!(finding["code"], "module/unknown-option", "{answer}");
            assert!(finding["message"].as_str().unwrap().contains(said), "{answer}");
            assert!(finding["help"].as_str().unwrap().contains(help), "{answer}");
        }
    }
}
