//! Private inputs, read: a file, or everything below some entries of a directory.

use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

use pharos_core::diagnostic::{Findings, Report};

use super::PrivateDir;
use super::survey::survey;
use crate::error::io;

/// A file that was read: its path, and what is in it.
pub type Gathered = (PathBuf, Vec<u8>);

/// The directory of a path, opened: all below `root` is private where the path lies there, else the directory itself. `None` if it
/// is not there.
fn directory(root: &Path, path: &Path) -> Result<Option<PrivateDir>, Report> {
    let above = path.parent().unwrap_or(path);
    if !there(above)? {
        return Ok(None);
    }
    let Ok(below) = above.strip_prefix(root) else { return PrivateDir::open(above).map(Some) };
    let mut directory = PrivateDir::open(root)?;
    for part in below {
        directory = directory.enter(&part.to_string_lossy())?;
    }
    Ok(Some(directory))
}

/// Whether there is an entry of this path. That it cannot be seen does not say that it is not there.
fn there(path: &Path) -> Result<bool, Report> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == NotFound => Ok(false),
        Err(error) => Err(io(path, "look at", &error)),
    }
}

/// The content of a private file, no more than its first `most` bytes; `None` if it, or the directory that it is named in, is not
/// there. Below the private `root` every directory is private too; all that are not are reported at once.
pub fn read(root: &Path, path: &Path, most: u64) -> Result<Option<Vec<u8>>, Report> {
    let read = read_proven(root, path, most);
    read.map_err(|report| with_survey(report, root, path))
}

/// A report on the way to a path, with all else that is not private there.
fn with_survey(report: Report, root: &Path, path: &Path) -> Report {
    let mut findings = Findings::new();
    findings.extend(report);
    findings.extend(survey(root, &[path]));
    findings.into_report()
}

fn read_proven(root: &Path, path: &Path, most: u64) -> Result<Option<Vec<u8>>, Report> {
    let name = path.file_name().ok_or_else(|| io(path, "use", &"this is not the path of a file"))?;
    match directory(root, path)? {
        Some(directory) => directory.read_at_most(&name.to_string_lossy(), most),
        None => Ok(None),
    }
}

/// The sources of an inventory at `path`, a file with the `beside` entries of its directory or a directory with everything in it:
/// every file is private, every directory too. Files are in the order of their paths; what is not private is reported, all of it at
/// once. No file is read if there is none at `path`.
pub fn inventory(root: &Path, path: &Path, beside: &[&str]) -> (Vec<Gathered>, Report) {
    let mut findings = Findings::new();
    let mut gathered = Vec::new();
    let found = gather_inventory(root, path, beside, &mut gathered, &mut findings);
    if let Err(report) = found {
        findings.extend(report);
    }
    if findings.refused() {
        let beside = beside.iter().map(|name| path.with_file_name(name));
        let paths: Vec<PathBuf> = std::iter::once(path.to_owned()).chain(beside).collect();
        findings.extend(survey(root, &paths.iter().map(PathBuf::as_path).collect::<Vec<_>>()));
    }
    gathered.sort();
    (gathered, findings.into_report())
}

fn gather_inventory(
    root: &Path,
    path: &Path,
    beside: &[&str],
    gathered: &mut Vec<Gathered>,
    findings: &mut Findings,
) -> Result<(), Report> {
    // Judged from the root downwards: what cannot be looked at is told with the level that is in the way.
    let Some(above) = directory(root, path)? else { return Ok(()) };
    if !there(path)? {
        return Ok(());
    }
    let metadata = path.symlink_metadata().map_err(|error| io(path, "look at", &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if metadata.is_dir() {
        all(&above.enter(&name)?, gathered, findings)
    } else {
        for name in std::iter::once(name.as_ref()).chain(beside.iter().copied()) {
            entry(&above, name, gathered, findings);
        }
        Ok(())
    }
}

fn all(directory: &PrivateDir, gathered: &mut Vec<Gathered>, findings: &mut Findings) -> Result<(), Report> {
    for name in directory.names()? {
        entry(directory, &name, gathered, findings);
    }
    Ok(())
}

/// Reads an entry, or all below it; one that is not there is passed over.
fn entry(directory: &PrivateDir, name: &str, gathered: &mut Vec<Gathered>, findings: &mut Findings) {
    let path = directory.path().join(name);
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == NotFound => return,
        Err(error) => return findings.extend(io(&path, "look at", &error)),
    };
    let done = if metadata.is_dir() {
        directory.enter(name).and_then(|below| all(&below, gathered, findings))
    } else {
        directory.read(name).map(|content| gathered.extend(content.map(|content| (path, content))))
    };
    if let Err(report) = done {
        findings.extend(report);
    }
}
