//! What the system refuses to do with a file.

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};

/// Why the system refuses, as far as it decides what helps.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reason {
    /// The caller may not.
    Permission,
    /// The file, or a directory on the way to it, is not there.
    Missing,
    /// No room is left: on the file system, or within the caller's quota or limit of file sizes.
    Full,
    /// The file system is mounted to be read only.
    ReadOnly,
    /// Too many files are open: in this process or on the machine.
    TooManyOpen,
    /// The device or the server of the file system fails.
    Device,
    /// A part of the path that should be a directory is none.
    NotADirectory,
    /// What stands there is not what the operation is for.
    Unfit,
    /// Anything else.
    Other,
}

impl Reason {
    const fn help(self) -> &'static str {
        match self {
            Self::Permission => {
                "see who may: `namei -l PATH` shows the rights of each part; run this as the user whose file it is"
            }
            Self::Missing => "put it there, or name another path",
            Self::Full => {
                "make room on that file system (`df -h PATH`, `df -i PATH`), or see `ulimit -f` and the quota; then run it again"
            }
            Self::ReadOnly => "mount that file system for writing (`findmnt -T PATH`), or name a path on another one",
            Self::TooManyOpen => "close other programs, or raise `ulimit -n`; then run it again",
            Self::Device => "see what the kernel says (`dmesg`): the device or the server of that file system fails",
            Self::NotADirectory => "a part of the path is a file: name another path, or move that file away",
            Self::Unfit => "name another path, or move away what stands there",
            Self::Other => "see what the system says of it, and run it again",
        }
    }
}

/// The refusal of an operation (`open`, `rename`) by the system, `file/io`, with what it said.
pub fn refusal(path: &str, operation: &str, said: &str, reason: Reason) -> Report {
    Diagnostic::error(codes::IO, format!("cannot {operation}: {said}"))
        .at(Place::named(path), "")
        .help(reason.help())
        .into()
}
