//! What can be said of an inventory before Ansible has read it, and after it could read no more than a part.

use super::{Failure, Kind};
use crate::diagnostic::{Code, Findings, Report, Source};
use crate::document::{self, MAX_BYTES, outline};
use crate::inventory::codes as inventory;
use crate::inventory::{Facts, PREFIX, Purpose, Source as File, is_of_variables, resolve_for};

/// Refuses static files that unfold to more than a document may: Ansible would unfold them, until there is no memory left. The budgets
/// are those of every document; a file of more than [`MAX_BYTES`] bytes, and what is no YAML, is left to Ansible.
///
/// # Errors in the report
/// `document/budget`
pub fn sources(files: &[File]) -> Report {
    let mut findings = Findings::new();
    for file in files.iter().filter(|file| file.bytes.len() <= MAX_BYTES) {
        let Ok(text) = std::str::from_utf8(&file.bytes) else { continue };
        let Err(report) = outline(&Source::private(&file.name, text)) else { continue };
        for diagnostic in report.diagnostics().iter().filter(|found| found.code == document::codes::BUDGET) {
            findings.push(diagnostic.clone());
        }
    }
    findings.into_report()
}

/// Findings on what is written, whatever else may be written in the part that is missing.
const WRITTEN: &[Code] = &[
    inventory::NO_NAME,
    inventory::WRITTEN_TWICE,
    inventory::INI,
    inventory::YAML,
    inventory::RANGE,
    inventory::NODE_NAME,
    inventory::ADDRESS,
    inventory::LABEL,
    inventory::LABEL_VALUE,
    inventory::SERVICES_ARCHITECTURE,
    inventory::TAINT,
    inventory::DUPLICATE_TAINT,
    inventory::DEVICE,
    inventory::DUPLICATE_DEVICE,
    inventory::SHARED_DEVICE,
    inventory::DEVICE_BY_ID,
    inventory::UNKNOWN_VARIABLE,
    inventory::VARIABLE_VALUE,
];

/// Findings on groups and their members: they stand as long as every source was read, whatever variables could not be.
const OF_GROUPS: &[Code] = &[
    inventory::ALIAS_CONFLICT,
    inventory::ABSENT_GROUP,
    inventory::EMPTY_GROUP,
    inventory::SEVERAL_PRIMARIES,
    inventory::PRIMARY_ROLE,
    inventory::PRIMARY_DERIVED,
    inventory::ETCD_EVEN,
    inventory::NOT_HA,
    inventory::OUTSIDE_CLUSTER,
    inventory::NO_ROLE,
];

/// Findings on what all hosts have for these variables: they stand where every source was read and each host has what is written.
const OF_VARIABLES: &[(Code, &[&str])] = &[
    // Two hosts may be reached at one address by two ports, if each has an `ip`.
    (inventory::DUPLICATE_ADDRESS, &["ip"]),
    (inventory::ADDRESS_FAMILY, &["ip", "access_ip", "ip6"]),
    (inventory::STORAGE_HOSTS, &["node_labels"]),
    (inventory::NO_DEVICES, &["node_labels", "storage_devices"]),
    (inventory::VARIABLE_HOST, &[PREFIX]),
];

/// The findings on an inventory that hold although Ansible could not resolve all of it: on what is written, on groups where no
/// source is missing, and on variables of which none is. What the missing part may settle, say a label that is not there, is not
/// judged.
pub fn in_part(facts: &Facts, files: &[File], failures: &[Failure], purpose: Purpose) -> Report {
    let report = match resolve_for(facts, files, purpose) {
        Ok(resolved) => resolved.notes,
        Err(report) => report,
    };
    let groups = !failures.iter().any(lacks_source);
    let settled = |variables: &[&str]| !failures.iter().any(|failure| may_lack(failure, variables));
    let of_variables = |code: Code| OF_VARIABLES.iter().any(|(of, variables)| *of == code && settled(variables));
    let stands = |code: Code| WRITTEN.contains(&code) || groups && (OF_GROUPS.contains(&code) || of_variables(code));
    let mut findings = Findings::new();
    for diagnostic in report.diagnostics().iter().filter(|diagnostic| stands(diagnostic.code)) {
        findings.push(diagnostic.clone());
    }
    findings.into_report()
}

/// Whether a source of groups is missing. A vault that is a whole file may be one, unless it lies where variables do.
fn lacks_source(failure: &Failure) -> bool {
    match failure.kind {
        Kind::Source | Kind::Plugin | Kind::Program => true,
        Kind::VaultFile => !failure.file.as_deref().is_some_and(is_of_variables),
        _ => false,
    }
}

/// Whether one of these variables may be what a host lacks for this failure. Of a vault the variable is known that holds it, not those
/// whose templates name that one.
fn may_lack(failure: &Failure, variables: &[&str]) -> bool {
    let failed = match failure.kind {
        Kind::Undefined | Kind::Template => failure.variable.as_deref(),
        // What it leaves closed is a failure of its own.
        Kind::VaultFacility => return false,
        _ => None,
    };
    failed.is_none_or(|failed| {
        variables.iter().any(|name| failed == *name || *name == PREFIX && failed.starts_with(PREFIX))
    })
}
