//! A file of ours: what it says, where it lies and how it is recognised.

use sha2::{Digest, Sha256};

use crate::edge::nginx::{Directive, print_to};

/// Where the HTTPS listener lies.
pub const HTTPS_FILE: &str = "/etc/nginx/conf.d/pharos-platform-https.conf";

/// Where the challenge listener on port 80 lies.
pub const HTTP_FILE: &str = "/etc/nginx/conf.d/pharos-platform-http.conf";

/// The digits of a fingerprint.
const DIGITS: usize = 64;

const MARK: &str = "# pharos-fingerprint: sha256:";

/// A file for nginx's `http` block, ready to be written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConfigFile {
    path: &'static str,
    directives: Vec<Directive>,
}

impl ConfigFile {
    pub(super) fn new(path: &'static str, directives: Vec<Directive>) -> Self {
        Self { path, directives }
    }

    /// Its absolute path on the host.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// What it says.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }

    /// Its text: two lines of comment, the first of them the fingerprint of all that follows it, then the directives.
    pub fn text(&self) -> String {
        let mut text = format!("{MARK}{}\n", "0".repeat(DIGITS));
        let start = text.len();
        text.push_str("# Written by pharos and replaced as a whole: change the policy, not this file.\n\n");
        print_to(&mut text, &self.directives);
        // In its place: the text is long, and copied nowhere.
        let fingerprint = text.get(start..).map(hex).unwrap_or_default();
        text.replace_range(MARK.len()..start - 1, &fingerprint);
        text
    }
}

/// What the first line of a file says about who wrote it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Authorship {
    /// We did, and it is as we wrote it.
    Intact,
    /// We did, and it was changed since.
    Changed,
    /// Somebody else did: it is never overwritten or removed.
    Foreign,
}

/// Who wrote a file of this text.
///
/// ```
/// use pharos_core::edge::render::{Authorship, authorship};
/// assert_eq!(authorship("server { listen 80; }\n"), Authorship::Foreign);
/// ```
pub fn authorship(text: &str) -> Authorship {
    match text.strip_prefix(MARK).and_then(|rest| rest.split_once('\n')) {
        None => Authorship::Foreign,
        Some((fingerprint, body)) if fingerprint == hex(body) => Authorship::Intact,
        Some(_) => Authorship::Changed,
    }
}

fn hex(text: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(text.as_bytes()).iter().fold(String::with_capacity(DIGITS), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::{Authorship, ConfigFile, HTTP_FILE, authorship};
    use crate::edge::render::build::directive;

    #[test]
    fn a_changed_file_is_known() {
        let text = ConfigFile::new(HTTP_FILE, vec![directive!("server_tokens", "off")]).text();
        assert!(text.ends_with("\nserver_tokens off;\n"), "{text}");
        assert_eq!(authorship(&text), Authorship::Intact);
        assert_eq!(authorship(&text.replace("off", "on")), Authorship::Changed);
        assert_eq!(authorship(text.split_once('\n').unwrap().1), Authorship::Foreign);
    }
}
