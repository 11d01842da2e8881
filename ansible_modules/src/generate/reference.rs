//! The page of the modules in the documentation.

use crate::module::{Entry, Family, Place};
use crate::options::{Kind, OptionSpec};
use crate::plugin;

use super::stub::ansible_type;

const HEAD: &str = "# Modules

The modules of the collection `pharos.platform`. Every one runs in check mode, and a second run with the same input changes
nothing. On failure `msg` tells people and `diagnostics` tells programs what is wrong; what is only warned about stands in
`diagnostics` as well. This page is written by `pharos-modules --generate`, from the same types as `ansible-doc`.
";

/// The text of `docs/reference/modules.md`.
pub(super) fn of(modules: &[Entry]) -> String {
    let sections = modules.iter().map(section);
    std::iter::once(HEAD.to_owned()).chain(sections).collect::<Vec<_>>().join("\n")
}

const PLUGINS_HEAD: &str = "# Filters, lookups and tests

What a template of a playbook can ask the core, on the controller: the bindings answer if the Python package `pharos` of the same
version is installed, else the collection's own program. What is refused ends the task with the same report as everywhere. This
page is written by `pharos-modules --generate`, from the same types as `ansible-doc -t filter` and its like.
";

/// The text of `docs/reference/plugins.md`.
pub(super) fn of_plugins(plugins: &[plugin::Entry]) -> String {
    let sections = plugins.iter().map(plugin_section);
    std::iter::once(PLUGINS_HEAD.to_owned()).chain(sections).collect::<Vec<_>>().join("\n")
}

fn plugin_section(entry: &plugin::Entry) -> String {
    let description = entry.description().join("\n\n");
    let options = table("option", &entry.options());
    let returns = table("value", &[returned(entry.value())]);
    let (kind, name, examples) = (entry.kind.word(), entry.name, entry.examples);
    format!("## {kind} {name}\n\n{description}\n\n{options}\n{returns}\n```yaml\n{examples}```\n")
}

fn section(entry: &Entry) -> String {
    let place = match entry.place {
        Place::Controller => "Runs on the controller; the host of the task is not contacted.",
        Place::Target => "Runs on the host of the task.",
    };
    let kind = match entry.family {
        Family::Info => "It only reads.",
        Family::Render => "It only computes.",
        Family::Write => "It writes, and shows with `--diff` what.",
    };
    let description = entry.description().join("\n\n");
    let options = table("option", &entry.documented_options());
    let returns = table("return value", &entry.returns().into_iter().map(returned).collect::<Vec<_>>());
    let examples = entry.examples;
    format!(
        "## {name}\n\n{description}\n\n{place} {kind}\n\n{options}\n{returns}\n```yaml\n{examples}```\n",
        name = entry.name
    )
}

/// A return value: that it is always there goes without saying.
fn returned(value: OptionSpec) -> OptionSpec {
    OptionSpec { kind: returned_kind(value.kind), required: false, default: None, ..value }
}

fn returned_kind(kind: Kind) -> Kind {
    let each = |values: Vec<OptionSpec>| values.into_iter().map(returned).collect();
    match kind {
        Kind::Dictionary(values) => Kind::Dictionary(each(values)),
        Kind::Variants(values) => Kind::Variants(each(values)),
        Kind::List { of, at_least } => Kind::List { of: Box::new(returned_kind(*of)), at_least },
        Kind::Map(of) => Kind::Map(Box::new(returned_kind(*of))),
        other => other,
    }
}

fn table(what: &str, options: &[OptionSpec]) -> String {
    let rows: Vec<String> = options.iter().flat_map(|option| rows("", option)).collect();
    format!("| {what} | type | meaning |\n|---|---|---|\n{}\n", rows.join("\n"))
}

/// The row of an option and, indented by its name, those of the options inside it.
fn rows(prefix: &str, option: &OptionSpec) -> Vec<String> {
    let name = format!("{prefix}{}", option.name);
    let mut meaning = option.description.join(" ").replace('|', "\\|");
    for (choice, description) in option.kind.choices() {
        let dot = if meaning.ends_with('.') || meaning.is_empty() { "" } else { "." };
        meaning = format!("{meaning}{dot} `{choice}`: {description}");
    }
    if option.required {
        meaning.push_str(" **Required.**");
    }
    if let Some(default) = &option.default {
        meaning = format!("{meaning} Default: `{default}`.");
    }
    let own = format!("| `{name}` | {} | {} |", type_of(&option.kind), meaning.trim());
    let inner = keys(&option.kind);
    std::iter::once(own).chain(inner.iter().flat_map(|option| rows(&format!("{name}."), option))).collect()
}

/// The keys of a dictionary, also of one in a list or under a name.
fn keys(kind: &Kind) -> &[OptionSpec] {
    match kind {
        Kind::Dictionary(options) | Kind::Variants(options) => options,
        Kind::List { of, .. } | Kind::Map(of) => keys(of),
        _ => &[],
    }
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::List { of, .. } if **of == Kind::Document => "paths on the controller".to_owned(),
        Kind::List { of, .. } => format!("list of {}", ansible_type(of)),
        Kind::Document => "path on the controller".to_owned(),
        other => ansible_type(other).to_owned(),
    }
}
