//! Documents that are judged together: a fixture is a folder, and all its files are given at once.

use pharos_core::diagnostic::{Report, Source};
use pharos_core::site;

use crate::rejected::Fixture;

/// The report on every file of the fixture's folder.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let mut files: Vec<_> = std::fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let sources: Vec<_> = files
        .iter()
        .map(|file| {
            Source::public(&file.file_name().unwrap().to_string_lossy(), &std::fs::read_to_string(file).unwrap())
        })
        .collect();
    site::check(&sources)
}
