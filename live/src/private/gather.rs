//! Private inputs, read: a file, or everything below some entries of a directory.

use std::path::{Path, PathBuf};

use pharos_core::diagnostic::{Findings, Report};

use super::PrivateDir;
use crate::error::io;

/// A file that was read: its path, and what is in it.
pub type Gathered = (PathBuf, Vec<u8>);

/// The directory of a path, opened: all below `root` is private where the path lies there, else the directory itself. `None` if it
/// is not there.
fn directory(root: &Path, path: &Path) -> Result<Option<PrivateDir>, Report> {
    let above = path.parent().unwrap_or(path);
    if above.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let Ok(below) = above.strip_prefix(root) else { return PrivateDir::open(above).map(Some) };
    let mut directory = PrivateDir::open(root)?;
    for part in below {
        directory = directory.enter(&part.to_string_lossy())?;
    }
    Ok(Some(directory))
}

/// The content of a private file; `None` if it, or the directory that it is named in, is not there. Below the private `root` every
/// directory is private too.
pub fn read(root: &Path, path: &Path) -> Result<Option<Vec<u8>>, Report> {
    let name = path.file_name().ok_or_else(|| io(path, "use", &"this is not the path of a file"))?;
    match directory(root, path)? {
        Some(directory) => directory.read(&name.to_string_lossy()),
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
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    let Some(above) = directory(root, path)? else { return Ok(()) };
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
    let Ok(metadata) = path.symlink_metadata() else { return };
    let done = if metadata.is_dir() {
        directory.enter(name).and_then(|below| all(&below, gathered, findings))
    } else {
        directory.read(name).map(|content| gathered.extend(content.map(|content| (path, content))))
    };
    if let Err(report) = done {
        findings.extend(report);
    }
}
