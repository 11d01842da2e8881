//! What Helm says of a release.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::codes;
use crate::diagnostic::{Diagnostic, Place};

/// The answer of a command: its exit status and what it wrote.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Its exit status.
    pub rc: i32,
    /// What it answered.
    #[serde(default)]
    #[schemars(extend("x-no-log" = true))]
    pub stdout: String,
    /// What it complained about.
    #[serde(default)]
    pub stderr: String,
    /// What Ansible says of it, where it could not be started at all.
    #[serde(default)]
    pub msg: String,
}

impl Said {
    /// What it complained about, on one line and not too long: whole words from the first on, which say what was refused.
    pub(crate) fn words(&self) -> String {
        const LONGEST: usize = 1000;
        let told = match self.stderr.trim() {
            // Ansible keeps the reason to itself, and gives the number of the system's error as the exit status.
            "" if self.msg.trim() == "Error executing command." => match self.rc {
                2 => "the program was not found",
                13 => "the program may not be executed",
                _ => "the program could not be started",
            },
            "" => self.msg.as_str(),
            _ => self.stderr.as_str(),
        };
        // What a client library notes of each attempt says less than the line that follows.
        let lines = || told.lines().filter(|line| !line.trim().is_empty());
        let spoken: Vec<&str> =
            if lines().all(is_noted) { lines().collect() } else { lines().filter(|line| !is_noted(line)).collect() };
        let mut words = String::new();
        for word in spoken.iter().flat_map(|line| line.split(|c: char| c.is_whitespace() || c.is_control())) {
            if words.len() + word.len() > LONGEST {
                words.push_str(" ...");
                break;
            }
            if !words.is_empty() && !word.is_empty() {
                words.push(' ');
            }
            words.push_str(word);
        }
        if words.is_empty() { "it does not say why".to_owned() } else { words }
    }
}

/// Whether a line is a note of Go's `klog`: `E1201 05:38:44.000000  123 memcache.go:265] ...`.
fn is_noted(line: &str) -> bool {
    let mut characters = line.chars();
    characters.next().is_some_and(|level| "IWEF".contains(level))
        && characters.by_ref().take(4).filter(char::is_ascii_digit).count() == 4
        && characters.next() == Some(' ')
}

/// The state of a revision, in Helm's words.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It stands.
    Deployed,
    /// It stood, and a later one took its place.
    Superseded,
    /// It did not become what it was to be.
    Failed,
    /// The first revision is being installed, or was when Helm ended.
    PendingInstall,
    /// A later revision is being installed, or was when Helm ended.
    PendingUpgrade,
    /// A former revision is being brought back, or was when Helm ended.
    PendingRollback,
    /// The release is being removed, or was when Helm ended.
    Uninstalling,
    /// It was removed, and its history kept.
    Uninstalled,
}

impl State {
    /// Helm's word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deployed => "deployed",
            Self::Superseded => "superseded",
            Self::Failed => "failed",
            Self::PendingInstall => "pending-install",
            Self::PendingUpgrade => "pending-upgrade",
            Self::PendingRollback => "pending-rollback",
            Self::Uninstalling => "uninstalling",
            Self::Uninstalled => "uninstalled",
        }
    }
}

/// A revision of a release: what of `helm history --output=json` is looked at.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Revision {
    /// Its number.
    pub revision: u32,
    /// Its state.
    pub status: State,
    /// Its chart with version: `istiod-1.31.4`.
    pub chart: String,
}

/// The revisions of a release in their order; none if there is no such release.
///
/// # Errors
/// `release/unreadable`
pub(super) fn history(release: &str, said: &Said) -> Result<Vec<Revision>, Diagnostic> {
    // Helm has no other sign for a release that is not there.
    if said.rc != 0 && said.stderr.trim_end().ends_with("release: not found") {
        return Ok(Vec::new());
    }
    let mut revisions: Vec<Revision> = read(release, "history", said)?;
    revisions.sort_by_key(|revision| revision.revision);
    Ok(revisions)
}

/// The values that the last revision was given; an object also where there were none.
///
/// # Errors
/// `release/unreadable`
pub(super) fn values(release: &str, said: &Said) -> Result<Value, Diagnostic> {
    let values: Value = read(release, "get values", said)?;
    Ok(if values.is_null() { Value::Object(serde_json::Map::new()) } else { values })
}

fn read<T: for<'de> Deserialize<'de>>(release: &str, command: &str, said: &Said) -> Result<T, Diagnostic> {
    let refuse = |message: String, help: &str| {
        Diagnostic::error(codes::UNREADABLE, message)
            .at(Place::named(&format!("release {release}")), "")
            .help(help.to_owned())
    };
    if said.rc != 0 {
        let message = format!("`helm {command}` of release `{release}` failed: {}", said.words());
        return Err(refuse(
            message,
            "mend what Helm complains about: its program, the kubeconfig, or the way to the API server",
        ));
    }
    // Never the words of the parser, which may quote the values.
    serde_json::from_str(&said.stdout).map_err(|_| {
        let message = format!("`helm {command}` of release `{release}` answers something that is not understood");
        refuse(message, "run the same by hand with `--output=json`; Helm 3.13 and later are understood")
    })
}

#[cfg(test)]
mod tests {
    use super::Said;

    #[test]
    fn the_first_words_of_a_complaint_are_kept_whole() {
        let words = |stderr: &str| Said { rc: 1, stderr: stderr.to_owned(), ..Said::default() }.words();
        let long = format!("Error: UPGRADE FAILED: the first refusal\n{}", "another one; ".repeat(200));
        let kept = words(&long);
        assert!(kept.starts_with("Error: UPGRADE FAILED: the first refusal another one;"), "{kept}");
        assert!(kept.ends_with(" one; ...") || kept.ends_with(" another ..."), "{kept}");
        assert!(kept.len() < 1010, "{}", kept.len());
        assert_eq!(words("E1201 05:38:44.0 1 memcache.go:265] a\nrefused\n"), "refused");
        assert_eq!(words("E1201 05:38:44.0 1 memcache.go:265] a\n"), "E1201 05:38:44.0 1 memcache.go:265] a");
        assert_eq!(words("E12 is no such note\n"), "E12 is no such note");
        let unstarted = |rc| Said { rc, msg: "Error executing command.".to_owned(), ..Said::default() }.words();
        assert_eq!(
            (unstarted(2).as_str(), unstarted(13).as_str()),
            ("the program was not found", "the program may not be executed")
        );
        assert_eq!(words(" \n"), "it does not say why");
    }
}
