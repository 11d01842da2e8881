//! The list of codes in the documentation, and a page of it for each room, are made from the codes themselves.
//!
//! `PHAROS_UPDATE=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use pharos_core::diagnostic::{Class, code};

fn index() -> String {
    let mut text = String::from(
        "# Codes of findings\n\nEvery finding carries one of these codes; `pharos explain CODE` prints its page: what it means, why it is \
         refused and how to mend it.\nThis list is generated from the pages.\n\n\
         A command that ends with an error has the exit status 1 (refused), unless the list says 2 (wrong usage) or 3 (a file, the \
         network or a tool failed); of several the highest.\n",
    );
    let mut room = "";
    for code in code::all() {
        if code.room() != room {
            room = code.room();
            let _ = write!(text, "\n## {room}\n\n| code | meaning |\n|---|---|\n");
        }
        let _ = writeln!(
            text,
            "| [`{code}`](codes/{room}.md#{}) | {}{} |",
            code.name().replace('/', ""),
            code.summary().replace('|', "\\|"),
            match code.class() {
                Class::Refusal => String::new(),
                other => format!(" Exit status {}.", other.exit_status()),
            }
        );
    }
    text
}

/// The pages of a room's codes as one, each heading a level deeper.
fn page(room: &str) -> String {
    let mut text = format!("# Codes of `{room}`\n\nAlso printed by `pharos explain CODE`. This page is generated.\n");
    for code in code::all().filter(|code| code.room() == room) {
        let mut fenced = false;
        text.push('\n');
        for line in code.page().lines() {
            fenced ^= line.starts_with("```");
            let deeper = if line.starts_with('#') && !fenced { "#" } else { "" };
            let _ = writeln!(text, "{deeper}{line}");
        }
    }
    text
}

#[test]
fn the_list_of_codes_is_current() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference");
    let codes: Vec<_> = code::all().collect();
    let rooms: BTreeSet<&str> = codes.iter().map(|code| code.room()).collect();
    let mut pages: BTreeMap<String, String> =
        rooms.iter().map(|room| (format!("codes/{room}.md"), page(room))).collect();
    pages.insert("codes.md".to_owned(), index());
    if std::env::var_os("PHAROS_UPDATE").is_some() {
        std::fs::create_dir_all(reference.join("codes")).unwrap();
        for (name, text) in &pages {
            std::fs::write(reference.join(name), text).unwrap();
        }
    }
    for (name, text) in &pages {
        let committed = std::fs::read_to_string(reference.join(name)).unwrap_or_default();
        assert!(&committed == text, "docs/reference/{name} is stale: run `make generate`");
    }
    let listed = std::fs::read_dir(reference.join("codes")).unwrap();
    let listed: BTreeSet<String> =
        listed.map(|entry| format!("codes/{}", entry.unwrap().file_name().to_string_lossy())).collect();
    assert!(listed.iter().all(|name| pages.contains_key(name)), "a page of a room that is not there: {listed:?}");
}
