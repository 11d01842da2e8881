//! Files that are read though nobody means them, and files of ours that are not.

use super::{Ours, at, codes};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::nginx::{Configuration, glob};

/// How the names of copies end.
const ENDINGS: [&str; 17] = [
    "~",
    ".bak",
    ".backup",
    ".old",
    ".orig",
    ".save",
    ".sav",
    ".tmp",
    ".swp",
    ".disabled",
    ".off",
    ".rej",
    ".dpkg-old",
    ".dpkg-new",
    ".dpkg-dist",
    ".dpkg-tmp",
    ".rpmsave",
];

/// `edge/backup-file` and `edge/not-included`.
pub(super) fn judge(configuration: &Configuration, ours: &Ours, findings: &mut Findings) {
    for include in configuration.includes.iter().filter(|include| glob::is_pattern(&include.pattern)) {
        for file in include.files.iter().filter(|file| is_copy(file)) {
            let diagnostic =
                Diagnostic::warning(codes::BACKUP_FILE, format!("`{file}` looks like a copy, and nginx reads it"))
                    .at(Place::named(file), "");
            findings.push(at(diagnostic, include.place.as_ref(), "this pattern finds it").help(format!(
                "move the file out of `{}`, or let the pattern name an ending (`*.conf`)",
                glob::folder(&include.pattern)
            )));
        }
    }
    let read = configuration.files();
    for file in ours.files.iter().filter(|file| !read.contains(&glob::normal(file).as_str())) {
        let reached = super::view::Facts::of(configuration).would_read(&glob::normal(file));
        if !reached {
            findings.push(
                Diagnostic::error(codes::NOT_INCLUDED, format!("nginx does not read `{file}`"))
                    .at(Place::named(&configuration.root), "no include in its `http` block finds the file")
                    .help(format!("put `include {}/*.conf;` into the `http` block", glob::folder(file))),
            );
        }
    }
}

fn is_copy(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let numbered = |name: &str| {
        name.rsplit_once(".bak")
            .is_some_and(|(_, rest)| rest.trim_start_matches(['-', '.', '_']).bytes().all(|b| b.is_ascii_digit()))
    };
    ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
        || numbered(name)
        || (name.starts_with('#') && name.ends_with('#'))
        || name.contains(".ucf-")
}
