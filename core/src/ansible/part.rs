//! What can be said of an inventory before Ansible has read it, and after it could read no more than a part.

use super::{Failure, Kind};
use crate::diagnostic::{Code, Findings, Report, Source};
use crate::document::{self, MAX_BYTES, outline};
use crate::inventory::codes as inventory;
use crate::inventory::{Facts, Source as File, resolve};

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
    inventory::NODE_NAME,
    inventory::ADDRESS,
    inventory::DUPLICATE_ADDRESS,
    inventory::LABEL,
    inventory::LABEL_VALUE,
    inventory::TAINT,
    inventory::DUPLICATE_TAINT,
    inventory::DEVICE,
    inventory::DUPLICATE_DEVICE,
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

/// The findings on an inventory that hold although Ansible could not resolve all of it: on what is written, and on groups where no
/// source is missing. What the missing part may settle, say a label that is not there, is not judged.
pub fn in_part(facts: &Facts, files: &[File], failures: &[Failure]) -> Report {
    let report = match resolve(facts, files) {
        Ok(resolved) => resolved.notes,
        Err(report) => report,
    };
    let groups = !failures.iter().any(|failure| {
        // A vault that is a whole file may be a source.
        matches!(failure.kind, Kind::Source | Kind::VaultFile | Kind::VaultFacility)
    });
    let stands = |code: Code| WRITTEN.contains(&code) || groups && OF_GROUPS.contains(&code);
    let mut findings = Findings::new();
    for diagnostic in report.diagnostics().iter().filter(|diagnostic| stands(diagnostic.code)) {
        findings.push(diagnostic.clone());
    }
    findings.into_report()
}
