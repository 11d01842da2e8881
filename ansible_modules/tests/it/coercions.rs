//! Ansible's documented conversions: each row holds here, and by Ansible's own validator in `tests/test_modules.py`.

use pharos_core::name::AbsolutePath;
use pharos_modules::options::{Documents, Giver, Reading, judge, schema};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// As the arguments of a task are judged.
const TASK: Reading = Reading { giver: Giver::Task, documents: Documents::Read };

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    One,
    Two,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "its schema alone is read")]
struct Record {
    name: String,
    count: Option<i64>,
}

/// An option of each type.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "its schema alone is read")]
struct Arguments {
    flag: Option<bool>,
    number: Option<i64>,
    text: Option<String>,
    path: Option<AbsolutePath>,
    word: Option<Word>,
    texts: Option<Vec<String>>,
    numbers: Option<Vec<i64>>,
    words: Option<Vec<Word>>,
    record: Option<Record>,
    records: Option<Vec<Record>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    option: String,
    given: Value,
    becomes: Option<Value>,
    #[serde(default)]
    refused: bool,
}

#[test]
fn every_type_is_converted_as_ansible_documents_it() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("../coercions.json")).unwrap();
    for row in rows {
        let given = Map::from_iter([(row.option.clone(), row.given.clone())]);
        match judge(given, &schema::of_arguments::<Arguments>(), TASK) {
            Ok(judged) => assert_eq!(judged.get(&row.option), row.becomes.as_ref(), "{row:?}"),
            Err(report) => assert!(row.refused, "{row:?}: {report:?}"),
        }
    }
}
