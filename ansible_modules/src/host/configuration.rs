//! The files of an nginx configuration.

use std::path::Path;

use pharos_core::diagnostic::Report;
use pharos_core::edge::nginx::{Files, glob};

/// Reads the configuration with this root: the file, and whatever it includes.
pub(crate) fn read(root: &str) -> Result<Files, Report> {
    let mut files = Files::new();
    loop {
        let wanted = files.wanted(root);
        if wanted.is_empty() {
            return Ok(files);
        }
        for pattern in wanted {
            for path in expand(&pattern) {
                // What nginx thinks of one that is not there, it says itself.
                if let Some(bytes) = crate::files::read_if_there(Path::new(&path))? {
                    files.insert(&path, &bytes);
                }
            }
            files.answer(&pattern);
        }
    }
}

/// The paths that a pattern finds; a path that is no pattern finds itself.
fn expand(pattern: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for part in pattern.split('/').skip(1) {
        let longer = |folder: String| -> Vec<String> {
            let joined = format!("{folder}/{part}");
            if !glob::is_pattern(part) {
                return vec![joined];
            }
            let folder_path = if folder.is_empty() { "/" } else { &folder };
            let entries = std::fs::read_dir(folder_path).into_iter().flatten().flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            names.map(|name| format!("{folder}/{name}")).filter(|path| glob::matches(&joined, path)).collect()
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found.retain(|path| !glob::is_pattern(pattern) || Path::new(path).is_file());
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn includes_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("nginx.conf");
        for (name, text) in [
            ("nginx.conf", "http { include conf.d/*.conf; include */extra; include gone; }"),
            ("conf.d/a.conf", "include snippets/s;"),
            ("conf.d/.hidden.conf", "no;"),
            ("snippets/s", "s;"),
            ("more/extra", "e;"),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let files = read(root.to_str().unwrap()).unwrap();
        let base = folder.path().to_str().unwrap();
        let names: Vec<&str> = files.paths().map(|path| path.strip_prefix(base).unwrap()).collect();
        assert_eq!(names, ["/conf.d/a.conf", "/more/extra", "/nginx.conf", "/snippets/s"]);
    }
}
