//! Files that are replaced whole: a reader sees the old content or the new one, also after a power failure.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use pharos_core::diagnostic::Report;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

use crate::error::io;

/// Owner and group of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Owner {
    /// User id.
    pub user: u32,
    /// Group id.
    pub group: u32,
}

/// What a replaced file is given.
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    /// Permission bits of a new file; a file that exists keeps its own, unless `force` says otherwise.
    pub mode: u32,
    /// Owner of a new file; `None` leaves the caller's. A file that exists keeps its own, unless `force` says otherwise.
    pub owner: Option<Owner>,
    /// Whether a file that exists is given these too.
    pub force: bool,
}

/// Replaces the content of `path`: a new file in the same directory is written and synced, then renamed over it, then the
/// directory is synced. A link at `path` is replaced, not followed.
pub fn replace(path: &Path, content: &[u8], attributes: Attributes) -> Result<(), Report> {
    let (directory, name) = split(path)?;
    replace_at(directory.as_fd(), path, name, content, attributes)
}

/// Removes the file or link at `path` and syncs its directory. One that is not there is no fault.
pub fn remove(path: &Path) -> Result<(), Report> {
    let (directory, name) = split(path)?;
    remove_at(directory.as_fd(), path, name)
}

/// Makes a symbolic link at `path` that points to `target`, and syncs its directory. The same link is left as it is.
pub fn link(path: &Path, target: &OsStr) -> Result<(), Report> {
    let (directory, name) = split(path)?;
    if rustix::fs::readlinkat(&directory, name, Vec::new())
        .is_ok_and(|there| there.to_bytes() == target.as_encoded_bytes())
    {
        return Ok(());
    }
    rustix::fs::symlinkat(target, &directory, name).map_err(|error| io(path, "link", &error))?;
    rustix::fs::fsync(&directory).map_err(|error| io(path, "sync the directory of", &error))
}

/// Makes a symbolic link at `path` that points to `target`, in place of a link that points elsewhere: whoever follows it comes to
/// the old target or to the new one. Anything but a link is refused.
pub fn replace_link(path: &Path, target: &OsStr) -> Result<(), Report> {
    let (directory, name) = split(path)?;
    match rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink => {
            return Err(io(path, "replace", &"this is not a link"));
        }
        Ok(_) | Err(Errno::NOENT) => {}
        Err(error) => return Err(io(path, "look at", &error)),
    }
    let mut temporary = temporary_prefix(name);
    temporary.push(std::process::id().to_string());
    // Left by a killed process that had this id.
    let _ = rustix::fs::unlinkat(&directory, &temporary, AtFlags::empty());
    rustix::fs::symlinkat(target, &directory, &temporary)
        .and_then(|()| rustix::fs::renameat(&directory, &temporary, &directory, name))
        .map_err(|error| io(path, "replace", &error))?;
    rustix::fs::fsync(&directory).map_err(|error| io(path, "sync the directory of", &error))
}

/// Removes what an interrupted [`replace`] of `path` left in its directory. Only for the holder of the lock that guards the file:
/// another writer's unfinished file is removed as well.
pub fn sweep(path: &Path) -> Result<(), Report> {
    let (directory, name) = split(path)?;
    let prefix = temporary_prefix(name);
    let entries = Dir::read_from(&directory).map_err(|error| io(path, "list the directory of", &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| io(path, "list the directory of", &error))?;
        if entry.file_name().to_bytes().starts_with(prefix.as_encoded_bytes()) {
            rustix::fs::unlinkat(&directory, entry.file_name(), AtFlags::empty())
                .map_err(|error| io(path, "remove an unfinished copy of", &error))?;
        }
    }
    Ok(())
}

pub(crate) fn replace_at(
    directory: BorrowedFd<'_>,
    path: &Path,
    name: &OsStr,
    content: &[u8],
    attributes: Attributes,
) -> Result<(), Report> {
    let (mode, owner) = kept(directory, name, attributes);
    // The name begins with a dot: no glob of a configuration (`conf.d/*.conf`, `sites-enabled/*`) takes it for a file of its own.
    let mut temporary = temporary_prefix(name);
    temporary.push(std::process::id().to_string());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let created = match rustix::fs::openat(directory, &temporary, flags, Mode::RUSR | Mode::WUSR) {
        Err(Errno::EXIST) => {
            // Left by a killed process that had this id.
            rustix::fs::unlinkat(directory, &temporary, AtFlags::empty())
                .and_then(|()| rustix::fs::openat(directory, &temporary, flags, Mode::RUSR | Mode::WUSR))
        }
        other => other,
    };
    let file = created.map_err(|error| io(path, "create a copy of", &error))?;
    let done = fill(file, content, mode, owner)
        .and_then(|()| rustix::fs::renameat(directory, &temporary, directory, name).map_err(Into::into))
        .map_err(|error| io(path, "replace", &error));
    if done.is_err() {
        // The first failure is the one to report.
        let _ = rustix::fs::unlinkat(directory, &temporary, AtFlags::empty());
        return done;
    }
    rustix::fs::fsync(directory).map_err(|error| io(path, "sync the directory of", &error))
}

pub(crate) fn remove_at(directory: BorrowedFd<'_>, path: &Path, name: &OsStr) -> Result<(), Report> {
    match rustix::fs::unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) => rustix::fs::fsync(directory).map_err(|error| io(path, "sync the directory of", &error)),
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(io(path, "remove", &error)),
    }
}

/// Mode and owner of the new file.
fn kept(directory: BorrowedFd<'_>, name: &OsStr, attributes: Attributes) -> (Mode, Option<Owner>) {
    let given = (Mode::from_raw_mode(attributes.mode), attributes.owner);
    if attributes.force {
        return given;
    }
    match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            (Mode::from_raw_mode(stat.st_mode), Some(Owner { user: stat.st_uid, group: stat.st_gid }))
        }
        _ => given,
    }
}

fn fill(file: OwnedFd, content: &[u8], mode: Mode, owner: Option<Owner>) -> std::io::Result<()> {
    if let Some(owner) = owner {
        rustix::fs::fchown(&file, Some(Uid::from_raw(owner.user)), Some(Gid::from_raw(owner.group)))?;
    }
    rustix::fs::fchmod(&file, mode)?;
    let mut file = std::fs::File::from(file);
    file.write_all(content)?;
    file.sync_all()
}

fn temporary_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".pharos-");
    prefix
}

/// The directory of a path, open, and the name in it.
fn split(path: &Path) -> Result<(OwnedFd, &OsStr), Report> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io(path, "use", &"this is not the path of a file"));
    };
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory =
        rustix::fs::openat(CWD, directory, flags, Mode::empty()).map_err(|e| io(path, "open the directory of", &e))?;
    Ok((directory, name))
}
