//! Filters, lookups and tests: decisions of the core that a template asks for on the controller.
//!
//! Each is a type that implements [`Plugin`] and stands in [`PLUGINS`]; what Ansible loads and what `ansible-doc` shows is
//! [generated](crate::generate) from it. The generated Python carries values to the core and back.

mod certificates;
mod covers;
mod edge_environment;
mod excess;
mod host_name;
mod routes;
mod topology;

use pharos_core::diagnostic::{Diagnostic, Findings, Place, Report};
use pharos_core::module::codes;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use excess::Excess;

use crate::options::{self, Documents, Giver, OptionSpec, Reading};
use crate::outcome::{Failure, Outcome};

/// The plugins, by kind and name. A new one is one line here; `--generate` then writes the rest.
#[rustfmt::skip] // a line a plugin: two that are added at the same time do not meet
pub const PLUGINS: &[Entry] = &[
    Entry::of::<certificates::Certificates>(),
    Entry::of::<topology::TopologyOf>(),
    Entry::of::<edge_environment::EdgeEnvironmentOf>(),
    Entry::of::<routes::Routes>(),
    Entry::of::<covers::Covers>(),
    Entry::of::<host_name::IsHostName>(),
];

/// The option that has what a lookup is given by its place.
const TERMS: &str = "_terms";

/// What a plugin is to a template.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `value | pharos.platform.NAME`.
    Filter,
    /// `lookup('pharos.platform.NAME', ...)`.
    Lookup,
    /// `value is pharos.platform.NAME`.
    Test,
}

impl Kind {
    /// Ansible's word for it, which is the name of its folder.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Lookup => "lookup",
            Self::Test => "test",
        }
    }

    /// Ansible's name for the value that it returns.
    pub(crate) const fn returned(self) -> &'static str {
        match self {
            Self::Lookup => "_raw",
            Self::Filter | Self::Test => "_value",
        }
    }
}

/// An option that is given `hostvars`: which variables of which hosts are read. No other one is.
#[derive(Clone, Debug, Serialize)]
pub struct HostVariables {
    /// The option.
    pub option: &'static str,
    /// The option that is given `groups`.
    pub groups_option: &'static str,
    /// The groups whose hosts are looked at.
    pub groups: Vec<&'static str>,
    /// The variables.
    pub names: Vec<&'static str>,
    /// Of variables that begin so, and are none of these, the name alone is read.
    pub prefix: &'static str,
}

/// A plugin. Its documentation is the doc comment of its argument type, as that of a [module](crate::Module).
pub trait Plugin {
    /// The name without the collection.
    const NAME: &'static str;
    /// What it is to a template.
    const KIND: Kind;
    /// The options that are given by their place: the first is what a filter or test is applied to.
    const POSITIONAL: &'static [&'static str];
    /// Named tasks in YAML that show its use.
    const EXAMPLES: &'static str;
    /// As that of a module; it may have dictionaries with free keys, for what Ansible itself keeps in such.
    type Arguments: DeserializeOwned + JsonSchema;
    /// What it returns.
    type Value: Serialize + JsonSchema;

    /// What it reads of `hostvars`.
    fn host_variables() -> Option<HostVariables> {
        None
    }

    /// Decides: the value, and what is only warned about.
    ///
    /// # Errors
    /// The refusal of the input.
    fn run(arguments: Self::Arguments) -> Result<(Self::Value, Report), Report>;
}

/// A plugin's work with its types erased.
type Run = fn(Map<String, Value>, Excess, &Entry) -> Result<Outcome<Value>, Failure>;

/// A plugin with its types erased.
pub struct Entry {
    /// The name without the collection.
    pub name: &'static str,
    /// What it is to a template.
    pub kind: Kind,
    /// The options that are given by their place.
    pub positional: &'static [&'static str],
    /// Named tasks in YAML.
    pub examples: &'static str,
    /// What it reads of `hostvars`.
    pub host_variables: fn() -> Option<HostVariables>,
    arguments: fn() -> schemars::Schema,
    value: fn() -> schemars::Schema,
    run: Run,
}

impl Entry {
    /// The entry of a plugin.
    pub const fn of<P: Plugin>() -> Self {
        Self {
            name: P::NAME,
            kind: P::KIND,
            positional: P::POSITIONAL,
            examples: P::EXAMPLES,
            host_variables: P::host_variables,
            arguments: options::schema::of_arguments::<P::Arguments>,
            value: options::schema::of_returns::<P::Value>,
            run: run::<P>,
        }
    }

    /// Its options, in the order of the argument type.
    pub fn options(&self) -> Vec<OptionSpec> {
        options::schema::read(&(self.arguments)())
    }

    /// The value that it returns.
    pub fn value(&self) -> OptionSpec {
        let mut value = options::schema::value(self.kind.returned(), &(self.value)());
        if value.description.is_empty() {
            let what = match self.kind {
                Kind::Filter => "What was found.",
                Kind::Lookup => "What was found, one for each document in `_terms`.",
                Kind::Test => "Whether it is so.",
            };
            value.description = vec![what.to_owned()];
        }
        value
    }

    /// The paragraphs of its description; the first is the short one.
    pub fn description(&self) -> Vec<String> {
        options::schema::paragraphs((self.arguments)().as_value())
    }

    /// What is wrong with arguments whose documents have not been read.
    pub(crate) fn judge(&self, mut arguments: Map<String, Value>) -> Result<(), Report> {
        let excess = Excess::split_off(&mut arguments);
        let reading = Reading { giver: Giver::Template, documents: Documents::Named };
        let without_terms = arguments.get(TERMS).and_then(Value::as_array).is_some_and(Vec::is_empty);
        let judged = options::judge(arguments, &(self.arguments)(), reading);
        let judged = if without_terms { judged.map_err(|report| self.without_terms(&report)) } else { judged };
        excess.conclude(judged, self.positional).map(drop).map_err(|report| self.named(&report))
    }

    /// What it decides about these arguments, under `value`.
    pub(crate) fn run(&self, mut arguments: Map<String, Value>) -> Result<Outcome<Value>, Failure> {
        let excess = Excess::split_off(&mut arguments);
        (self.run)(arguments, excess, self)
    }

    /// The findings about the arguments of a lookup that is given no term, which whoever writes a template does not know by its name.
    fn without_terms(&self, report: &Report) -> Report {
        let mut findings = Findings::new();
        let options = self.options();
        let needed = options.iter().filter(|option| option.required && option.name != TERMS);
        let others: Vec<String> = needed.map(|option| format!(", {}='PATH'", option.name)).collect();
        let others = others.concat();
        for finding in report.diagnostics() {
            findings.push(match finding.place().and_then(Place::key) {
                Some(key) if key == format!("/{TERMS}") => {
                    let help = format!(
                        "write the path of each before the options: `lookup('pharos.platform.{}', 'PATH'{others})`",
                        self.name
                    );
                    Diagnostic::error(codes::MISSING_OPTION, "it is given no document to look up")
                        .at(Place::named("arguments"), "")
                        .help(help)
                }
                _ => finding.clone(),
            });
        }
        findings.into_report()
    }

    /// Findings about arguments, each with the plugin that was given them: a template has many.
    fn named(&self, report: &Report) -> Report {
        let mut findings = Findings::new();
        for finding in report.diagnostics() {
            let message = format!("{} `{}`: {}", self.kind.word(), self.name, finding.message);
            findings.push(Diagnostic { message, ..finding.clone() });
        }
        findings.into_report()
    }
}

fn run<P: Plugin>(arguments: Map<String, Value>, excess: Excess, entry: &Entry) -> Result<Outcome<Value>, Failure> {
    let decoded = options::decode::<P::Arguments>(arguments, Giver::Template);
    let arguments = excess.conclude(decoded, P::POSITIONAL).map_err(|report| entry.named(&report))?;
    let (value, report) = P::run(arguments)?;
    let value = serde_json::to_value(&value).map_err(|error| options::undecodable(&error))?;
    Ok(Outcome::of(json!({ "value": value })).with_report(report))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails loudly")]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::{Kind, PLUGINS};
    use crate::options::{self, OptionSpec};

    fn asked(kind: &str, name: &str, arguments: &Value) -> Value {
        let request = json!({
            "module": name, "plugin": kind, "version": env!("CARGO_PKG_VERSION"), "instant": 0, "arguments": arguments,
        });
        serde_json::from_str(&crate::run(&request.to_string())).unwrap()
    }

    #[test]
    fn every_plugin_is_documented() {
        assert!(PLUGINS.is_sorted_by_key(|entry| (entry.kind.word(), entry.name)));
        for entry in PLUGINS {
            assert!(entry.description().len() > 1, "{}: a short description and a longer one", entry.name);
            let options = entry.options();
            for option in options.iter().chain([&entry.value()]) {
                documented(entry.name, option);
            }
            let names: BTreeSet<&str> = options.iter().map(|option| option.name.as_str()).collect();
            assert!(entry.positional.iter().all(|name| names.contains(name)), "{}", entry.name);
            let first = if entry.kind == Kind::Lookup { "_terms" } else { "_input" };
            assert_eq!(entry.positional.first(), Some(&first), "{}", entry.name);
        }
    }

    fn documented(plugin: &str, option: &OptionSpec) {
        assert!(!option.description.is_empty(), "{plugin}: {} has no doc comment", option.name);
        let mut kind = &option.kind;
        while let options::Kind::List { of, .. } | options::Kind::Map(of) = kind {
            kind = of;
        }
        if let options::Kind::Dictionary(inner) = kind {
            for option in inner {
                documented(plugin, option);
            }
        }
    }

    #[test]
    fn a_plugin_of_another_kind_is_none() {
        let answer = asked("filter", "host_name", &json!({}));
        assert_eq!(answer["diagnostics"][0]["code"], "module/unknown-module");
        assert!(answer["msg"].as_str().unwrap().contains("there is no filter `host_name`"), "{answer}");
        let module =
            json!({ "module": "topology", "version": env!("CARGO_PKG_VERSION"), "instant": 0, "arguments": {} });
        assert!(crate::run(&module.to_string()).contains("there is no module `topology`"));
    }

    #[test]
    fn free_keys_are_judged_too() {
        let answer = asked("filter", "topology", &json!({ "_input": { "etcd": [{}] }, "hostvars": { "n1": 3 } }));
        let found = answer["diagnostics"].as_array().unwrap();
        let keys: BTreeSet<&str> = found.iter().map(|one| one["labels"][0]["key"].as_str().unwrap()).collect();
        assert_eq!(keys, BTreeSet::from(["/_input/etcd/0", "/hostvars/n1"]), "{answer}");
    }
}
