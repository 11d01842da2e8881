//! The list of codes in the documentation is made from the codes themselves.
//!
//! `PHAROS_UPDATE=1` writes it anew.

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
            "| [`{code}`](../../core/src/diagnostic/pages/{code}.md) | {}{} |",
            code.summary().replace('|', "\\|"),
            match code.class() {
                Class::Refusal => String::new(),
                other => format!(" Exit status {}.", other.exit_status()),
            }
        );
    }
    text
}

#[test]
fn the_list_of_codes_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/codes.md");
    if std::env::var_os("PHAROS_UPDATE").is_some() {
        std::fs::write(&path, index()).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == index(), "docs/reference/codes.md is stale: run `make generate`");
}
