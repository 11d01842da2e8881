//! Locks between processes of one machine, with a record of who holds them.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use pharos_core::diagnostic::Report;
use pharos_core::file::{Holder, lock_refusal};
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::error::io;
use crate::private::PrivateDir;

/// A lock that is held until the value is dropped or the process ends, however it ends.
///
/// The descriptor is closed on exec: a child that outlives a killed holder does not keep the lock.
#[derive(Debug)]
pub struct Lock {
    file: OwnedFd,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock `name` in a private directory, or says at once who holds it (`file/lock-held`). It is never broken by age.
    pub fn take(directory: &PrivateDir, name: &str, holder: &Holder) -> Result<Self, Report> {
        let (file, path) = directory.open_lock(name)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(lock_refusal(&path.to_string_lossy(), &record(&file))),
            Err(error) => return Err(io(&path, "lock", &error)),
        }
        let lock = Self { file, path };
        lock.say(holder)?;
        Ok(lock)
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn say(&self, holder: &Holder) -> Result<(), Report> {
        let mut text = serde_json::to_string(holder).map_err(|error| io(&self.path, "write", &error))?;
        text.push('\n');
        rustix::fs::ftruncate(&self.file, 0).map_err(|error| io(&self.path, "write", &error))?;
        let mut rest = text.as_bytes();
        let mut at = 0;
        while !rest.is_empty() {
            let written = rustix::io::pwrite(&self.file, rest, at).map_err(|error| io(&self.path, "write", &error))?;
            rest = rest.get(written..).unwrap_or_default();
            at += written as u64;
        }
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // No record without a holder; and an explicit unlock, for a child between fork and exec still shares the descriptor.
        let _ = rustix::fs::ftruncate(&self.file, 0);
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

/// What the holder wrote; empty if it cannot be read.
fn record(file: &impl AsFd) -> String {
    let mut buffer = vec![0; 4096];
    let read = rustix::io::pread(file, &mut buffer, 0).unwrap_or(0);
    buffer.truncate(read);
    String::from_utf8_lossy(&buffer).into_owned()
}
