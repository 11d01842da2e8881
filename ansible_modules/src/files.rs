//! Files of the host that a module looks at.

use std::io::{Error, ErrorKind, Read};
use std::path::Path;

use pharos_core::diagnostic::{Diagnostic, Place};
use pharos_core::module::codes;

/// Nothing that a module looks at is longer; what is, is cut off here and refused by the core, whose budgets are far smaller.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The content of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    content(path).map_err(|error| unreadable(path, &error))
}

/// The content of a file; `None` if it is not there.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    match content(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// The names in a folder, in order; none if it is not there.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, Diagnostic> {
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            let mut names: Vec<String> =
                entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort();
            Ok(names)
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(unreadable(folder, &error)),
    }
}

fn content(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The report of a file that cannot be read, or be made.
pub(crate) fn unreadable(path: &Path, error: &Error) -> Diagnostic {
    let name = path.display().to_string();
    Diagnostic::error(codes::UNREADABLE_FILE, format!("`{name}` cannot be read: {error}"))
        .at(Place::named(&name), "")
        .help("correct the path, or read it as root (`become: true`)")
}
