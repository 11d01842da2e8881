//! What is written is read back, whatever the texts in it look like; and no input makes the reader panic.

use std::collections::BTreeMap;

use pharos_core::diagnostic::{Source, human, json, junit, sarif};
use pharos_core::{document, policy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Colour, Item, Match, Rule, Sample};

/// Texts as values and as keys.
#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Texts {
    pub(crate) list: Vec<String>,
    pub(crate) map: BTreeMap<String, String>,
}

/// What some reader takes for something else, and what means something to YAML itself.
pub(crate) const TRICKY: &[&str] = &[
    "",
    " ",
    "~",
    "null",
    "Null",
    "NULL",
    "true",
    "True",
    "TRUE",
    "false",
    "y",
    "Y",
    "yes",
    "Yes",
    "YES",
    "n",
    "N",
    "no",
    "No",
    "NO",
    "on",
    "On",
    "ON",
    "off",
    "Off",
    "OFF",
    "0",
    "1",
    "-1",
    "+1",
    "0755",
    "-0755",
    "08",
    "0o14",
    "0x1F",
    "0b11",
    "1_000",
    "0x_1",
    "1e3",
    "1E3",
    "1.0e+3",
    "1.0",
    "1.",
    ".5",
    "-.5",
    "+.5",
    "1_0.5",
    ".inf",
    "-.Inf",
    "+.INF",
    ".nan",
    ".NaN",
    "12:30",
    "12:30:45",
    "1:30.5",
    "190:20:30",
    "2024-01-02",
    "2001-12-14t21:59:43.10-05:00",
    "2001-12-14 21:59:43.10 -5",
    "=",
    "<<",
    "-",
    "--",
    "---",
    "...",
    "- a",
    "a: b",
    "a:",
    ":a",
    ":",
    "?",
    "? a",
    "# c",
    "a #b",
    "a#b",
    "&a",
    "*a",
    "!t",
    "!!str a",
    "|",
    ">",
    "|-",
    "%YAML 1.2",
    "@a",
    "`a`",
    "'",
    "\"",
    "'a'",
    "\"a\"",
    "it's",
    "\\",
    "a\\nb",
    "{",
    "}",
    "{a: b}",
    "[",
    "]",
    "[a]",
    ",",
    "a, b",
    "a\nb",
    "a\n",
    "\na",
    "\n",
    "a\n\n",
    "  indented\nb",
    "a ",
    " a",
    "\ta",
    "a\tb",
    "a\r\nb",
    "\u{85}",
    "\u{2028}",
    "\u{feff}a",
    "\u{7f}",
    "\u{1b}[0m",
    "\0",
    "ä",
    "日本",
    "\u{1f600}",
    "a very long text that a writer may want to fold because it does not fit into the eighty characters of a line: and more",
];

#[test]
fn every_text_is_read_back() {
    let map = TRICKY.iter().map(|text| ((*text).to_owned(), format!("of {text}"))).collect();
    let texts = Texts { list: TRICKY.iter().map(|text| (*text).to_owned()).collect(), map };
    let written = document::write(&texts).unwrap();
    let read = document::read::<Texts>(&Source::public("texts.yaml", &written));
    assert_eq!(read.unwrap_or_else(|report| panic!("{written}\n{report}")).value, texts);
}

#[test]
fn every_text_is_read_back_alone() {
    for text in TRICKY {
        let texts =
            Texts { list: vec![(*text).to_owned()], map: BTreeMap::from([((*text).to_owned(), "x".to_owned())]) };
        let written = document::write(&texts).unwrap();
        let read = document::read::<Texts>(&Source::public("texts.yaml", &written));
        assert_eq!(read.unwrap_or_else(|report| panic!("{text:?}\n{written}\n{report}")).value, texts);
    }
}

fn sample() -> Sample {
    Sample {
        version: 1,
        name: Some("no".to_owned()),
        enabled: true,
        timeout: Some(300),
        share: Some(0.5),
        colour: Some(Colour::Green),
        matches: Some(Match::Prefix("/v1/".to_owned())),
        rule: Some(Rule::Forbidden { profile: "on".to_owned() }),
        words: Some(vec!["12:30".to_owned()]),
        set: [1, 2].into(),
        release: None,
        digest: Some("0755".to_owned()),
        labels: BTreeMap::from([("yes".to_owned(), "1.0".to_owned())]),
        bits: None,
        items: vec![Item { id: "1e3".to_owned(), port: Some(80) }, Item { id: "a".to_owned(), port: None }],
    }
}

#[test]
fn a_document_is_read_back() {
    let written = document::write(&sample()).unwrap();
    insta::assert_snapshot!(written);
    let read = document::read::<Sample>(&Source::public("sample.yaml", &written)).unwrap_or_else(|r| panic!("{r}"));
    assert_eq!(read.value, sample());
}

#[test]
fn an_edge_environment_is_read_back() {
    let text = "version: 1\nenvironment: \"on\"\nmode: distributed\norigins:\n  pharos: https://platform.example.org\n\
                management_networks: [192.0.2.0/24]\ngateway:\n  upstreams: [\"192.0.2.10:30080\"]\n";
    let read = |text: &str| document::read::<policy::EdgeEnvironment>(&Source::public("edge.yaml", text));
    let value = read(text).unwrap_or_else(|report| panic!("{report}")).value;
    let written = document::write(&value).unwrap();
    assert_eq!(read(&written).unwrap_or_else(|report| panic!("{written}{report}")).value, value);
}

/// A small generator (xorshift64*): the same inputs in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % sides
    }
}

/// Pieces that mean something to a YAML parser.
const PIECES: &[&str] = &[
    "\n",
    "\n  ",
    "\n- ",
    ": ",
    "? ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "!x ",
    "!!int ",
    "<<: *a",
    "|\n ",
    ">",
    "\"",
    "'",
    "#",
    "---\n",
    "...\n",
    "%TAG ! x\n",
    "\t",
    "\r\n",
    "~",
    "0755",
    "no",
    "version: 1\n",
    "\u{feff}",
    "\0",
    "\\x",
    "ä",
    "\u{2028}",
    "1e999",
    ".nan",
    "18446744073709551616",
    "match:",
    "items:\n- id: ",
    "labels: {a: &a {b: c}, ",
];

#[test]
fn mutated_documents_never_panic() {
    let seeds = [
        document::write(&sample()).unwrap(),
        "version: 1\nlabels: &a {b: c}\nitems:\n- {<<: *a, id: x}\n- id: \"y\\n\"\n  port: 1\n".to_owned(),
        "{\"version\": 1, \"match\": {\"exact\": \"/\"}, \"words\": [\"a\", 'b']}".to_owned(),
        "version: 1\nname: |\n  text\n  more\ndigest: >-\n  folded\n\n  text\n".to_owned(),
    ];
    let mut dice = Dice(0x0123_4567_89ab_cdef);
    let mut refused = 0;
    for round in 0..4_000 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..=dice.roll(6) {
            let at = dice.roll(text.len() + 1);
            let end = (at + dice.roll(8)).min(text.len());
            match dice.roll(4) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..at, PIECES[dice.roll(PIECES.len())].chars())),
                2 => drop(text.splice(at..end, PIECES[dice.roll(PIECES.len())].chars())),
                _ => {
                    let copy: Vec<char> = text[at..end].to_vec();
                    let to = dice.roll(text.len() + 1);
                    drop(text.splice(to..to, copy));
                }
            }
        }
        let text: String = text.into_iter().collect();
        let source = if round % 2 == 0 { Source::public("x", &text) } else { Source::private("x", &text) };
        match document::read::<Sample>(&source) {
            Ok(document) => {
                let written = document::write(&document.value).unwrap();
                let again = document::read::<Sample>(&Source::public("again", &written));
                assert_eq!(
                    again.unwrap_or_else(|report| panic!("{text:?}\n{written}\n{report}")).value,
                    document.value
                );
            }
            Err(report) => {
                refused += 1;
                assert!(report.refuses(), "{text:?}: refused without an error");
                assert!(report.diagnostics().iter().all(|d| d.code.name() != "document/decode"), "{text:?}\n{report}");
                let _ = (human::render(&report, human::Style::Colour), json::render(&report), sarif::render(&report));
                let _ = junit::render(&report, &["x"]);
            }
        }
    }
    assert!((1_000..4_000).contains(&refused), "the mutations are of some use: {refused} refusals");
}
