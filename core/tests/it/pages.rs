//! Every code has a page of the agreed shape.

use std::collections::BTreeSet;

use pharos_core::diagnostic::code;

#[test]
fn pages_have_the_agreed_shape() {
    for code in code::all() {
        let page = code.page();
        assert!(page.starts_with(&format!("# {code}\n\n")), "{code}: begins with its heading");
        for part in ["\n## Why it is refused\n", "\n## How to mend it\n"] {
            assert!(page.contains(part), "{code}: has {part:?}");
        }
    }
}

#[test]
fn every_page_is_declared() {
    let declared: BTreeSet<String> = code::all().map(|code| format!("{code}.md")).collect();
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/src/diagnostic/pages");
    let mut found = BTreeSet::new();
    for room in std::fs::read_dir(pages).unwrap() {
        let room = room.unwrap();
        for page in std::fs::read_dir(room.path()).unwrap() {
            found.insert(format!(
                "{}/{}",
                room.file_name().to_string_lossy(),
                page.unwrap().file_name().to_string_lossy()
            ));
        }
    }
    assert_eq!(declared, found);
}
