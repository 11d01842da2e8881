//! What the system refuses to do with a file.

use serde::Deserialize;

use super::codes;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// Why the system refuses, as far as it decides what helps.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
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
    /// A pipe, a socket or a device where a file is read.
    NotRegular,
    /// A folder that stands for the documents below it, and there are none.
    NoDocuments,
    /// A folder that stands for the sources of an inventory in it, and there are none.
    NoSources,
    /// A folder that should be a chart, and is none.
    NoChart,
    /// The directory that a command runs in is gone.
    Removed,
    /// Bytes that are no text.
    NotText,
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
            Self::NotRegular => "name a regular file; what a program writes is kept in one first",
            Self::NoDocuments => "name the files themselves, or a folder with `*.yaml` or `*.yml` files",
            Self::NoSources => "put a source of the inventory into it (`hosts.yml`), or name another one",
            Self::NoChart => "name the folder that holds the chart's `Chart.yaml`",
            Self::Removed => "go to another directory",
            Self::NotText => "save it as UTF-8",
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

/// What could not be done with one of the files that a command was given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// The file, as it was named.
    pub path: String,
    /// What was to be done: `read`, `write`.
    pub operation: String,
    /// What the system said.
    pub said: String,
    /// The system's number for it.
    pub number: Option<i32>,
    /// Why, where the system has no number for it.
    pub reason: Option<Reason>,
}

/// The refusals of all the files of a command as one report; `of_number` is why the system refuses, by its number for it.
pub fn refusals(refused: &[Refused], of_number: impl Fn(i32) -> Reason) -> Report {
    let mut findings = Findings::new();
    for Refused { path, operation, said, number, reason } in refused {
        let reason = reason.or(number.map(&of_number)).unwrap_or(Reason::Other);
        findings.extend(refusal(path, operation, said, reason));
    }
    findings.into_report()
}
