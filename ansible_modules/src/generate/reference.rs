//! The page of the modules in the documentation.

use crate::module::{Entry, Family, Place};
use crate::options::{Kind, OptionSpec};

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
    let of_kind = |kind: Kind| match kind {
        Kind::Dictionary(values) => Kind::Dictionary(values.into_iter().map(returned).collect()),
        other => other,
    };
    let kind = match value.kind {
        Kind::List { of, at_least } => Kind::List { of: Box::new(of_kind(*of)), at_least },
        other => of_kind(other),
    };
    OptionSpec { kind, required: false, ..value }
}

fn table(what: &str, options: &[OptionSpec]) -> String {
    let rows: Vec<String> = options.iter().flat_map(|option| rows("", option)).collect();
    format!("| {what} | type | meaning |\n|---|---|---|\n{}\n", rows.join("\n"))
}

/// The row of an option and, indented by its name, those of the options inside it.
fn rows(prefix: &str, option: &OptionSpec) -> Vec<String> {
    let name = format!("{prefix}{}", option.name);
    let mut meaning = option.description.join(" ").replace('|', "\\|");
    for (choice, description) in choices(&option.kind) {
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
    let inner = match &option.kind {
        Kind::Dictionary(options) => options.as_slice(),
        Kind::List { of, .. } => match &**of {
            Kind::Dictionary(options) => options.as_slice(),
            _ => &[],
        },
        _ => &[],
    };
    std::iter::once(own).chain(inner.iter().flat_map(|option| rows(&format!("{name}."), option))).collect()
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::List { of, .. } => format!("list of {}", ansible_type(of)),
        Kind::Document => "path on the controller".to_owned(),
        other => ansible_type(other).to_owned(),
    }
}

fn choices(kind: &Kind) -> &[(String, String)] {
    match kind {
        Kind::Text { choices, .. } => choices,
        _ => &[],
    }
}
