//! What a private file and the directories above it must be.

use super::codes;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// What a directory entry is, links not followed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Other,
}

impl Kind {
    /// The word with its article, for messages.
    pub const fn words(self) -> &'static str {
        match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Other => "a device, socket or pipe",
        }
    }
}

/// What was observed of a directory entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// Its permission bits, 0-0o7777.
    pub mode: u32,
    /// The user id of its owner.
    pub owner: u32,
}

/// Judges a private file or directory: it is what is expected and no link, it is the caller's, and neither group nor others
/// may use it. Every fault is reported: `file/link`, `file/kind`, `file/owner`, `file/mode`.
pub fn judge_private(path: &str, expected: Kind, found: &Metadata, caller: u32) -> Result<(), Report> {
    let mut findings = Findings::new();
    let place = || Place::named(path);
    if found.kind == Kind::Link {
        let diagnostic = Diagnostic::error(codes::LINK, format!("{} is expected here, not a link", expected.words()))
            .at(place(), "")
            .help("put the file or directory itself here; whoever may change a link decides what is read through it");
        return Err(diagnostic.into());
    }
    if found.kind != expected {
        let message = format!("{} is expected here, this is {}", expected.words(), found.kind.words());
        findings.push(Diagnostic::error(codes::KIND, message).at(place(), "").help("move it away"));
    }
    if found.owner != caller {
        findings.push(
            Diagnostic::error(
                codes::OWNER,
                format!("this is owned by user {}, not by user {caller} who runs this", found.owner),
            )
            .at(place(), "")
            .help(format!("as root: `chown {caller} {path}`, after a look at what it holds")),
        );
    }
    if found.mode & 0o077 != 0 {
        let right = if expected == Kind::Directory { "0700" } else { "0600" };
        findings.push(
            Diagnostic::error(
                codes::MODE,
                format!("mode {:04o} lets other users in; private files are 0600, directories 0700", found.mode),
            )
            .at(place(), "")
            .help(format!("`chmod {right} {path}`, and replace any secret that it holds")),
        );
    }
    findings.conclude(()).map(drop)
}

/// Judges a directory above the private root as OpenSSH's `StrictModes` does: it is owned by root or the caller, and neither
/// group nor others may write to it. The fault is `file/ancestor`.
pub fn judge_ancestor(path: &str, found: &Metadata, caller: u32) -> Result<(), Report> {
    let why = if found.kind != Kind::Directory {
        format!("this is {}, not a directory", found.kind.words())
    } else if found.owner != 0 && found.owner != caller {
        format!("this directory is owned by user {}, neither root nor user {caller} who runs this", found.owner)
    } else if found.mode & 0o022 != 0 {
        format!("mode {:04o} lets other users replace what lies below", found.mode)
    } else {
        return Ok(());
    };
    let help = format!("give it to root or to user {caller} and take the right to write from group and others");
    Err(Diagnostic::error(codes::ANCESTOR, why).at(Place::named(path), "").help(help).into())
}

#[cfg(test)]
mod tests {
    use super::{Kind, Metadata, codes, judge_ancestor, judge_private};
    use crate::diagnostic::{Code, Report};

    fn codes_of(result: Result<(), Report>) -> Vec<Code> {
        result.err().map_or_else(Vec::new, |report| report.diagnostics().iter().map(|d| d.code).collect())
    }

    #[test]
    fn private_is_the_callers_alone() {
        let judge = |expected, kind, mode, owner| {
            codes_of(judge_private("/p/f", expected, &Metadata { kind, mode, owner }, 1000))
        };
        assert_eq!(judge(Kind::File, Kind::File, 0o600, 1000), []);
        assert_eq!(judge(Kind::File, Kind::File, 0o400, 1000), []);
        assert_eq!(judge(Kind::Directory, Kind::Directory, 0o700, 1000), []);
        assert_eq!(judge(Kind::File, Kind::File, 0o640, 1000), [codes::MODE]);
        assert_eq!(judge(Kind::File, Kind::File, 0o602, 0), [codes::MODE, codes::OWNER]);
        assert_eq!(judge(Kind::File, Kind::Directory, 0o700, 1000), [codes::KIND]);
        assert_eq!(judge(Kind::File, Kind::Link, 0o777, 7), [codes::LINK]);
    }

    #[test]
    fn ancestors_are_as_openssh_wants_them() {
        let judge = |kind, mode, owner| codes_of(judge_ancestor("/p", &Metadata { kind, mode, owner }, 1000));
        assert_eq!(judge(Kind::Directory, 0o755, 0), []);
        assert_eq!(judge(Kind::Directory, 0o711, 1000), []);
        assert_eq!(judge(Kind::Directory, 0o755, 7), [codes::ANCESTOR]);
        assert_eq!(judge(Kind::Directory, 0o1777, 0), [codes::ANCESTOR]);
        assert_eq!(judge(Kind::Directory, 0o775, 0), [codes::ANCESTOR]);
        assert_eq!(judge(Kind::File, 0o600, 0), [codes::ANCESTOR]);
    }
}
