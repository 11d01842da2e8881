//! Wrong values of every option of every module: each refusal names the option, the value, and what is accepted.

use pharos_modules::options::{Kind, OptionSpec};
use pharos_modules::registry::MODULES;
use serde_json::{Map, Value, json};

use crate::ask::{ask, catalogue, environment};

/// Values, each of which some kind of option refuses. None is a word of any module.
fn values() -> Vec<Value> {
    vec![
        json!("?foo"),
        json!(true),
        json!(-7),
        json!(70_000),
        json!(5_000_000_000_i64),
        json!(0.5),
        json!([{}]),
        json!({ "?k": 1 }),
    ]
}

/// Every option by the pointer to it, and whether it is secret; an element of a list is its first.
fn leaves(prefix: &str, options: &[OptionSpec], found: &mut Vec<(String, bool)>) {
    for option in options {
        let mut pointer = format!("{prefix}/{}", option.name);
        found.push((pointer.clone(), option.no_log));
        let mut kind = &option.kind;
        while let Kind::List { of, .. } = kind {
            pointer.push_str("/0");
            found.push((pointer.clone(), option.no_log));
            kind = of;
        }
        if let Kind::Dictionary(inner) = kind {
            leaves(&pointer, inner, found);
        }
    }
}

/// The arguments with a value at a pointer, and lists and dictionaries on the way there.
fn with(pointer: &str, value: &Value) -> Value {
    let built = pointer.rsplit('/').filter(|part| !part.is_empty()).fold(value.clone(), |inner, part| {
        if part == "0" { json!([inner]) } else { Value::Object(Map::from_iter([(part.to_owned(), inner)])) }
    });
    let mut all = json!({ "environment_file": environment(), "catalogue_file": catalogue() });
    all.as_object_mut().unwrap().extend(built.as_object().unwrap().clone());
    all
}

/// A pointer as a message writes it.
fn path(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace("/0", "[0]").replace('/', ".")
}

#[test]
fn every_refusal_of_a_value_names_option_value_and_remedy() {
    let mut refusals = 0;
    for entry in MODULES {
        let mut pointers = Vec::new();
        leaves("", &entry.options(), &mut pointers);
        for (pointer, secret) in pointers {
            for value in values() {
                refusals += judged(entry.name, &pointer, &value, secret);
            }
        }
    }
    assert!(refusals > 100, "{refusals}");
}

/// How many findings there are about the value; none of them may be poor.
fn judged(module: &str, pointer: &str, value: &Value, secret: bool) -> usize {
    let request = json!({
        "module": module, "version": env!("CARGO_PKG_VERSION"), "instant": 0, "arguments": with(pointer, value), "judge": true,
    });
    let answer: Value = serde_json::from_str(&pharos_modules::run(&request.to_string())).unwrap();
    let found = answer["diagnostics"].as_array().unwrap();
    let is_about = |one: &&Value| one["labels"][0]["key"] == pointer && one["code"] != "module/missing-option";
    let about: Vec<&Value> = found.iter().filter(is_about).collect();
    for one in &about {
        let said = one["message"].as_str().unwrap();
        assert!(said.contains(&format!("`{}`", path(pointer))), "{module} {pointer} {value}: {said}");
        let shown = value.to_string();
        let shown =
            if shown.len() > 20 || value.is_array() || value.is_object() { "" } else { shown.trim_matches('"') };
        assert_eq!(said.contains(shown), !secret || shown.is_empty(), "{module} {pointer} {value}: {said}");
        assert!(one["help"].is_string(), "{module} {pointer} {value}: {said}");
    }
    about.len()
}

#[test]
fn what_passes_the_judgement_is_read() {
    // What `judge` lets through must not be refused by the type, which knows no place.
    for value in [json!(["foo"]), json!(["443"]), json!(["192.0.2.1:443"]), json!([""]), json!("foo")] {
        let arguments = json!({
            "environment_file": environment(), "catalogue_file": catalogue(), "nginx": "1.26.3", "listen_addresses": value,
        });
        let answer = ask("edge_render", &arguments);
        let found = answer["diagnostics"].as_array().unwrap();
        let one = found.iter().find(|one| one["code"] != "module/missing-option").unwrap();
        assert_eq!(
            (&one["code"], &one["labels"][0]["key"]),
            (&json!("name/listen-address"), &json!("/listen_addresses/0"))
        );
        assert!(one["message"].as_str().unwrap().starts_with("`listen_addresses[0]`: "), "{one}");
    }
}
