//! What is not private of all that an operation is going to open: every level and every file, in one run.
//!
//! A survey looks at names and proves nothing, for what a name leads to can change: whatever is opened later is judged again.

use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::Path;

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::file::Kind;
use rustix::fs::{AtFlags, CWD, FileType, Stat};
use rustix::io::Errno;

use super::{PrivateDir, judge};
use crate::error::io;

/// Judges these paths: each with the directories that lead to it, from the private `root` where it lies below that, and everything in
/// it if it is a directory. What is not there is no fault.
pub fn survey(root: &Path, paths: &[&Path]) -> Report {
    let mut findings = Findings::new();
    for path in paths {
        levels(root, path, &mut findings);
        below(path, &mut findings);
    }
    findings.into_report()
}

/// The directories that lead to a path: from the root where it lies below that, else the directory of a file, or itself with what is
/// above it.
fn levels(root: &Path, path: &Path, findings: &mut Findings) {
    let Some(above) = path.parent() else { return };
    let first = match above.starts_with(root) {
        true => root,
        false if path.symlink_metadata().is_ok_and(|found| found.is_dir()) => path,
        false => above,
    };
    // The first one with its ancestors; one that is missing has nothing private below it.
    match first.symlink_metadata() {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return,
        Err(error) => return findings.extend(io(first, "look at", &error)),
        Ok(_) => extend(findings, PrivateDir::open(first).map(drop)),
    }
    let mut level = first.to_owned();
    for part in above.strip_prefix(first).into_iter().flatten() {
        level.push(part);
        match stat(&level) {
            Ok(found) => extend(findings, judge(&level, Kind::Directory, &found)),
            Err(Errno::NOENT | Errno::NOTDIR) => return,
            Err(error) => return findings.extend(io(&level, "read the attributes of", &error)),
        }
    }
}

/// A path itself and, if it is a directory, everything in it. Links are not followed.
fn below(path: &Path, findings: &mut Findings) {
    // A directory on the way that cannot be entered was told already.
    let Ok(found) = stat(path) else { return };
    if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
        return extend(findings, judge(path, Kind::File, &found));
    }
    extend(findings, judge(path, Kind::Directory, &found));
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return findings.extend(io(path, "list", &error)),
    };
    let mut entries: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    entries.sort();
    for entry in entries {
        below(&entry, findings);
    }
}

fn stat(path: &Path) -> Result<Stat, Errno> {
    rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)
}

fn extend(findings: &mut Findings, judged: Result<(), Report>) {
    if let Err(report) = judged {
        findings.extend(report);
    }
}
