//! The words for what Ansible could not resolve.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::codes;
use super::reason::{self, Reason};
use crate::diagnostic::{Code, Diagnostic, Findings, Place, Report, Source};
use crate::file::quoted;
use crate::inventory::{self, Source as File, shown};

/// What kind of thing failed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A source of the inventory.
    Source,
    /// A source that names a plugin which is not there.
    Plugin,
    /// A source that is a program.
    Program,
    /// A file of variables.
    File,
    /// All variables of a host.
    Variables,
    /// A file that is a vault as a whole.
    VaultFile,
    /// A variable that is a vault.
    VaultVariable,
    /// The source of the vault passwords.
    VaultFacility,
    /// A template with an undefined variable.
    Undefined,
    /// A template.
    Template,
}

/// How a program that should give an inventory came to none. What it said is not kept: it may hold a secret.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Its file may not be executed.
    NotExecutable,
    /// The system could not start it.
    NotStarted,
    /// It ended with a status that is not 0, or by a signal.
    Failed,
    /// What it printed is no inventory.
    NoInventory,
}

/// Something that Ansible could not resolve, without a word of what is written there.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What failed.
    pub kind: Kind,
    /// The file, as in the names of the [sources](File).
    #[serde(default)]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default)]
    pub line: Option<usize>,
    /// The column in characters, from 1.
    #[serde(default)]
    pub column: Option<usize>,
    /// The host whose variable it is.
    #[serde(default)]
    pub host: Option<String>,
    /// The variable.
    #[serde(default)]
    pub variable: Option<String>,
    /// The label of a vault: the identity that opens it.
    #[serde(default)]
    pub vault_id: Option<String>,
    /// The plugin that tried.
    #[serde(default)]
    pub plugin: Option<String>,
    /// Why the plugin could not read its source.
    #[serde(default)]
    pub reason: Option<Reason>,
    /// The library or the option that the reason is about.
    #[serde(default)]
    pub subject: Option<String>,
    /// How a program came to no inventory.
    #[serde(default)]
    pub end: Option<End>,
    /// The status that it ended with; less than 0 is the number of a signal.
    #[serde(default)]
    pub status: Option<i32>,
}

impl Failure {
    /// That of a variable whose place is not known.
    pub fn of_variable(kind: Kind, host: &str, variable: &str) -> Self {
        Self {
            kind,
            file: None,
            line: None,
            column: None,
            host: Some(host.to_owned()),
            variable: Some(variable.to_owned()),
            vault_id: None,
            plugin: None,
            reason: None,
            subject: None,
            end: None,
            status: None,
        }
    }
}

/// The failures as findings. What failed for several hosts at one place is one finding.
pub fn report(failures: &[Failure], files: &[File]) -> Report {
    let sources: BTreeMap<&str, Arc<Source>> = files
        .iter()
        .map(|file| (file.name.as_str(), Source::private(&file.name, &String::from_utf8_lossy(&file.bytes))))
        .collect();
    let mut merged: Vec<(Failure, Vec<&str>)> = Vec::new();
    let mut known: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    for failure in failures {
        let at = *known.entry(key(failure)).or_insert(merged.len());
        if at == merged.len() {
            merged.push((failure.clone(), Vec::new()));
        }
        if let (Some((_, hosts)), Some(host)) = (merged.get_mut(at), failure.host.as_deref()) {
            hosts.push(host);
        }
    }
    let mut findings = Findings::new();
    for (failure, hosts) in &merged {
        match exact(failure, files) {
            found if found.is_empty() => findings.push(diagnostic(failure, hosts, &sources)),
            found => found.into_iter().for_each(|diagnostic| findings.push(diagnostic)),
        }
    }
    findings.into_report()
}

/// What is wrong with an inventory of which Ansible's plugin tells no place; nothing if that is not known here either.
fn exact(failure: &Failure, files: &[File]) -> Vec<Diagnostic> {
    let Some(file) = failure.file.as_deref().filter(|_| failure.kind == Kind::Source) else { return Vec::new() };
    match failure.plugin.as_deref() {
        None | Some("ini") if failure.line.is_none() => inventory::judge_ini(file, files),
        // The place that it tells, if it does, is that of the first fault, and often that of the whole file.
        Some("yaml") => inventory::judge_yaml(file, files),
        _ => Vec::new(),
    }
}

type Key<'f> = (Kind, Option<&'f str>, Option<usize>, Option<usize>, Option<&'f str>);

fn key(failure: &Failure) -> Key<'_> {
    (failure.kind, failure.file.as_deref(), failure.line, failure.column, failure.variable.as_deref())
}

fn diagnostic(failure: &Failure, hosts: &[&str], sources: &BTreeMap<&str, Arc<Source>>) -> Diagnostic {
    let (code, message, help) = words(failure, hosts);
    Diagnostic::error(code, message).at(place(failure, hosts, sources), "").help(help)
}

fn words(failure: &Failure, hosts: &[&str]) -> (Code, String, String) {
    let variable = failure.variable.as_deref().map_or("a variable".into(), shown);
    let of = of(hosts);
    let password = match &failure.vault_id {
        Some(id) => format!("the password of the vault identity `{}`", id.escape_debug()),
        None => "its password".to_owned(),
    };
    let facility = "name a file or program that gives it in ANSIBLE_VAULT_PASSWORD_FILE or ANSIBLE_VAULT_IDENTITY_LIST";
    match failure.kind {
        Kind::Source => {
            let (who, help) = match failure.plugin.as_deref() {
                Some(plugin @ ("yaml" | "ini")) => (
                    format!("Ansible's plugin `{plugin}` cannot read this inventory"),
                    "mend what stands at or just before this place; `ansible-inventory --list -i FILE` says more".to_owned(),
                ),
                Some(plugin) => {
                    let who = format!("Ansible's plugin `{}` cannot read this inventory", plugin.escape_debug());
                    match reason::words(failure, plugin) {
                        Some((why, help)) => (format!("{who}: {why}"), help),
                        None => (who, "`ansible-inventory --list -i FILE` says why".to_owned()),
                    }
                }
                None => (
                    "no plugin of Ansible's reads this inventory".to_owned(),
                    "write YAML (`.yml`), INI, or the configuration of an inventory plugin that is installed".to_owned(),
                ),
            };
            (codes::SOURCE, who, help)
        }
        Kind::Plugin => (
            codes::SOURCE,
            format!(
                "this inventory names the plugin `{}`, which is not installed",
                failure.plugin.as_deref().unwrap_or_default().escape_debug()
            ),
            "write the whole name of one that is, `NAMESPACE.COLLECTION.NAME`, or `ansible.builtin.NAME` for one of Ansible's own; \
             `ansible-doc -t inventory -l` lists them"
                .to_owned(),
        ),
        Kind::Program => of_program(failure),
        Kind::File => (
            codes::VARIABLES,
            "Ansible cannot read this file of variables".to_owned(),
            "mend what stands at or just before this place; the file is a mapping of variables in YAML or JSON".to_owned(),
        ),
        Kind::Variables => (
            codes::VARIABLES,
            format!("Ansible cannot put the variables{of} together"),
            "`ansible-inventory --host HOST -i FILE` says why".to_owned(),
        ),
        Kind::VaultFile => (
            codes::VAULT_FILE,
            format!("this file is a vault, and {password} is not there or does not open it"),
            facility.to_owned(),
        ),
        Kind::VaultVariable => (
            codes::VAULT_VARIABLE,
            format!("the variable `{variable}`{of} is a vault, and {password} is not there or does not open it"),
            facility.to_owned(),
        ),
        Kind::VaultFacility => (
            codes::VAULT_FACILITY,
            "no vault password came from where Ansible is told to look for them".to_owned(),
            "see that the files and programs in ANSIBLE_VAULT_PASSWORD_FILE and ANSIBLE_VAULT_IDENTITY_LIST are there and work".to_owned(),
        ),
        Kind::Undefined => (
            codes::UNDEFINED,
            format!("the template of `{variable}`{of} names a variable that is not there"),
            "define it, or give the template a `default(...)`".to_owned(),
        ),
        Kind::Template => (
            codes::TEMPLATE,
            format!("the template of `{variable}`{of} fails"),
            "`ansible -i FILE -m debug -a var=VARIABLE HOST` says why, with the inventory as FILE".to_owned(),
        ),
    }
}

/// A program is told by how it ended, and by the command that shows what it says.
fn of_program(failure: &Failure) -> (Code, String, String) {
    let file = failure.file.as_deref().unwrap_or("FILE").escape_debug().to_string();
    // A shell looks for a bare name elsewhere.
    let file = if file.contains('/') { file } else { format!("./{file}") };
    let file = quoted(&file);
    let shows = format!("`{file} --list` shows what it says, which is not repeated here: it may hold a secret");
    let (words, help) = match (failure.end, failure.status) {
        (Some(End::NotExecutable), _) => (
            "this inventory program may not be executed".to_owned(),
            format!(
                "`chmod +x {file}`, if it is meant to be run; an inventory that is a text has no `#!` in its first line"
            ),
        ),
        (Some(End::NotStarted), _) => (
            "this inventory program cannot be started".to_owned(),
            "see its first line: the interpreter after `#!` must be on this machine".to_owned(),
        ),
        (Some(End::NoInventory), _) => (
            "this inventory program ended well, and what it printed is no inventory".to_owned(),
            format!("see what `{file} --list` prints: one JSON object of groups, with `_meta` and its `hostvars`"),
        ),
        (Some(End::Failed) | None, Some(status @ ..0)) => {
            (format!("signal {} ended this inventory program", -status), shows)
        }
        (Some(End::Failed) | None, Some(status)) => {
            (format!("this inventory program ended with status {status}"), shows)
        }
        (Some(End::Failed) | None, None) => ("this inventory program failed".to_owned(), shows),
    };
    (codes::PROGRAM, words, help)
}

/// ` of `n1`, `n2` and 3 more hosts`.
fn of(hosts: &[&str]) -> String {
    const SHOWN: usize = 3;
    let named: Vec<String> = hosts.iter().take(SHOWN).map(|host| format!("`{}`", shown(host).escape_debug())).collect();
    match (named.as_slice(), hosts.len().saturating_sub(SHOWN)) {
        ([], _) => String::new(),
        ([one], _) => format!(" of {one}"),
        ([most @ .., last], 0) => format!(" of {} and {last}", most.join(", ")),
        (all, rest) => format!(" of {} and {rest} more", all.join(", ")),
    }
}

fn place(failure: &Failure, hosts: &[&str], sources: &BTreeMap<&str, Arc<Source>>) -> Place {
    let Some(file) = failure.file.as_deref() else {
        return Place::named(&hosts.first().map_or("Ansible's vault settings".into(), |host| shown(host)));
    };
    let Some(source) = sources.get(file) else { return Place::named(file) };
    let Some(line) = failure.line else { return source.whole() };
    let start: usize = source.text().split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = source.text().get(start..).unwrap_or_default();
    let column = failure.column.unwrap_or(1).saturating_sub(1);
    let within = rest.char_indices().nth(column).map_or(0, |(at, _)| at);
    let offset = start + if rest.get(..within).is_some_and(|before| before.contains('\n')) { 0 } else { within };
    source.place(offset..offset)
}
