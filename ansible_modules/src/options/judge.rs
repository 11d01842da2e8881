//! The judgement of a task's arguments: Ansible's documented conversions, then strictness, all faults at once.

use std::collections::BTreeSet;

use pharos_core::diagnostic::{Diagnostic, Findings, Place, Report};
use pharos_core::module::codes;
use pharos_core::name::FORMATS;
use schemars::Schema;
use serde_json::{Map, Number, Value, json};

use super::{Kind, OptionSpec, Requirement, list, nearest, schema};

/// Who gives arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Giver {
    /// A task: Ansible's documented conversions hold.
    Task,
    /// A template: a value is of the kind that it has, nothing is converted. The one exception is Ansible's own, of its lookups: a text
    /// where paths of documents are listed is the list of the paths between its commas.
    Template,
}

/// How documents of the controller stand among arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Documents {
    /// As their paths: none has been read.
    Named,
    /// As name and text.
    Read,
}

/// How arguments are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Who gives them.
    pub giver: Giver,
    /// How the documents stand among them.
    pub documents: Documents,
}

/// The arguments, converted to what the schema says. What is null counts as not given; a template's null does so where something
/// may be left out.
///
/// # Errors
/// `module/unknown-option`, `module/missing-option`, `module/option-value` and the codes of the names.
pub fn judge(arguments: Map<String, Value>, schema: &Schema, reading: Reading) -> Result<Map<String, Value>, Report> {
    let mut findings = Findings::new();
    let options = schema::read(schema);
    let given: BTreeSet<String> =
        arguments.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name.clone()).collect();
    let judged = dictionary(arguments, &options, "", reading, &mut findings);
    for requirement in schema::requirements(schema) {
        if applies(&requirement, &judged, &given, &options) {
            let missing = requirement.needs.iter().filter(|name| !given.contains(*name));
            missing.for_each(|name| findings.push(needed(name, &requirement, &options)));
        }
    }
    findings.conclude(judged).map(|(judged, _)| judged)
}

fn place(pointer: &str) -> Place {
    let place = Place::named("arguments");
    if pointer.is_empty() { place } else { place.with_key(pointer) }
}

/// Whether the case of a requirement is that of these arguments; what was not given is its default, and what was refused is no case.
fn applies(
    requirement: &Requirement,
    judged: &Map<String, Value>,
    given: &BTreeSet<String>,
    options: &[OptionSpec],
) -> bool {
    let default = |name: &String| options.iter().find(|option| option.name == *name)?.default.as_ref();
    requirement.when.iter().all(|(name, wanted)| match (judged.get(name), wanted) {
        (value, Value::Null) => value.is_some_and(|value| *value != json!("") && *value != json!([])),
        (Some(value), wanted) => value == wanted,
        (None, wanted) => !given.contains(name) && default(name) == Some(wanted),
    })
}

fn needed(name: &str, requirement: &Requirement, options: &[OptionSpec]) -> Diagnostic {
    let meaning = options.iter().find(|option| option.name == name).and_then(|option| option.description.first());
    Diagnostic::error(codes::MISSING_OPTION, format!("`{name}` is missing: it is needed with {}", requirement.words()))
        .at(place(""), "")
        .help(format!("add it: {}", meaning.map_or("it is required", String::as_str)))
}

/// A JSON pointer as people write it: `certificate_files[0].host`.
fn path(pointer: &str) -> String {
    let part = |part: &str| match part.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!(".{part}"),
    };
    let path: String = pointer.split('/').skip(1).map(part).collect();
    path.trim_start_matches('.').to_owned()
}

fn dictionary(
    mut given: Map<String, Value>,
    options: &[OptionSpec],
    pointer: &str,
    reading: Reading,
    findings: &mut Findings,
) -> Map<String, Value> {
    let mut judged = Map::new();
    for option in options {
        let here = format!("{pointer}/{}", option.name);
        let missing_if_null = reading.giver == Giver::Task || !option.required;
        match given.remove(&option.name).filter(|value| !(value.is_null() && missing_if_null)) {
            Some(value) => {
                let subject = Subject { pointer: &here, secret: option.no_log, reading };
                if let Some(value) = subject.value(value, &option.kind, findings) {
                    judged.insert(option.name.clone(), value);
                }
            }
            None if option.required => findings.push(
                Diagnostic::error(codes::MISSING_OPTION, format!("`{}` is missing", path(&here)))
                    .at(place(pointer), "")
                    .help(format!("add it: {}", option.description.first().map_or("it is required", String::as_str))),
            ),
            None => {}
        }
    }
    let known: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
    for name in given.keys() {
        findings.push(
            Diagnostic::error(
                codes::UNKNOWN_OPTION,
                format!("there is no option `{}`", path(&format!("{pointer}/{}", name.escape_debug()))),
            )
            .at(place(&format!("{pointer}/{name}")), "")
            .help(nearest(name, &known, "options")),
        );
    }
    judged
}

/// The option that is being judged.
#[derive(Clone, Copy)]
struct Subject<'a> {
    pointer: &'a str,
    secret: bool,
    reading: Reading,
}

impl Subject<'_> {
    /// The converted value, or `None` and a finding.
    fn value(self, value: Value, kind: &Kind, findings: &mut Findings) -> Option<Value> {
        match kind {
            Kind::Text { format, choices } => self.text(&value, format.as_deref(), choices, findings),
            Kind::Path => self.text(&value, Some(schema::PATH), &[], findings),
            Kind::Integer { minimum, maximum } => self.integer(&value, *minimum, *maximum, findings),
            Kind::Boolean => match boolean(&value).filter(|_| value.is_boolean() || self.converts()) {
                Some(value) => Some(value.into()),
                None => self.refuse(&value, "a boolean", "write `true` or `false`", findings),
            },
            Kind::List { of, at_least } => self.list(value, of, *at_least, findings),
            Kind::Dictionary(options) => match object(&value).filter(|_| value.is_object() || self.converts()) {
                Some(map) => Some(dictionary(map, options, self.pointer, self.reading, findings).into()),
                None => self.refuse(&value, "a dictionary", &keys(options), findings),
            },
            Kind::Document if self.reading.documents == Documents::Named => {
                self.text_or(&value, "the path of a document", "write the path of a file on the controller", findings)
            }
            Kind::Document => match value {
                Value::Object(_) => Some(value),
                other => self.refuse(
                    &other,
                    "a document that the action plugin has read",
                    "write the path of a file on the controller",
                    findings,
                ),
            },
            Kind::Map(of) => match value {
                Value::Object(map) => Some(self.map(map, of, findings).into()),
                other => self.refuse(&other, "a dictionary", "write a dictionary", findings),
            },
            Kind::Number | Kind::Variants(_) | Kind::Any => Some(value),
        }
    }

    /// Whether values are converted.
    fn converts(self) -> bool {
        self.reading.giver == Giver::Task
    }

    /// The text that a value is, or a finding.
    fn text_or(self, value: &Value, wanted: &str, help: &str, findings: &mut Findings) -> Option<Value> {
        match text(value).filter(|_| value.is_string() || self.converts()) {
            Some(text) => Some(text.into()),
            None => self.refuse(value, wanted, help, findings),
        }
    }

    fn text(
        self,
        value: &Value,
        format: Option<&str>,
        choices: &[(String, String)],
        findings: &mut Findings,
    ) -> Option<Value> {
        let help = "write a text, in quotes if it looks like something else";
        let text = self.text_or(value, "a text", help, findings)?;
        let text = text.as_str()?;
        if !choices.is_empty() && !choices.iter().any(|(choice, _)| choice == text) {
            let names: Vec<&str> = choices.iter().map(|(choice, _)| choice.as_str()).collect();
            return self.refuse(value, &format!("one of {}", list(&names)), &one_of(text, &names), findings);
        }
        let known = FORMATS.iter().find(|known| Some(known.word) == format);
        match known.map(|known| (known.check)(text)) {
            Some(Err(error)) if self.secret => self.refuse(value, "well-formed", &error.help, findings),
            Some(Err(mut error)) => {
                error.message = format!("`{}`: {}", path(self.pointer), error.message);
                findings.push(error.at(place(self.pointer)));
                None
            }
            _ => Some(text.into()),
        }
    }

    fn integer(
        self,
        value: &Value,
        minimum: Option<i64>,
        maximum: Option<i64>,
        findings: &mut Findings,
    ) -> Option<Value> {
        let fits =
            |number: &i64| minimum.is_none_or(|least| least <= *number) && maximum.is_none_or(|most| *number <= most);
        let Some(number) = integer(value).filter(|_| value.is_number() || self.converts()).filter(fits) else {
            let range = match (minimum, maximum) {
                (Some(least), Some(most)) => format!(" from {least} to {most}"),
                (Some(least), None) => format!(" of {least} or more"),
                (None, Some(most)) => format!(" of {most} or less"),
                (None, None) => String::new(),
            };
            let wanted = format!("a whole number{range}");
            return self.refuse(value, &wanted, &format!("write {wanted}"), findings);
        };
        Some(number.into())
    }

    fn list(self, value: Value, of: &Kind, at_least: u64, findings: &mut Findings) -> Option<Value> {
        let elements = match value {
            Value::Array(elements) => elements,
            Value::String(text) if self.converts() || of.is_document() => {
                text.split(',').map(|part| part.trim().into()).collect()
            }
            number @ Value::Number(_) if self.converts() => vec![number],
            other => {
                return self.refuse(&other, "a list", "write a list, also if it has one element or none", findings);
            }
        };
        if (elements.len() as u64) < at_least {
            let wanted = elements_or_more(at_least);
            let has = match elements.len() {
                0 => "is an empty list".to_owned(),
                count => format!("has {count} of them"),
            };
            let message = format!("`{}` {has}, where {wanted} is needed", path(self.pointer));
            let finding = Diagnostic::error(codes::OPTION_VALUE, message).at(place(self.pointer), "");
            findings.push(finding.help(format!("name {wanted}")));
            return None;
        }
        let judged = elements.into_iter().enumerate().filter_map(|(index, element)| {
            Subject { pointer: &format!("{}/{index}", self.pointer), ..self }.value(element, of, findings)
        });
        Some(judged.collect())
    }

    fn map(self, map: Map<String, Value>, of: &Kind, findings: &mut Findings) -> Map<String, Value> {
        let judged = map.into_iter().filter_map(|(key, element)| {
            let pointer = format!("{}/{}", self.pointer, key.escape_debug());
            Some((key, Subject { pointer: &pointer, ..self }.value(element, of, findings)?))
        });
        judged.collect()
    }

    fn refuse(self, value: &Value, wanted: &str, help: &str, findings: &mut Findings) -> Option<Value> {
        let shown = match self.reading.giver {
            Giver::Template => format!("{}, ", kind_of(value)),
            Giver::Task if self.secret => String::new(),
            Giver::Task => described(value),
        };
        let message = format!("`{}` is {shown}not {wanted}", path(self.pointer));
        findings.push(Diagnostic::error(codes::OPTION_VALUE, message).at(place(self.pointer), "").help(help));
        None
    }
}

/// Help for a value that is none of a few: the nearest one, or all of them.
fn one_of(text: &str, names: &[&str]) -> String {
    match names {
        [only] => format!("write `{only}`"),
        _ => nearest(text, names, "values"),
    }
}

/// Help for what is no dictionary.
fn keys(options: &[OptionSpec]) -> String {
    let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
    format!("write a dictionary with the keys {}", list(&names))
}

fn elements_or_more(count: u64) -> String {
    if count == 1 { "one element or more".to_owned() } else { format!("{count} elements or more") }
}

/// What a value is, to be told beside what was wanted. What others it holds, and what is longer than a slip, may be a secret and is not shown.
fn described(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list, ".to_owned(),
        Value::Object(_) => "a dictionary, ".to_owned(),
        Value::String(text) if text.chars().count() > 60 || text.contains('\n') => {
            format!("a text of {} characters, ", text.chars().count())
        }
        scalar => format!("`{scalar}`, which is "),
    }
}

/// The kind of a value, for a template, whose values are not as somebody has written them: none is shown.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a whole number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a dictionary",
    }
}

/// A text; a number is the text that it is written as. A boolean is not: `no` was meant as a text and lost its quotes.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_i64().or_else(|| whole(number)),
        _ => None,
    }
}

/// `5.0` as 5.
fn whole(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
    format!("{float:.0}").parse().ok()
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Number(number) => match integer(&Value::Number(number.clone()))? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "yes" | "on" | "1" | "true" | "t" | "y" | "1.0" => Some(true),
            "no" | "off" | "0" | "false" | "f" | "n" | "0.0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A dictionary, also as the text of one: JSON, or `key=value` pairs separated by commas.
fn object(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map.clone()),
        Value::String(text) if text.trim_start().starts_with('{') => serde_json::from_str(text).ok(),
        Value::String(text) => text
            .split(',')
            .map(|pair| pair.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().into())))
            .collect(),
        _ => None,
    }
}
