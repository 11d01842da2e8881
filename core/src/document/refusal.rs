//! The second pass, when it refuses: each error of the schema validator in words of its own, at its place.

use std::collections::{BTreeSet, HashMap};

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::schema::Compiled;
use super::tree::{NodeId, Tree, join};
use super::value::LookAlikes;
use super::words::{alternatives, kind, shown, subject, suggestion};
use super::{codes, variant};
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{Code, Diagnostic, Findings, Place};
use crate::name::FORMATS;

/// What a refusal is worded from.
pub(super) struct Context<'a> {
    pub(super) tree: &'a Tree,
    pub(super) compiled: &'a Compiled,
    pub(super) unreadable: &'a BTreeSet<NodeId>,
    /// What is said of the writing of a value once the schema has nothing to say of it.
    pub(super) look_alikes: &'a mut LookAlikes,
    pub(super) findings: &'a mut Findings,
}

impl Context<'_> {
    pub(super) fn push(&mut self, code: Code, words: String, place: Place, help: impl Into<String>) {
        self.findings.push(Diagnostic::error(code, words).at(place, "").help(help));
    }

    /// The schema around the keyword that an error names.
    fn around(&self, error: &ValidationError<'_>) -> &Value {
        let path = error.schema_path().as_str();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        self.compiled.schema.pointer(parent).unwrap_or(&Value::Null)
    }

    fn keyword(&self, error: &ValidationError<'_>, word: &str) -> Option<String> {
        self.around(error).get(word).map(Value::to_string)
    }

    /// Words one error, and what it is made of.
    pub(super) fn refuse(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str().to_owned();
        if self.unreadable.contains(&self.tree.find(&pointer).value) {
            return; // The value could not be read at all, and that has been said.
        }
        let instance = error.instance();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => self.unknown_keys(error, &pointer, unexpected),
            Kind::Required { property } => self.missing_key(&pointer, property.as_str().unwrap_or_default()),
            Kind::Type { kind } => {
                let unit = self.unit(error);
                self.wrong_type(&pointer, &type_words(kind, &unit), instance);
            }
            Kind::Enum { options } => {
                self.unknown_value(&pointer, instance, options.as_array().map_or(&[], Vec::as_slice));
            }
            Kind::Constant { expected_value } => {
                self.unknown_value(&pointer, instance, std::slice::from_ref(expected_value));
            }
            Kind::Maximum { .. }
            | Kind::Minimum { .. }
            | Kind::ExclusiveMaximum { .. }
            | Kind::ExclusiveMinimum { .. } => {
                self.range(error, &pointer);
            }
            Kind::MaxItems { .. } | Kind::MinItems { .. } => {
                self.length(error, &pointer, "item", ["minItems", "maxItems"]);
            }
            Kind::MaxLength { .. } | Kind::MinLength { .. } => {
                self.length(error, &pointer, "character", ["minLength", "maxLength"]);
            }
            Kind::MaxProperties { .. } | Kind::MinProperties { .. } => {
                self.length(error, &pointer, "key", ["minProperties", "maxProperties"]);
            }
            Kind::Pattern { pattern } => self.pattern(error, &pointer, pattern),
            Kind::UniqueItems => self.repeated(&pointer, instance),
            Kind::Format { format } => {
                self.unquoted(&pointer);
                self.format(self.tree.place(&pointer), instance, format);
            }
            Kind::PropertyNames { error } => self.bad_key(&pointer, error),
            Kind::OneOfNotValid { context } | Kind::AnyOf { context } => {
                let branches = self.compiled.schema.pointer(error.schema_path().as_str());
                let branches = branches.and_then(Value::as_array).cloned().unwrap_or_default();
                variant::refuse(self, &pointer, instance, &branches, context);
            }
            other => self.other(&pointer, other.keyword()),
        }
    }

    /// ` of seconds`, where the schema says what a number counts.
    fn unit(&self, error: &ValidationError<'_>) -> String {
        let unit = self.around(error).get("x-unit").and_then(Value::as_str);
        unit.map(|unit| format!(" of {unit}")).unwrap_or_default()
    }

    /// Says no more that a value should be put into quotes: between them it would be refused all the same, for what is said next.
    /// Whether that was to be said.
    fn unquoted(&mut self, pointer: &str) -> bool {
        self.look_alikes.remove(&self.tree.find(pointer).value).is_some()
    }

    fn unknown_keys(&mut self, error: &ValidationError<'_>, pointer: &str, unexpected: &[String]) {
        let known: Vec<String> = match self.around(error).get("properties") {
            Some(Value::Object(properties)) => properties.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let free: Vec<&str> =
            known.iter().map(String::as_str).filter(|key| error.instance().get(key).is_none()).collect();
        for key in unexpected {
            let owner = if pointer.is_empty() { "this document".to_owned() } else { subject(pointer) };
            let words = format!("`{}` is not a key of {owner}", key.escape_debug());
            let place = self.tree.key_place(&join(pointer, key));
            // A key is no secret: the suggestion is shown for private texts as well.
            let help = match nearest(key, free.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "leave it out: no key may stand here".to_owned(),
                None => format!("leave it out; the keys are {}", alternatives(&known).replace(" or ", " and ")),
            };
            self.push(codes::UNKNOWN_KEY, words, place, help);
        }
    }

    fn missing_key(&mut self, pointer: &str, key: &str) {
        let owner = subject(pointer);
        let place = self.tree.place(pointer);
        let words = format!("{owner} has no `{key}`");
        self.push(codes::MISSING_KEY, words, place, format!("add `{key}:`"));
    }

    /// Says which type was needed.
    pub(super) fn wrong_type(&mut self, pointer: &str, expected: &str, instance: &Value) {
        let what = subject(pointer);
        let place = self.tree.place(pointer);
        let (words, help) = match instance {
            Value::Null => (format!("{what} is empty: {expected} is needed"), format!("write {expected}")),
            Value::String(text) if text.parse::<f64>().is_ok() && expected.contains("number") => {
                (format!("{what} must be {expected}, not a text"), "write the number without quotes".to_owned())
            }
            other if expected == "a list" => (
                format!("{what} must be a list, not {}", kind(other)),
                "write each item on a line of its own, after `- `".to_owned(),
            ),
            other => (format!("{what} must be {expected}, not {}", kind(other)), format!("write {expected}")),
        };
        self.push(codes::WRONG_TYPE, words, place, help);
    }

    /// Says which values there are.
    pub(super) fn unknown_value(&mut self, pointer: &str, instance: &Value, options: &[Value]) {
        let words: Vec<String> =
            options.iter().map(|option| option.as_str().map_or_else(|| option.to_string(), str::to_owned)).collect();
        if !instance.is_string() && options.iter().all(Value::is_string) {
            return self.wrong_type(pointer, &alternatives(&words), instance);
        }
        let place = self.tree.place(pointer);
        let message = format!("{} is not a value of {}", shown(&place, instance), subject(pointer));
        let help = suggestion(&place, instance.as_str().unwrap_or_default(), &words);
        self.push(codes::UNKNOWN_VALUE, message, place, help);
    }

    fn range(&mut self, error: &ValidationError<'_>, pointer: &str) {
        let low = self.keyword(error, "minimum").or_else(|| self.keyword(error, "exclusiveMinimum"));
        let high = self.keyword(error, "maximum").or_else(|| self.keyword(error, "exclusiveMaximum"));
        let unit = self.unit(error);
        let allowed = match (low, high) {
            (Some(low), Some(high)) => format!("a number{unit} from {low} to {high}"),
            (Some(low), None) => format!("a number{unit}, {low} or more"),
            (None, Some(high)) => format!("a number{unit}, {high} or less"),
            (None, None) => "another number".to_owned(),
        };
        let place = self.tree.place(pointer);
        let words = format!("{} is out of range for {}", shown(&place, error.instance()), subject(pointer));
        self.push(codes::RANGE, words, place, format!("write {allowed}"));
    }

    fn length(&mut self, error: &ValidationError<'_>, pointer: &str, unit: &str, limits: [&str; 2]) {
        let [low, high] = limits.map(|word| self.keyword(error, word));
        let has = match error.instance().as_ref() {
            Value::String(text) => text.chars().count(),
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        let many = |number: &str| if number == "1" { format!("one {unit}") } else { format!("{number} {unit}s") };
        let last = high.as_deref().or(low.as_deref()).unwrap_or_default().to_owned();
        let allowed = match (low, high) {
            (Some(low), Some(high)) if low == high => format!("exactly {}", many(&low)),
            (Some(low), Some(high)) => format!("{low} to {}", many(&high)),
            (Some(low), None) => format!("at least {}", many(&low)),
            (None, Some(high)) => format!("at most {}", many(&high)),
            (None, None) => format!("another number of {unit}s"),
        };
        let (number, are) =
            (if has == 0 { "no".to_owned() } else { has.to_string() }, if last == "1" { "is" } else { "are" });
        let s = if has == 1 { "" } else { "s" };
        let words = format!("{} has {number} {unit}{s}: {allowed} {are} needed", subject(pointer));
        let place = self.tree.place(pointer);
        self.push(codes::LENGTH, words, place, format!("write {allowed}"));
    }

    fn pattern(&mut self, error: &ValidationError<'_>, pointer: &str, pattern: &str) {
        let quoted = if self.unquoted(pointer) { ", in quotes where it looks like a number" } else { "" };
        let examples: Vec<&str> = match self.around(error).get("examples") {
            Some(Value::Array(examples)) => examples.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let help = if examples.is_empty() {
            format!("write a text that matches `{pattern}`{quoted}")
        } else {
            format!("write it as in {}{quoted}", alternatives(&examples))
        };
        let place = self.tree.place(pointer);
        let words = format!("{} is not of the form that {} has", shown(&place, error.instance()), subject(pointer));
        self.push(codes::PATTERN, words, place, help);
    }

    fn repeated(&mut self, pointer: &str, instance: &Value) {
        let mut first: HashMap<String, usize> = HashMap::new();
        for (at, item) in instance.as_array().into_iter().flatten().enumerate() {
            let Some(earlier) = first.insert(item.to_string(), at) else {
                continue;
            };
            let place = |at: usize| self.tree.place(&format!("{pointer}/{at}"));
            let words = format!("{} stands twice in {}", shown(&place(at), item), subject(pointer));
            self.findings.push(
                Diagnostic::error(codes::REPEATED_ITEM, words)
                    .at(place(at), "again here")
                    .at(place(earlier), "first here")
                    .help("keep one of the two"),
            );
        }
    }

    /// A text that is not a name says so itself.
    fn format(&mut self, place: Place, instance: &Value, word: &str) {
        let text = instance.as_str().unwrap_or_default();
        let format = FORMATS.iter().find(|format| format.word == word);
        let refused = format.and_then(|format| (format.check)(text).err().map(|error| (format.pattern, error)));
        let Some((pattern, error)) = refused else {
            let words = format!("this text is not of the format `{word}`");
            return self.push(codes::PATTERN, words, place, "write it in that format");
        };
        // `https://token@host`, `user:password@host`
        let credential = text.find(':').is_some_and(|colon| text.rfind('@').is_some_and(|at| colon < at));
        if place.excerpt().is_some() && !credential {
            return self.findings.push(error.at(place));
        }
        // A message that quotes the text has it in backquotes; its help may then quote it too.
        let finding = if error.message.contains('`') {
            let words = format!("this value is not a {}", word.replace('-', " "));
            let help = format!("write a text of the form `{pattern}`");
            Diagnostic::error(error.code, words).at(place.conceal(), "").help(help)
        } else {
            error.at(place.conceal())
        };
        self.findings.push(finding);
    }

    fn bad_key(&mut self, pointer: &str, error: &ValidationError<'_>) {
        let key = error.instance().as_str().unwrap_or_default().to_owned();
        let place = self.tree.key_place(&join(pointer, &key));
        if let Kind::Format { format } = error.kind() {
            return self.format(place, error.instance(), format);
        }
        let words = format!("`{}` cannot be a key of {}", key.escape_debug(), subject(pointer));
        self.push(codes::PATTERN, words, place, "write another key");
    }

    /// A rule for which there are no better words.
    pub(super) fn other(&mut self, pointer: &str, keyword: &str) {
        let words = format!("{} breaks the rule `{keyword}` of its schema", subject(pointer));
        let place = self.tree.place(pointer);
        self.push(codes::INVALID, words, place, "see the schema of this document");
    }
}

/// A type or several, with their articles; `unit` is what a number counts.
fn type_words(kind: &TypeKind, unit: &str) -> String {
    use jsonschema::JsonType;
    let word = |one: JsonType| match one {
        JsonType::Array => "a list".to_owned(),
        JsonType::Boolean => "`true` or `false`".to_owned(),
        JsonType::Integer => format!("a whole number{unit}"),
        JsonType::Null => "nothing".to_owned(),
        JsonType::Number => format!("a number{unit}"),
        JsonType::Object => "a mapping".to_owned(),
        JsonType::String => "a text".to_owned(),
    };
    match kind {
        TypeKind::Single(one) => word(*one),
        TypeKind::Multiple(set) => {
            let words: Vec<String> = set.iter().filter(|one| *one != JsonType::Null).map(word).collect();
            words.join(" or ")
        }
    }
}
