//! The files of a configuration, as the caller read them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{glob, harmless};
use crate::diagnostic::{Findings, Source};

/// What `nginx -T` writes before each file.
const MARK: &str = "# configuration file ";

/// Paths with their text. A file that is not UTF-8 is read with replacement characters: nginx's syntax is ASCII.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: BTreeMap<Box<str>, Arc<Source>>,
    /// Patterns and paths that the caller has answered, found or not.
    answered: BTreeSet<Box<str>>,
}

impl Files {
    /// No file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file. Whoever wrote it, only its harmless lines are shown under a finding.
    pub fn insert(&mut self, path: &str, bytes: &[u8]) {
        let path = glob::normal(path);
        let source = Source::foreign(&path, &String::from_utf8_lossy(bytes), harmless::is_harmless);
        self.files.insert(path.into(), source);
    }

    /// Adds the files of another configuration, in the place of those of the same paths.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.answered.extend(other.answered);
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(glob::normal(path).as_str());
    }

    /// Notes that the caller has looked for this path or pattern and added what there is.
    pub fn answer(&mut self, wanted: &str) {
        self.answered.insert(wanted.into());
    }

    /// What `nginx -T` wrote, as its files and the path of the first one, which is the root; `None` if it is not such output.
    ///
    /// A line of a file that looks like a mark cannot be told from one; nginx writes an empty line before each.
    pub fn from_dump(bytes: &[u8]) -> Option<(Self, String)> {
        let text = String::from_utf8_lossy(bytes);
        let mut files = Self::new();
        let mut root = None;
        let mut current: Option<(String, String)> = None;
        let mut empty_before = true;
        for line in text.split_inclusive('\n') {
            let name = line.trim_end().strip_prefix(MARK).and_then(|rest| rest.strip_suffix(':'));
            match (name, &mut current) {
                (Some(name), _) if empty_before || root.is_none() => {
                    files.end_section(current.take());
                    root.get_or_insert_with(|| glob::normal(name));
                    current = Some((name.to_owned(), String::new()));
                }
                (_, Some((_, body))) => body.push_str(line),
                (_, None) => {}
            }
            empty_before = line.trim_end().is_empty();
        }
        files.end_section(current);
        root.map(|root| (files, root))
    }

    /// A file of the dump ends with the newline that nginx adds.
    fn end_section(&mut self, section: Option<(String, String)>) {
        if let Some((name, body)) = section {
            self.insert(&name, body.strip_suffix('\n').unwrap_or(&body).as_bytes());
        }
    }

    /// The file of this path.
    pub fn get(&self, path: &str) -> Option<&Arc<Source>> {
        self.files.get(glob::normal(path).as_str())
    }

    /// All paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(AsRef::as_ref)
    }

    /// The paths that a pattern finds, in the order in which nginx reads them: sorted by their bytes.
    pub fn matching(&self, pattern: &str) -> Vec<&str> {
        let pattern = glob::normal(pattern);
        self.paths().filter(|path| glob::matches(&pattern, path)).collect()
    }

    /// What a configuration with this root names and the caller has not answered yet: paths and glob patterns.
    ///
    /// Read them, [`insert`](Self::insert) what there is, [`answer`](Self::answer) each, and ask again until none is left.
    ///
    /// ```
    /// use pharos_core::edge::nginx::Files;
    ///
    /// let mut files = Files::new();
    /// files.insert("/etc/nginx/nginx.conf", b"http { include conf.d/*.conf; }");
    /// assert_eq!(files.wanted("/etc/nginx/nginx.conf"), ["/etc/nginx/conf.d/*.conf"]);
    /// files.insert("/etc/nginx/conf.d/a.conf", b"include mime.types;");
    /// files.answer("/etc/nginx/conf.d/*.conf");
    /// assert_eq!(files.wanted("/etc/nginx/nginx.conf"), ["/etc/nginx/mime.types"]);
    /// files.answer("/etc/nginx/mime.types");
    /// assert!(files.wanted("/etc/nginx/nginx.conf").is_empty());
    /// ```
    pub fn wanted(&self, root: &str) -> Vec<String> {
        let root = glob::normal(root);
        let mut wanted = BTreeSet::new();
        if !self.files.contains_key(root.as_str()) {
            wanted.insert(root.clone());
        }
        let configuration = super::Configuration::load(self, &root, &mut Findings::new());
        for include in &configuration.includes {
            if glob::is_pattern(&include.pattern) || include.files.is_empty() {
                wanted.insert(include.pattern.to_string());
            }
        }
        wanted.into_iter().filter(|name| !self.answered.contains(name.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Files;

    #[test]
    fn a_dump_is_its_files() {
        let dump = b"nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\n\
            # configuration file /etc/nginx/nginx.conf:\nuser a;\nevents {}\n\n\
            # configuration file /etc/nginx/conf.d/a.conf:\n# configuration file of ours:\nserver {}\n\n";
        let (files, root) = Files::from_dump(dump).unwrap();
        assert_eq!(root, "/etc/nginx/nginx.conf");
        assert_eq!(files.paths().collect::<Vec<_>>(), ["/etc/nginx/conf.d/a.conf", "/etc/nginx/nginx.conf"]);
        assert_eq!(files.get(&root).unwrap().text(), "user a;\nevents {}\n");
        assert!(Files::from_dump(b"user a;\n").is_none());
    }

    #[test]
    fn bytes_that_are_not_utf_8_stand() {
        let mut files = Files::new();
        files.insert("/a", b"# caf\xe9\nuser a;\n");
        assert!(files.get("/a").unwrap().text().contains("user a;"));
    }
}
