//! Documents: what is read, what is refused, and that what is written is read back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pharos_core::diagnostic::{Place, Report, Source, human};
use pharos_core::document::{self, Document};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rejected::{Fixture, refused};

/// A document with one key of every kind that a schema can judge.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sample {
    pub(crate) version: u32,
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(default)]
    #[schemars(range(min = 1, max = 86_400), extend("x-unit" = "seconds"))]
    pub(crate) timeout: Option<u32>,
    #[serde(default)]
    pub(crate) share: Option<f64>,
    #[serde(default)]
    pub(crate) colour: Option<Colour>,
    #[serde(default, rename = "match")]
    pub(crate) matches: Option<Match>,
    #[serde(default)]
    pub(crate) rule: Option<Rule>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 3))]
    pub(crate) words: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) set: BTreeSet<u8>,
    #[serde(default)]
    #[schemars(regex(pattern = "^[0-9a-f]+$"))]
    pub(crate) digest: Option<String>,
    #[serde(default)]
    #[schemars(regex(pattern = r"^[0-9]+\.[0-9]+\.[0-9]+$"), extend("examples" = ["1.33.5"]))]
    pub(crate) release: Option<String>,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    #[schemars(extend("multipleOf" = 8))]
    pub(crate) bits: Option<u32>,
    #[serde(default)]
    pub(crate) items: Vec<Item>,
}

/// Variants without content.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Colour {
    /// The colour of stop.
    Red,
    /// The colour of go.
    Green,
}

/// Variants told by their one key.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Match {
    Exact(String),
    Prefix(String),
    Any,
}

/// Variants told by a key of their own.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Rule {
    Required { mode: String },
    Forbidden { profile: String },
}

#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) port: Option<u16>,
}

/// A type that admits less than its schema, and that cannot be written: what the last two codes of the room are for.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "for the schema alone")]
struct Narrow(String);

impl<'de> Deserialize<'de> for Narrow {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("the type refuses"))
    }
}

impl Serialize for Narrow {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("the type refuses"))
    }
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    match fixture.what() {
        "decode" => refused(document::read::<Narrow>(&fixture.source())),
        "encoding" => refused(fixture.source_from_bytes()),
        "unwritable" => refused(document::write(&Narrow(fixture.source().text().to_owned()))),
        _ => refused(document::read::<Sample>(&fixture.source())),
    }
}

fn read(text: &str) -> Result<Document<Sample>, Report> {
    document::read(&Source::public("sample.yaml", text))
}

fn codes(report: &Report) -> Vec<&'static str> {
    report.diagnostics().iter().map(|diagnostic| diagnostic.code.name()).collect()
}

/// `line:column` of a place.
fn at(place: &Place) -> String {
    place.to_text().trim_start_matches("sample.yaml:").to_owned()
}

#[test]
fn yaml_and_json_read_alike() {
    let yaml =
        "version: 1\nname: a\nmatch:\n  exact: /a\nrule: {kind: required, mode: x}\nitems:\n- id: i\n  port: 80\n";
    let json = "{\"version\": 1, \"name\": \"a\", \"match\": {\"exact\": \"\\/a\"},\n\t\"rule\": {\"kind\":\"required\",\"mode\":\"x\"},\
                \n\t\"items\": [{\"id\":\"i\",\"port\":80}]\n}\n";
    let value = read(yaml).unwrap().value;
    assert_eq!(value, read(json).unwrap().value);
    assert_eq!(value.matches, Some(Match::Exact("/a".to_owned())));
    assert_eq!(value.rule, Some(Rule::Required { mode: "x".to_owned() }));
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let text = "version: 1\nname: a\nlabels:\n  b: c\nenabeld: true\n";
    let plain = read(text).err().unwrap();
    let crlf = read(&text.replace('\n', "\r\n")).err().unwrap();
    assert_eq!(plain.to_string(), crlf.to_string());
    let marked = read(&format!("\u{feff}{text}")).err().unwrap();
    assert_eq!(codes(&marked), ["document/unknown-key"]);
    assert_eq!(at(marked.diagnostics()[0].place().unwrap()), "5:1");
    assert_eq!(read("\u{feff}version: 1\r\nname: a\r\n").unwrap().value.name.as_deref(), Some("a"));
}

#[test]
fn a_plain_scalar_keeps_its_type_where_no_text_is_meant() {
    let value = read("version: 1\nenabled: true\ntimeout: 30\nshare: 1.5\nname: ~\nset: [0x10, +7]\n").unwrap().value;
    assert_eq!((value.enabled, value.timeout, value.share, value.name), (true, Some(30), Some(1.5), None));
    assert_eq!(value.set, BTreeSet::from([7, 16]));
}

#[test]
fn tags_of_the_core_schema_are_followed() {
    let value = read("version: !!int 1\nname: !!str no\ndigest: ! 12\nlabels: !!map {a: !!str 1}\n").unwrap().value;
    assert_eq!((value.name.as_deref(), value.digest.as_deref()), (Some("no"), Some("12")));
    assert_eq!(value.labels["a"], "1");
}

#[test]
fn aliases_and_merge_keys_are_written_out() {
    let text =
        "version: 1\nitems:\n- &first {id: a, port: 1}\n- *first\n- {<<: *first, id: b}\n- <<: [{port: 2}, *first]\n";
    let read = read(text).unwrap();
    let item = |id: &str, port| Item { id: id.to_owned(), port: Some(port) };
    assert_eq!(read.value.items, [item("a", 1), item("a", 1), item("b", 1), item("a", 2)]);
    assert_eq!(at(&read.place("/items/1")), "4:3", "the alias");
    assert_eq!(at(&read.place("/items/1/port")), "3:24", "where the value is written");
    assert_eq!(at(&read.place("/items/2/port")), "3:24", "where the merged value is written");
}

#[test]
fn places_are_found_by_pointer() {
    let read = read("version: 1\nlabels:\n  a/b: x\n  ~c: z\nitems:\n  - id: i\n    port: 80\nname: \"n\"\n").unwrap();
    for (pointer, value, key) in [
        ("", "1:1", "1:1"),
        ("/name", "8:7", "8:1"),
        ("/labels", "2:1", "2:1"),
        ("/labels/a~1b", "3:8", "3:3"),
        ("/labels/~0c", "4:7", "4:3"),
        ("/items/0", "6:5", "6:5"),
        ("/items/0/port", "7:11", "7:5"),
        ("/items/0/absent/deeper", "6:5", "6:5"),
        ("/items/9", "5:1", "5:1"),
    ] {
        assert_eq!(
            (at(&read.place(pointer)), at(&read.key_place(pointer))),
            (value.to_owned(), key.to_owned()),
            "{pointer}"
        );
    }
    assert_eq!(read.place("/name").key(), Some("/name"));
    assert_eq!(read.source().name(), "sample.yaml");
}

#[test]
fn large_mappings_find_their_keys() {
    let mut text = String::from("version: 1\nlabels:\n");
    for number in (0..500).rev() {
        writeln!(text, "  k{number}: v{number}").unwrap();
    }
    let document = read(&text).unwrap();
    assert_eq!(document.value.labels.len(), 500);
    assert_eq!(at(&document.key_place("/labels/k499")), "3:3");
    assert_eq!(at(&document.key_place("/labels/k0")), "502:3");
    text.push_str("  k7: again\n");
    let report = read(&text).err().unwrap();
    assert_eq!(codes(&report), ["document/duplicate-key"]);
    let places: Vec<String> = report.diagnostics()[0].labels.iter().map(|label| at(&label.place)).collect();
    assert_eq!(places, ["503:3", "495:3"]);
}

#[test]
fn faults_of_writing_and_of_the_schema_are_reported_together() {
    let report = read("version: 1\nname: no\nname: b\nenabeld: true\nlabels: !x {}\ntimeout: 0\n").err().unwrap();
    assert_eq!(
        codes(&report),
        ["document/look-alike", "document/duplicate-key", "document/unknown-key", "document/tag", "document/range"]
    );
}

#[test]
fn merge_keys_stay_within_their_budget() {
    let mut text = String::from("version: 1\nlabels: &a\n");
    for number in 0..1_000 {
        writeln!(text, "  k{number}: v").unwrap();
    }
    text.push_str("more:\n");
    for _ in 0..101 {
        text.push_str("- {<<: *a}\n");
    }
    assert_eq!(codes(&read(&text).err().unwrap()), ["document/budget"]);
}

#[test]
fn a_text_beyond_four_mebibytes_is_not_read() {
    let text = format!("version: 1\n# {}\n", "x".repeat(document::MAX_BYTES));
    assert_eq!(codes(&read(&text).err().unwrap()), ["document/budget"]);
    // Cut inside a character by whoever reads one byte more than is allowed.
    let mut bytes = text.into_bytes();
    bytes.truncate(document::MAX_BYTES);
    bytes.push(0xc3);
    let source = document::source_from_bytes("sample.yaml", &bytes).unwrap();
    assert_eq!(codes(&document::read::<Sample>(&source).err().unwrap()), ["document/budget"]);
}

#[test]
fn depth_counts_through_aliases() {
    let mut text = String::from("l0: &l0 x\n");
    for level in 1..80 {
        writeln!(text, "l{level}: &l{level} [*l{}]", level - 1).unwrap();
    }
    assert_eq!(codes(&read(&text).err().unwrap()), ["document/budget"]);
}

/// Version 1 of a document whose version 2 renames a key.
fn rename(mut old: Value) -> Value {
    if let Some(map) = old.as_object_mut() {
        if let Some(value) = map.remove("title") {
            map.insert("name".to_owned(), value);
        }
        map.insert("version".to_owned(), Value::from(2));
    }
    old
}

#[test]
fn older_versions_are_upgraded() {
    let upgrade: &[document::Upgrade] = &[rename];
    let read = |text: &str| document::read_upgraded::<Sample>(&Source::public("sample.yaml", text), upgrade);
    assert_eq!(read("version: 1\ntitle: a\n").unwrap().value, read("version: 2\nname: a\n").unwrap().value);
    assert_eq!(codes(&read("version: 2\ntitle: a\n").err().unwrap()), ["document/unknown-key"]);
    assert_eq!(codes(&read("version: 3\n").err().unwrap()), ["document/version"]);
    // A fault of the older document is shown where its key was not touched, or at the nearest place.
    assert_eq!(codes(&read("version: 1\ntitle: [a]\n").err().unwrap()), ["document/wrong-type"]);
}

#[test]
fn private_texts_are_never_quoted() {
    for line in [
        "name: &hunter2 *hunter2",
        "name: !hunter2 x",
        "name: *hunter2",
        "digest: \"hunter2!\"",
        "colour: hunter2",
        "match: hunter2",
        "rule: {kind: hunter2}",
        "timeout: hunter2",
        "set: [hunter2]",
        "words: [[hunter2]]",
        "name: hunter2: x",
        "name: \"hunter2",
        "name: \"hunter2\\z\"",
        "name: @hunter2",
        "items: [{id: hunter2, port: \"hunter2\"}]",
    ] {
        let source = Source::private("hosts.yml", &format!("version: 1\n{line}\n"));
        let report = document::read::<Sample>(&source).err().unwrap();
        let json = pharos_core::diagnostic::json::render(&report).to_string();
        assert!(!report.to_string().contains("hunter2") && !json.contains("hunter2"), "{line}: {report}");
    }
}

#[test]
fn an_outline_needs_no_schema() {
    let tree = document::outline(&Source::public("hosts.yml", "all:\n  hosts:\n    a: {x: 'no'}\n")).unwrap();
    assert_eq!(tree.place("/all/hosts/a/x").to_text(), "hosts.yml:3:12");
    assert_eq!(tree.key_place("/all/hosts/a").to_text(), "hosts.yml:3:5");
}

/// The schema is what editors and Helm are given: valid draft-07, equal bytes for equal types, keys in order.
#[test]
fn a_schema_is_stable() {
    let schema = document::schema::<Sample>();
    assert!(jsonschema::draft7::meta::is_valid(&schema));
    assert_eq!(schema, document::schema::<Sample>());
    insta::assert_json_snapshot!(schema);
}

#[test]
fn keys_that_are_names_are_judged_by_their_format() {
    let schema = document::schema::<BTreeMap<pharos_core::name::DnsLabel, u8>>();
    assert_eq!(schema["propertyNames"]["format"], "dns-label");
    assert_eq!(schema["additionalProperties"]["type"], "integer");
}

#[test]
fn a_document_names_its_schema_to_editors() {
    let written = document::schema_line("../schema/sample.json") + &document::write(&Sample::default()).unwrap();
    assert!(written.starts_with("# yaml-language-server: $schema=../schema/sample.json\nversion: "));
    assert_eq!(
        document::outline(&Source::public("sample.yaml", &written)).unwrap().place("/version").to_text(),
        "sample.yaml:2:10"
    );
}

#[test]
fn a_parsed_text_is_read_as_what_it_turns_out_to_be() {
    let source = Source::public("sample.yaml", "version: 1\nname: a\nname: b\n");
    let parsed = document::parse(&source);
    assert!(parsed.tree().unwrap().find("/name").key.is_some());
    assert_eq!(codes(&parsed.read::<Sample>(&[]).err().unwrap()), ["document/duplicate-key"]);
    assert_eq!(codes(&document::parse(&source).into_report()), ["document/duplicate-key"]);
    assert!(document::parse(&Source::public("sample.yaml", "a: [")).tree().is_none());
}

#[test]
fn a_finding_on_every_line_is_printed_from_its_own_lines() {
    let mut text = String::from("version: 1\nitems:\n");
    for number in 0..500 {
        writeln!(text, "- {{id: i{number}, prot: 1}}").unwrap();
    }
    let report = read(&text).err().unwrap();
    assert_eq!(report.diagnostics().len(), 500);
    let last = human::one(report.diagnostics().last().unwrap(), human::Style::Plain);
    let lines: Vec<&str> = last.lines().skip(1).take(4).collect();
    assert_eq!(lines, ["   --> sample.yaml:502:14", "    |", "502 | - {id: i499, prot: 1}", "    |              ^^^^"]);
}
