//! The argument specification of every module, in the words of Ansible's `ArgumentSpecValidator`.

use serde_json::{Map, Value, json};

use super::stub::ansible_type;
use crate::module::Entry;
use crate::options::{Kind, OptionSpec};

/// The text of `plugins/plugin_utils/modules.json`: the version, and for each module its specification and which options are
/// documents on the controller.
pub(super) fn of(modules: &[Entry]) -> String {
    let modules: Map<String, Value> = modules
        .iter()
        .map(|entry| {
            let options = entry.options();
            let documents: Vec<&str> = options
                .iter()
                .filter(|option| option.kind == Kind::Document)
                .map(|option| option.name.as_str())
                .collect();
            (entry.name.to_owned(), json!({ "documents": documents, "argument_spec": options_of(&options) }))
        })
        .collect();
    let mut text = format!("{:#}", json!({ "version": env!("CARGO_PKG_VERSION"), "modules": modules }));
    text.push('\n');
    text
}

fn options_of(options: &[OptionSpec]) -> Map<String, Value> {
    options.iter().map(|option| (option.name.clone(), Value::Object(one(option)))).collect()
}

fn one(option: &OptionSpec) -> Map<String, Value> {
    let mut map = of_kind(&option.kind);
    if option.required {
        map.insert("required".to_owned(), true.into());
    }
    if let Some(default) = &option.default {
        map.insert("default".to_owned(), default.clone());
    }
    if option.no_log {
        map.insert("no_log".to_owned(), true.into());
    }
    map
}

fn of_kind(kind: &Kind) -> Map<String, Value> {
    let mut map = Map::from_iter([("type".to_owned(), ansible_type(kind).into())]);
    match kind {
        Kind::Text { choices, .. } if !choices.is_empty() => {
            map.insert("choices".to_owned(), choices.iter().map(|(choice, _)| choice.as_str()).collect());
        }
        Kind::Dictionary(options) => {
            map.insert("options".to_owned(), options_of(options).into());
        }
        Kind::List { of, .. } => {
            let element = of_kind(of);
            map.insert("elements".to_owned(), ansible_type(of).into());
            map.extend(element.into_iter().filter(|(key, _)| key != "type"));
        }
        _ => {}
    }
    map
}
