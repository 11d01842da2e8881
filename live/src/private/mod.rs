//! Private directories: 0700, the caller's, reached without links, with files of 0600.
//!
//! A [`PrivateDir`] is proof: the directory was judged when it was opened, and everything below is opened relative to it.

pub mod gather;
pub mod survey;

use std::ffi::OsStr;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::file::{Kind, Metadata, judge_ancestor, judge_private};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::error::io;
use crate::file::{Attributes, remove_at, replace_at};

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// An open private directory.
#[derive(Debug)]
pub struct PrivateDir {
    directory: OwnedFd,
    path: PathBuf,
}

impl PrivateDir {
    /// Opens the private root at `path`. The directories above are judged as OpenSSH's `StrictModes` does, after links in them
    /// were resolved; the last component must be the directory itself.
    pub fn open(path: &Path) -> Result<Self, Report> {
        let name = path.file_name().ok_or_else(|| io(path, "use", &"this is not a path below the root"))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = parent.canonicalize().map_err(|error| io(parent, "open", &error))?;
        let above = rustix::fs::openat(CWD, &parent, DIRECTORY, Mode::empty()).map_err(|e| io(&parent, "open", &e))?;
        let mut findings = Findings::new();
        judge_ancestors(&parent, &mut findings)?;
        match Self::at(above.as_fd(), name, path.to_owned()) {
            Ok(directory) => findings.conclude(directory).map(|(directory, _)| directory),
            Err(report) => {
                findings.extend(report);
                Err(findings.into_report())
            }
        }
    }

    /// Opens the private root at `path`; what is missing of it is made, 0700.
    pub fn create(path: &Path) -> Result<Self, Report> {
        let mut missing = Vec::new();
        let mut there = path;
        while matches!(there.symlink_metadata(), Err(error) if error.kind() == std::io::ErrorKind::NotFound) {
            missing.push(there);
            match there.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                Some(parent) => there = parent,
                None => break,
            }
        }
        for directory in missing.into_iter().rev() {
            make(CWD, directory, directory)?;
        }
        Self::open(path)
    }

    /// Opens the private directory `name` in this one.
    pub fn enter(&self, name: &str) -> Result<Self, Report> {
        let (name, path) = self.entry(name)?;
        Self::at(self.directory.as_fd(), name, path)
    }

    /// Opens the private directory `name` in this one, and makes it if it is missing.
    pub fn make(&self, name: &str) -> Result<Self, Report> {
        let (name, path) = self.entry(name)?;
        make(self.directory.as_fd(), Path::new(name), &path)?;
        Self::at(self.directory.as_fd(), name, path)
    }

    /// Its path, as the caller gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of the private file `name`; `None` if there is none.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Report> {
        self.read_at_most(name, u64::MAX)
    }

    /// The content of the private file `name`, no more than its first `most` bytes; `None` if there is none.
    pub fn read_at_most(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Report> {
        let (name, path) = self.entry(name)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Some(file) = self.open_file(name, &path, flags, Mode::empty())? else { return Ok(None) };
        let mut content = Vec::new();
        std::fs::File::from(file).take(most).read_to_end(&mut content).map_err(|error| io(&path, "read", &error))?;
        Ok(Some(content))
    }

    /// Replaces the private file `name`, 0600, atomically.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), Report> {
        let (name, path) = self.entry(name)?;
        if let Ok(stat) = rustix::fs::statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            judge(&path, Kind::File, &stat)?;
        }
        let attributes = Attributes { mode: 0o600, owner: None, force: true };
        replace_at(self.directory.as_fd(), &path, name, content, attributes)
    }

    /// Writes `line` at the end of the private file `name`, 0600, whose first `whole` bytes are kept: what follows them is a part of
    /// a line that a killed writer left. The caller holds the lock that guards the file.
    pub fn append(&self, name: &str, whole: u64, line: &[u8]) -> Result<(), Report> {
        let (name, path) = self.entry(name)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.open_file(name, &path, flags, Mode::RUSR | Mode::WUSR)?;
        let mut file = std::fs::File::from(file.ok_or_else(|| io(&path, "create", &Errno::NOENT))?);
        file.set_len(whole)
            .and_then(|()| file.seek(SeekFrom::Start(whole)))
            .and_then(|_| file.write_all(line))
            .and_then(|()| file.sync_all())
            .map_err(|error| io(&path, "append to", &error))?;
        rustix::fs::fsync(&self.directory).map_err(|error| io(&path, "sync the directory of", &error))
    }

    /// Removes what interrupted replacements left in it. Only for the holder of the lock that guards its files.
    pub fn sweep(&self) -> Result<(), Report> {
        for name in self.names()?.iter().filter(|name| name.starts_with('.') && name.contains(".pharos-")) {
            self.remove(name)?;
        }
        Ok(())
    }

    /// Removes the file `name` and syncs the directory. One that is not there is no fault.
    pub fn remove(&self, name: &str) -> Result<(), Report> {
        let (name, path) = self.entry(name)?;
        remove_at(self.directory.as_fd(), &path, name)
    }

    /// The names in it, in order.
    pub fn names(&self) -> Result<Vec<String>, Report> {
        let list = |error: Errno| io(&self.path, "list", &error);
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.directory).map_err(list)? {
            let name = entry.map_err(list)?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Opens the file `name` for a lock, 0600; made if it is missing.
    pub(crate) fn open_lock(&self, name: &str) -> Result<(OwnedFd, PathBuf), Report> {
        let (name, path) = self.entry(name)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match self.open_file(name, &path, flags, Mode::RUSR | Mode::WUSR)? {
            Some(file) => Ok((file, path)),
            None => Err(io(&path, "create", &Errno::NOENT)),
        }
    }

    fn open_file(&self, name: &OsStr, path: &Path, flags: OFlags, mode: Mode) -> Result<Option<OwnedFd>, Report> {
        let file = match rustix::fs::openat(&self.directory, name, flags, mode) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(refused(self.directory.as_fd(), name, path, Kind::File, error)),
        };
        let stat = rustix::fs::fstat(&file).map_err(|error| io(path, "read the attributes of", &error))?;
        judge(path, Kind::File, &stat)?;
        Ok(Some(file))
    }

    fn at(above: BorrowedFd<'_>, name: &OsStr, path: PathBuf) -> Result<Self, Report> {
        let directory = rustix::fs::openat(above, name, DIRECTORY, Mode::empty())
            .map_err(|error| refused(above, name, &path, Kind::Directory, error))?;
        let stat = rustix::fs::fstat(&directory).map_err(|error| io(&path, "read the attributes of", &error))?;
        judge(&path, Kind::Directory, &stat)?;
        Ok(Self { directory, path })
    }

    /// The name of an entry and its path; a name that leads elsewhere is refused.
    fn entry<'a>(&self, name: &'a str) -> Result<(&'a OsStr, PathBuf), Report> {
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(only)), None) => Ok((only, self.path.join(only))),
            _ => Err(io(&self.path.join(name), "use", &"this is not the name of an entry")),
        }
    }
}

/// Why an entry could not be opened: its kind if that is the reason, else what the system said.
fn refused(above: BorrowedFd<'_>, name: &OsStr, path: &Path, expected: Kind, error: Errno) -> Report {
    let found = rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW);
    match found.map(|stat| judge(path, expected, &stat)) {
        Ok(Err(report)) => report,
        _ => io(path, "open", &error),
    }
}

pub(crate) fn judge(path: &Path, expected: Kind, stat: &Stat) -> Result<(), Report> {
    judge_private(&path.to_string_lossy(), expected, &metadata(stat), rustix::process::geteuid().as_raw())
}

fn judge_ancestors(parent: &Path, findings: &mut Findings) -> Result<(), Report> {
    let caller = rustix::process::geteuid().as_raw();
    for directory in parent.ancestors() {
        let stat = rustix::fs::statat(CWD, directory, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|error| io(directory, "read the attributes of", &error))?;
        if let Err(report) = judge_ancestor(&directory.to_string_lossy(), &metadata(&stat), caller) {
            findings.extend(report);
        }
    }
    Ok(())
}

pub(crate) fn metadata(stat: &Stat) -> Metadata {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    Metadata { kind, mode: stat.st_mode & 0o7777, owner: stat.st_uid }
}

/// Makes one directory, 0700 whatever the umask; one that is there is left for the judgement that follows.
fn make(above: BorrowedFd<'_>, name: &Path, path: &Path) -> Result<(), Report> {
    match rustix::fs::mkdirat(above, name, Mode::RWXU) {
        Ok(()) => {}
        Err(Errno::EXIST) => return Ok(()),
        Err(error) => return Err(io(path, "create", &error)),
    }
    let directory = rustix::fs::openat(above, name, DIRECTORY, Mode::empty()).map_err(|e| io(path, "open", &e))?;
    rustix::fs::fchmod(&directory, Mode::RWXU).map_err(|error| io(path, "set the mode of", &error))?;
    let parent = rustix::fs::openat(&directory, "..", DIRECTORY, Mode::empty());
    parent.and_then(rustix::fs::fsync).map_err(|error| io(path, "sync the directory of", &error))
}
