//! Directories that everybody may read and the caller alone may change: 0755, with files of 0644.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

use pharos_core::diagnostic::Report;
use pharos_core::file::{Kind, judge_ancestor, judge_guarded};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::error::io;
use crate::file::{Attributes, remove_at, replace_at};
use crate::private::metadata;

/// An open guarded directory: it was judged when it was opened, with all above it, and everything in it is opened relative to it.
#[derive(Debug)]
pub struct GuardedDir {
    directory: OwnedFd,
    path: PathBuf,
}

impl GuardedDir {
    /// Opens the directory at `path`; `None` if there is none.
    pub fn open(path: &Path) -> Result<Option<Self>, Report> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let caller = rustix::process::geteuid().as_raw();
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            match rustix::fs::statat(CWD, above, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => judge_ancestor(&above.to_string_lossy(), &metadata(&stat), caller)?,
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(io(above, "read the attributes of", &error)),
            }
        }
        match rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => judge(path, Kind::Directory, &stat)?,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(io(path, "read the attributes of", &error)),
        }
        let directory =
            rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(|error| io(path, "open", &error))?;
        let stat = rustix::fs::fstat(&directory).map_err(|error| io(path, "read the attributes of", &error))?;
        judge(path, Kind::Directory, &stat)?;
        Ok(Some(Self { directory, path: path.to_owned() }))
    }

    /// Opens the directory at `path`; what is missing of it is made, 0755.
    pub fn create(path: &Path) -> Result<Self, Report> {
        let made = std::fs::DirBuilder::new().mode(0o755).recursive(true).create(path);
        made.map_err(|error| io(path, "create", &error))?;
        Self::open(path)?.ok_or_else(|| io(path, "open", &Errno::NOENT))
    }

    /// The names of what is in it, in order; names that begin with a dot are left out.
    pub fn names(&self) -> Result<Vec<String>, Report> {
        let list = |error: Errno| io(&self.path, "list", &error);
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.directory).map_err(list)? {
            let name = entry.map_err(list)?.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// The content of the file `name`, its first `most` bytes; `None` if there is none.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Report> {
        let (name, path) = self.entry(name)?;
        let stat = match rustix::fs::statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(io(&path, "read the attributes of", &error)),
        };
        judge(&path, Kind::File, &stat)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.directory, name, flags, Mode::empty())
            .map_err(|error| io(&path, "open", &error))?;
        let stat = rustix::fs::fstat(&file).map_err(|error| io(&path, "read the attributes of", &error))?;
        judge(&path, Kind::File, &stat)?;
        let mut content = Vec::new();
        let read = std::fs::File::from(file).take(most).read_to_end(&mut content);
        read.map_err(|error| io(&path, "read", &error))?;
        Ok(Some(content))
    }

    /// Replaces the file `name`, 0644 and the caller's, atomically.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), Report> {
        let (name, path) = self.entry(name)?;
        replace_at(self.directory.as_fd(), &path, name, content, Attributes { mode: 0o644, owner: None, force: true })
    }

    /// Removes the file `name` and syncs the directory. One that is not there is no fault.
    pub fn remove(&self, name: &str) -> Result<(), Report> {
        let (name, path) = self.entry(name)?;
        remove_at(self.directory.as_fd(), &path, name)
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

fn judge(path: &Path, expected: Kind, stat: &Stat) -> Result<(), Report> {
    judge_guarded(&path.to_string_lossy(), expected, &metadata(stat), rustix::process::geteuid().as_raw())
}
