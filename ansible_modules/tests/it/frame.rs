//! What every module has from the runner, shown on a module that exists only here.

use pharos_core::diagnostic::{Diagnostic, Findings, Place as Where, Report};
use pharos_core::module::codes;
use pharos_core::name::AbsolutePath;
use pharos_modules::runner::answer;
use pharos_modules::{Context, ControllerDocument, Entry, Failure, Family, Module, Outcome, Place, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Keeps a greeting.
///
/// It writes to nothing but its answer.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-required-if" = [
    { "when": { "tone": "plain", "loud": false }, "needs": ["to"] },
    { "when": { "to": null }, "needs": ["password"] },
]))]
struct Arguments {
    /// Whom to greet.
    #[schemars(length(min = 1))]
    names: Vec<String>,
    /// How often, 1-9.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 9))]
    times: u32,
    /// Whether to shout.
    #[serde(default)]
    loud: bool,
    /// What to say.
    #[serde(default)]
    tone: Tone,
    /// Words from the controller.
    words: Option<ControllerDocument>,
    /// Never shown.
    #[schemars(extend("x-no-log" = true))]
    password: Option<Password>,
    /// Where the greeting goes.
    to: Option<AbsolutePath>,
}

/// A secret that is a number, to show that a refusal does not quote what is none.
type Password = u32;

fn once() -> u32 {
    1
}

#[derive(Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum Tone {
    /// With a bow.
    #[default]
    Formal,
    /// Without.
    Plain,
    /// A fault of the program.
    Faulty,
    /// A refusal after something has changed.
    Late,
}

#[derive(Serialize, JsonSchema)]
struct Data {
    /// What was said.
    said: String,
}

struct Greeting;

impl Module for Greeting {
    const NAME: &'static str = "greeting";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = "";
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        let _ = (&arguments.words, arguments.password, &arguments.to);
        let before = State::from_iter([("greeting", "")]);
        let mut said = arguments.names.join(" and ").repeat(arguments.times as usize);
        match arguments.tone {
            Tone::Faulty => panic!("no such tone"),
            Tone::Late => {
                let mut findings = Findings::new();
                findings.push(Diagnostic::note(codes::PROGRAM_FAILED, "the greeter is new").at(Where::named("a"), ""));
                findings
                    .push(Diagnostic::warning(codes::PROGRAM_FAILED, "the greeter coughs").at(Where::named("b"), ""));
                findings.push(
                    Diagnostic::error(codes::UNREADABLE_FILE, "the greeting is in another hand")
                        .at(Where::named("c"), ""),
                );
                return Err(
                    Failure::from(findings.into_report()).with_change(before, State::from_iter([("greeting", "He")]))
                );
            }
            Tone::Formal | Tone::Plain if arguments.loud => said = said.to_uppercase(),
            Tone::Formal | Tone::Plain => {}
        }
        let after = State::from_iter([("greeting", said.as_str())]);
        let said = if context.check { String::new() } else { said };
        let warning = Report::from(Diagnostic::warning(codes::PROGRAM_FAILED, "the greeter coughs"));
        Ok(Outcome::of(Data { said }).with_change(before, after).with_report(warning))
    }
}

const MODULES: &[Entry] = &[Entry::of::<Greeting>()];

/// The answer to these arguments, with these further keys in the request.
fn ask_with(arguments: &Value, more: &Value) -> Value {
    let mut request = json!({
        "module": "pharos.platform.greeting", "version": env!("CARGO_PKG_VERSION"), "instant": 1_764_547_200,
        "arguments": arguments, "_ansible_of_the_future": [1],
    });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Value::from(answer(MODULES, request.to_string().as_bytes()).fields().clone())
}

fn ask(arguments: &Value) -> Value {
    ask_with(arguments, &json!({}))
}

fn found(answer: &Value) -> Vec<&str> {
    answer["diagnostics"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[test]
fn a_change_is_counted_and_shown() {
    let answer = ask(&json!({ "names": ["Ann", "Bo"] }));
    insta::assert_json_snapshot!(answer);
}

#[test]
fn check_mode_reaches_the_module_and_changes_are_still_counted() {
    let answer = ask_with(&json!({ "names": ["Ann"] }), &json!({ "_ansible_check_mode": true }));
    assert_eq!((&answer["changed"], &answer["said"]), (&json!(true), &json!("")));
    assert_eq!(answer["diff"][0]["after"], "Ann");
}

#[test]
fn an_equal_state_is_no_change() {
    let answer = ask(&json!({ "names": [""] }));
    assert_eq!((&answer["changed"], answer.get("diff")), (&json!(false), None));
    assert_eq!(found(&answer), ["module/program-failed"], "warnings are diagnostics too");
}

#[test]
fn what_ansible_documents_is_converted() {
    let answer = ask(&json!({ "names": "Ann, Bo", "times": "2", "loud": "yes", "tone": null, "words": null }));
    assert_eq!(answer["said"], "ANN AND BOANN AND BO");
    assert_eq!(ask(&json!({ "names": 7, "times": 1.0, "loud": 0 }))["said"], "7");
}

#[test]
fn all_faults_of_the_arguments_are_said_at_once() {
    let answer = ask(&json!({
        "name": ["Ann"], "times": "10", "loud": "perhaps", "tone": "rude", "password": "hunter2", "to": "here",
        "words": "words.yaml",
    }));
    assert!(!answer.to_string().contains("hunter2"));
    for code in ["module/unknown-option", "module/missing-option", "module/option-value", "name/absolute-path"] {
        assert!(found(&answer).contains(&code), "{code}");
    }
    insta::assert_snapshot!(answer["msg"].as_str().unwrap());
}

#[test]
fn some_options_are_needed_in_some_cases() {
    let missing = |arguments: Value| {
        let answer = ask(&arguments);
        let all = answer["diagnostics"].as_array().unwrap().iter();
        let missing = all.filter(|one| one["code"] == "module/missing-option");
        missing.map(|one| one["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let plain = json!({ "names": ["Ann"], "tone": "plain" });
    assert_eq!(missing(plain), ["`to` is missing: it is needed with `loud: false` and `tone: plain`"]);
    assert_eq!(missing(json!({ "names": ["Ann"], "tone": "plain", "loud": "yes" })), [""; 0]);
    assert_eq!(missing(json!({ "names": ["Ann"], "to": "/a" })), ["`password` is missing: it is needed with `to`"]);
    assert_eq!(missing(json!({ "names": ["Ann"], "tone": "plain", "to": "/a", "password": 1 })), [""; 0]);
    assert_eq!(missing(json!({ "names": ["Ann"] })), [""; 0]);
}

#[test]
fn nested_faults_have_their_place() {
    let answer = ask(&json!({ "names": ["Ann", true, { "first": "Bo" }] }));
    let keys: Vec<&str> =
        answer["diagnostics"].as_array().unwrap().iter().map(|one| one["labels"][0]["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["/names/1", "/names/2"]);
}

#[test]
fn a_refusal_still_tells_what_stays_changed() {
    let answer = ask(&json!({ "names": ["Ann"], "tone": "late" }));
    assert_eq!((&answer["failed"], &answer["changed"]), (&json!(true), &json!(true)));
    assert_eq!(answer["diff"][0]["after"], "He");
    assert_eq!(found(&answer), ["module/unreadable-file", "module/program-failed", "module/program-failed"]);
}

#[test]
fn a_refusal_names_its_host_and_says_the_worst_first() {
    let told = |request: &Value| {
        let answer = ask_with(&json!({ "names": ["Ann"], "tone": "late" }), request);
        answer["msg"].as_str().unwrap().to_owned()
    };
    let said = told(&json!({ "host": "edge1" }));
    assert!(said.starts_with("edge1: 1 error, 1 warning, 1 note\n\nerror[module/unreadable-file]"), "{said}");
    let at = |words: &str| said.find(words).unwrap();
    assert!(at("another hand") < at("coughs") && at("coughs") < at("is new"), "{said}");
    assert!(told(&json!({})).starts_with("error["));
    let broken = answer(MODULES, br#"{"host": "edge1", "module": 7}"#);
    assert!(broken.fields()["msg"].as_str().unwrap().starts_with("edge1: 1 error"), "{broken:?}");
}

#[test]
fn a_panic_is_a_failed_task() {
    let answer = ask(&json!({ "names": ["Ann"], "tone": "faulty" }));
    assert_eq!(found(&answer), ["module/internal-fault"]);
    assert_eq!(answer["failed"], true);
    assert!(answer["msg"].as_str().unwrap().contains("no such tone"), "{answer}");
}

#[test]
fn judging_runs_nothing() {
    let answer = ask_with(&json!({ "names": ["Ann"], "tone": "faulty" }), &json!({ "judge": true }));
    assert_eq!(answer, json!({ "changed": false, "diagnostics": [] }));
    assert_eq!(found(&ask_with(&json!({}), &json!({ "judge": true }))), ["module/missing-option"]);
}

#[test]
fn requests_are_strict() {
    assert_eq!(found(&ask_with(&json!({}), &json!({ "module": "greting" }))), ["module/unknown-module"]);
    assert_eq!(found(&ask_with(&json!({}), &json!({ "version": "99.0.0" }))), ["module/version-skew"]);
    assert_eq!(found(&ask_with(&json!({}), &json!({ "surplus": 1 }))), ["module/request"]);
    assert_eq!(found(&ask_with(&json!([]), &json!({}))), ["module/request"]);
    let secret = answer(MODULES, br#"{"arguments": {"password": "hunter2"} "hunter2"}"#).to_line();
    assert!(secret.contains("module/request") && !secret.contains("hunter2"), "{secret}");
}
