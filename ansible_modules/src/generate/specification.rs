//! The argument specification of every module, in the words of Ansible's `ArgumentSpecValidator`.

use pharos_core::document::MAX_BYTES;
use serde_json::{Map, Value, json};

use super::plugin;
use super::stub::ansible_type;
use crate::module::Entry;
use crate::options::{Kind, OptionSpec, Requirement};
use crate::plugin::PLUGINS;

/// The text of `plugins/plugin_utils/modules.json`: the version, how much of a document is read, and for each module its specification and the options
/// that are documents on the controller, each with the command that makes one.
pub(super) fn of(modules: &[Entry]) -> String {
    let modules: Map<String, Value> = modules
        .iter()
        .map(|entry| {
            let options = entry.options();
            let (documents, document_lists) = documents(&options);
            let (required_if, required_by) = conditions(&entry.requirements());
            let said = json!({
                "documents": documents,
                "document_lists": document_lists,
                "argument_spec": options_of(&options),
                "required_if": required_if,
                "required_by": required_by,
                "background": entry.runs_in_background(),
            });
            (entry.name.to_owned(), said)
        })
        .collect();
    let all = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "most_bytes": MAX_BYTES,
        "modules": modules,
        "plugins": plugin::specifications(PLUGINS),
    });
    let mut text = format!("{all:#}");
    text.push('\n');
    text
}

/// The options that are documents on the controller, each with the command that makes one, and which of them are lists.
pub(super) fn documents(options: &[OptionSpec]) -> (Map<String, Value>, Vec<Value>) {
    let documents = || options.iter().filter(|option| option.kind.is_document());
    let lists = documents().filter(|option| option.kind != Kind::Document).map(|option| option.name.clone().into());
    (documents().map(|option| (option.name.clone(), option.made_by.clone().into())).collect(), lists.collect())
}

/// Requirements of one case, in Ansible's forms: `required_if` for a value, `required_by` for an option that is given at all. The
/// program honours those of several cases too, for which Ansible has no form.
fn conditions(requirements: &[Requirement]) -> (Vec<Value>, Map<String, Value>) {
    let (mut required_if, mut required_by) = (Vec::new(), Map::new());
    for requirement in requirements {
        let mut cases = requirement.when.iter();
        match (cases.next(), cases.next()) {
            (Some((option, Value::Null)), None) => {
                required_by.insert(option.clone(), requirement.needs.clone().into());
            }
            (Some((option, value)), None) => required_if.push(json!([option, value, requirement.needs])),
            _ => {}
        }
    }
    (required_if, required_by)
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
