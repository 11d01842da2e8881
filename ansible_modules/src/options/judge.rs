//! The judgement of a task's arguments: Ansible's documented conversions, then strictness, all faults at once.

use std::collections::BTreeSet;

use pharos_core::diagnostic::{Diagnostic, Findings, Place, Report};
use pharos_core::module::codes;
use pharos_core::name::FORMATS;
use schemars::Schema;
use serde_json::{Map, Number, Value, json};

use super::{Kind, OptionSpec, Requirement, list, nearest, schema};

/// The arguments, converted to what the schema says. What is null counts as not given.
///
/// # Errors
/// `module/unknown-option`, `module/missing-option`, `module/option-value` and the codes of the names.
pub fn judge(arguments: Map<String, Value>, schema: &Schema) -> Result<Map<String, Value>, Report> {
    let mut findings = Findings::new();
    let options = schema::read(schema);
    let given: BTreeSet<String> =
        arguments.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name.clone()).collect();
    let judged = dictionary(arguments, &options, "", &mut findings);
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
    findings: &mut Findings,
) -> Map<String, Value> {
    let mut judged = Map::new();
    for option in options {
        let here = format!("{pointer}/{}", option.name);
        match given.remove(&option.name).filter(|value| !value.is_null()) {
            Some(value) => {
                let subject = Subject { pointer: &here, secret: option.no_log };
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
}

impl Subject<'_> {
    /// The converted value, or `None` and a finding.
    fn value(self, value: Value, kind: &Kind, findings: &mut Findings) -> Option<Value> {
        match kind {
            Kind::Text { format, choices } => self.text(&value, format.as_deref(), choices, findings),
            Kind::Path => self.text(&value, Some(schema::PATH), &[], findings),
            Kind::Integer { minimum, maximum } => self.integer(&value, *minimum, *maximum, findings),
            Kind::Boolean => match boolean(&value) {
                Some(value) => Some(value.into()),
                None => self.refuse(&value, "a boolean", "write `true` or `false`", findings),
            },
            Kind::List { of, at_least } => self.list(value, of, *at_least, findings),
            Kind::Dictionary(options) => match object(&value) {
                Some(map) => Some(dictionary(map, options, self.pointer, findings).into()),
                None => self.refuse(&value, "a dictionary", &keys(options), findings),
            },
            Kind::Document => match value {
                Value::Object(_) => Some(value),
                other => self.refuse(
                    &other,
                    "a document that the action plugin has read",
                    "write the path of a file on the controller",
                    findings,
                ),
            },
            Kind::Number | Kind::Map(_) | Kind::Any => Some(value),
        }
    }

    fn text(
        self,
        value: &Value,
        format: Option<&str>,
        choices: &[(String, String)],
        findings: &mut Findings,
    ) -> Option<Value> {
        let Some(text) = text(value) else {
            return self.refuse(value, "a text", "write a text, in quotes if it looks like something else", findings);
        };
        if !choices.is_empty() && !choices.iter().any(|(choice, _)| *choice == text) {
            let names: Vec<&str> = choices.iter().map(|(choice, _)| choice.as_str()).collect();
            return self.refuse(value, &format!("one of {}", list(&names)), &one_of(&text, &names), findings);
        }
        let known = FORMATS.iter().find(|known| Some(known.word) == format);
        match known.map(|known| (known.check)(&text)) {
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
        let Some(number) = integer(value).filter(fits) else {
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
            Value::String(text) => text.split(',').map(|part| part.trim().into()).collect(),
            number @ Value::Number(_) => vec![number],
            other => {
                return self.refuse(&other, "a list", "write a list, also if it has one element or none", findings);
            }
        };
        if (elements.len() as u64) < at_least {
            let (wanted, elements) = (elements_or_more(at_least), elements.into());
            return self.refuse(&elements, &format!("a list of {wanted}"), &format!("name {wanted}"), findings);
        }
        let judged = elements.into_iter().enumerate().filter_map(|(index, element)| {
            Subject { pointer: &format!("{}/{index}", self.pointer), ..self }.value(element, of, findings)
        });
        Some(judged.collect())
    }

    fn refuse(self, value: &Value, wanted: &str, help: &str, findings: &mut Findings) -> Option<Value> {
        let shown = if self.secret { String::new() } else { format!("{}, which is ", shorten(value)) };
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

/// The JSON of a value, 60 characters at most.
fn shorten(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("`{}...`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
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
