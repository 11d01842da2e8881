//! Configurations as they stand on hosts: what is read, printed and read again says the same.

use std::path::PathBuf;
use std::sync::Arc;

use pharos_core::diagnostic::{Findings, Source};
use pharos_core::edge::nginx::{Directive, parse, print};

/// Every configuration of the corpus: its name and its text.
pub(crate) fn corpus() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/nginx-corpus");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
            (path.file_name().unwrap().to_string_lossy().into_owned(), text)
        })
        .collect()
}

fn read(name: &str, text: &str) -> (Arc<Source>, Vec<Directive>) {
    let source = Source::public(name, text);
    let mut findings = Findings::new();
    let tree = parse(&source, &mut findings);
    assert!(findings.is_empty(), "{}", findings.into_report());
    (source, tree)
}

#[test]
fn reading_what_was_printed_is_a_fixed_point() {
    let corpus = corpus();
    assert!(corpus.len() >= 25, "the corpus is there");
    for (name, text) in corpus {
        let (_, tree) = read(&name, &text);
        assert!(!tree.is_empty(), "{name}");
        let printed = print(&tree);
        let (_, again) = read(&name, &printed);
        assert_eq!(tree, again, "{name}:\n{printed}");
        assert_eq!(printed, print(&again), "{name}");
    }
}

#[test]
fn places_are_those_of_the_text() {
    fn walk(name: &str, text: &str, tree: &[Directive]) {
        for directive in tree {
            let place = directive.place.as_ref().unwrap();
            let (start, _) = place.span().unwrap();
            let rest = text.get(start.offset..).unwrap();
            let word = directive.name.as_str();
            let plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let head = rest.trim_start_matches(['"', '\'']);
            assert!(head.starts_with(word) || !plain, "{name}: {}", place.to_text());
            assert_eq!(text.get(..start.offset).unwrap().matches('\n').count() + 1, start.line, "{name}");
            walk(name, text, directive.children());
        }
    }
    for (name, text) in corpus() {
        let (_, tree) = read(&name, &text);
        walk(&name, &text, &tree);
    }
}

/// The words of one file, so that a change of the reader is seen as such.
#[test]
fn odd_quoting_is_read_as_nginx_reads_it() {
    let (_, text) = corpus().into_iter().find(|(name, _)| name == "quoting.conf").unwrap();
    let (_, tree) = read("quoting.conf", &text);
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!("quoting", print(&tree));
    });
}
