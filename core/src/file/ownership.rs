//! What a private file and the directories above it must be.

use std::borrow::Cow;
use std::path::{Component, Path};

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
            .help(format!(
                "{}; whoever may change a link decides what is read through it",
                in_place_of_a_link(path, expected)
            ));
        return Err(diagnostic.into());
    }
    if found.kind != expected {
        let message = format!("{} is expected here, this is {}", expected.words(), found.kind.words());
        // Owner and mode of what should not be here are of no interest.
        return Err(Diagnostic::error(codes::KIND, message)
            .at(place(), "")
            .help("move it away, or name another place")
            .into());
    }
    if found.owner != caller {
        findings.push(
            Diagnostic::error(
                codes::OWNER,
                format!("this is owned by user {}, not by user {caller} who runs this", found.owner),
            )
            .at(place(), "")
            .help(if of_the_system(path) {
                KEPT_ELSEWHERE.to_owned()
            } else {
                format!("as root: `chown {caller} {}`, after a look at what it holds", quoted(path))
            }),
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
            .help(if of_the_system(path) {
                KEPT_ELSEWHERE.to_owned()
            } else {
                format!("`chmod {right} {}`, and replace any secret that it holds", quoted(path))
            }),
        );
    }
    findings.conclude(()).map(drop)
}

/// Judges a file or directory that everybody may read and the caller alone may change: it is what is expected and no link, it is the
/// caller's, and neither group nor others may write to it. Every fault is reported: `file/link`, `file/kind`, `file/owner`, `file/mode`.
pub fn judge_guarded(path: &str, expected: Kind, found: &Metadata, caller: u32) -> Result<(), Report> {
    let mut findings = Findings::new();
    // All faults of a private one but for who may read it.
    let unread = Metadata { mode: found.mode & !0o077, ..*found };
    findings.extend(judge_private(path, expected, &unread, caller).err().unwrap_or_default());
    if found.kind == expected && found.mode & 0o022 != 0 {
        let right = if expected == Kind::Directory { "0755" } else { "0644" };
        findings.push(
            Diagnostic::error(codes::MODE, format!("mode {:04o} lets other users change it", found.mode))
                .at(Place::named(path), "")
                .help(format!("`chmod {right} {}`, after a look at what it holds", quoted(path))),
        );
    }
    findings.conclude(()).map(drop)
}

/// Judges a directory above the private root as OpenSSH's `StrictModes` does: it is owned by root or the caller, and neither
/// group nor others may write to it. The fault is `file/ancestor`.
pub fn judge_ancestor(path: &str, found: &Metadata, caller: u32) -> Result<(), Report> {
    let (why, command) = if found.kind != Kind::Directory {
        return Err(Diagnostic::error(codes::ANCESTOR, format!("this is {}, not a directory", found.kind.words()))
            .at(Place::named(path), "")
            .help("name a path that leads through directories alone, as `realpath` prints it")
            .into());
    } else if found.owner != 0 && found.owner != caller {
        let why =
            format!("this directory is owned by user {}, neither root nor user {caller} who runs this", found.owner);
        (why, format!("chown {caller}"))
    } else if found.mode & 0o022 != 0 {
        let why = format!("mode {:04o} lets other users replace what lies below", found.mode);
        (why, "chmod go-w".to_owned())
    } else {
        return Ok(());
    };
    let help = if found.mode & STICKY != 0 || of_the_system(path) {
        KEPT_ELSEWHERE.to_owned()
    } else {
        let root = if found.owner == caller { "" } else { "as root: " };
        format!("{root}`{command} {}`, or keep what is private below a directory of your own", quoted(path))
    };
    Err(Diagnostic::error(codes::ANCESTOR, why).at(Place::named(path), "").help(help).into())
}

/// A path as a shell takes it for one word.
pub(crate) fn quoted(path: &str) -> Cow<'_, str> {
    // Only a NUL cannot be quoted, and no path has one.
    shlex::try_quote(path).unwrap_or(Cow::Borrowed(path))
}

/// How what is expected comes to stand in the place of a link.
fn in_place_of_a_link(path: &str, expected: Kind) -> String {
    let path = quoted(path);
    if expected == Kind::Directory {
        format!("`rm {path} && mkdir -m 0700 {path}`, and move into it what belongs there")
    } else {
        format!(
            "`cp --remove-destination \"$(realpath {path})\" {path} && chmod 0600 {path}` puts the file itself here"
        )
    }
}

/// Set on directories that all users share.
const STICKY: u32 = 0o1000;

/// The remedy where a change of rights would harm the machine.
const KEPT_ELSEWHERE: &str = "leave it as it is, and keep what is private below a directory of your own";

/// Whether a path is one that the machine needs as it is: what lies at the root or directly below it, save root's home, and all
/// of the folders that belong to the system alone.
fn of_the_system(path: &str) -> bool {
    const WHOLE: [&str; 8] = ["bin", "boot", "dev", "etc", "proc", "sbin", "sys", "usr"];
    let mut below_root = false;
    let mut names = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::RootDir => below_root = true,
            Component::Normal(name) => names.push(name.to_string_lossy()),
            _ => {}
        }
    }
    let Some(first) = names.first() else { return below_root };
    let shared = names.len() == 1 && first != "root" || names.len() == 2 && first == "var";
    below_root && (shared || WHOLE.contains(&first.as_ref()) || first.starts_with("lib"))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Metadata, codes, judge_ancestor, judge_guarded, judge_private, of_the_system};
    use crate::diagnostic::{Code, Report};

    fn codes_of(result: Result<(), Report>) -> Vec<Code> {
        result.err().map_or_else(Vec::new, |report| report.diagnostics().iter().map(|d| d.code).collect())
    }

    #[test]
    fn guarded_is_changed_by_the_caller_alone() {
        let judge =
            |kind, mode, owner| codes_of(judge_guarded("/opt/x/file", Kind::File, &Metadata { kind, mode, owner }, 0));
        assert!(judge(Kind::File, 0o644, 0).is_empty());
        assert_eq!(judge(Kind::File, 0o664, 0), [codes::MODE]);
        assert_eq!(judge(Kind::File, 0o646, 7), [codes::MODE, codes::OWNER]);
        assert_eq!(judge(Kind::Link, 0o777, 7), [codes::LINK]);
        assert_eq!(judge(Kind::Directory, 0o755, 0), [codes::KIND]);
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
        assert_eq!(judge(Kind::File, Kind::Directory, 0o755, 7), [codes::KIND]);
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

    /// Every remedy that is a command can be typed as it is printed, whatever the path.
    #[test]
    fn commands_take_any_path() {
        let help = |result: Result<(), Report>| result.unwrap_err().diagnostics()[0].help.clone().unwrap();
        let found = |kind, mode, owner| Metadata { kind, mode, owner };
        let path = "/srv/my site/it's";
        let word = r#""/srv/my site/it's""#;
        let private = |found| help(judge_private(path, Kind::File, &found, 1000));
        assert!(private(found(Kind::File, 0o640, 1000)).contains(&format!("`chmod 0600 {word}`")));
        assert!(private(found(Kind::File, 0o600, 0)).contains(&format!("`chown 1000 {word}`")));
        assert!(private(found(Kind::Link, 0o777, 1000)).contains(&format!("\"$(realpath {word})\" {word}")));
        let directory = help(judge_private(path, Kind::Directory, &found(Kind::Link, 0o777, 1000), 1000));
        assert!(directory.contains(&format!("`rm {word} && mkdir -m 0700 {word}`")), "{directory}");
        let ancestor = |mode, owner| help(judge_ancestor(path, &found(Kind::Directory, mode, owner), 1000));
        assert!(ancestor(0o775, 1000).starts_with(&format!("`chmod go-w {word}`")));
        assert!(ancestor(0o775, 0).starts_with(&format!("as root: `chmod go-w {word}`")));
        assert!(ancestor(0o755, 7).starts_with(&format!("as root: `chown 1000 {word}`")));
        assert!(!ancestor(0o1777, 0).contains("chmod"));
    }

    #[test]
    fn no_remedy_changes_the_rights_of_the_system() {
        for path in
            ["/", "/etc", "/etc/kubernetes-x/admin.conf", "/dev", "/tmp", "/var/lib", "/usr/local/share", "/lib64"]
        {
            assert!(of_the_system(path), "{path}");
        }
        for path in ["/root", "/data/o/etc", "/srv/private", "/var/lib/pharos", "/run/user/1000/p", "tmp", ""] {
            assert!(!of_the_system(path), "{path}");
        }
    }
}
