//! The system's refusals as reports.

use std::path::Path;

use pharos_core::diagnostic::Report;
use pharos_core::file::{Reason, system_refusal};
use rustix::io::Errno;

/// What a refusal comes from: the system's word for it, and why.
pub(crate) trait Cause {
    /// What was said.
    fn said(&self) -> String;
    /// Why.
    fn reason(&self) -> Reason;
}

impl Cause for Errno {
    fn said(&self) -> String {
        self.to_string()
    }

    fn reason(&self) -> Reason {
        match *self {
            Self::ACCESS | Self::PERM => Reason::Permission,
            Self::NOENT => Reason::Missing,
            Self::NOSPC | Self::DQUOT | Self::FBIG => Reason::Full,
            Self::ROFS => Reason::ReadOnly,
            Self::MFILE | Self::NFILE => Reason::TooManyOpen,
            Self::IO | Self::STALE | Self::NODEV | Self::NXIO => Reason::Device,
            Self::NOTDIR => Reason::NotADirectory,
            Self::EXIST | Self::ISDIR | Self::NOTEMPTY => Reason::Unfit,
            _ => Reason::Other,
        }
    }
}

impl Cause for std::io::Error {
    fn said(&self) -> String {
        self.to_string()
    }

    fn reason(&self) -> Reason {
        self.raw_os_error().map_or(Reason::Other, reason_of)
    }
}

impl Cause for serde_json::Error {
    fn said(&self) -> String {
        self.to_string()
    }

    fn reason(&self) -> Reason {
        Reason::Other
    }
}

/// Words of our own: what stands there does not fit.
impl Cause for &str {
    fn said(&self) -> String {
        (*self).to_owned()
    }

    fn reason(&self) -> Reason {
        Reason::Unfit
    }
}

/// Why the system refuses, by its number for it.
pub fn reason_of(number: i32) -> Reason {
    Errno::from_raw_os_error(number).reason()
}

/// The report of an operation (`open`, `rename`) that the system refused: `file/io`.
pub(crate) fn io(path: &Path, operation: &str, cause: &impl Cause) -> Report {
    system_refusal(&path.to_string_lossy(), operation, &cause.said(), cause.reason())
}
