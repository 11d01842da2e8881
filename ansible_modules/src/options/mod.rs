//! What a module accepts and returns, read from its types, and the judgement of what a task gives.

mod judge;
pub mod schema;

use std::collections::BTreeMap;

use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::module::codes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use judge::{Documents, Giver, Reading, judge};

/// An option or a return value.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSpec {
    /// Its name.
    pub name: String,
    /// What it means, by paragraphs, as the doc comment says it.
    pub description: Vec<String>,
    /// What it may hold.
    pub kind: Kind,
    /// Whether a task must give it.
    pub required: bool,
    /// What stands for it where a task does not give it.
    pub default: Option<Value>,
    /// Whether its value is a secret.
    pub no_log: bool,
    /// The command that makes such a document.
    pub made_by: Option<String>,
}

impl OptionSpec {
    /// Whether its value, or a part of it, is a secret.
    pub fn holds_secret(&self) -> bool {
        let inside = |kind: &Kind| match kind {
            Kind::Dictionary(inner) => inner.iter().any(Self::holds_secret),
            _ => false,
        };
        self.no_log
            || match &self.kind {
                Kind::List { of, .. } => inside(of),
                kind => inside(kind),
            }
    }
}

/// Options that must be given in some cases: `#[schemars(extend("x-required-if" = ...))]` on the argument type, a list of
/// `{"when": {OPTION: VALUE}, "needs": [OPTION]}`. The value `null` means that the option is given at all.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// What must be the case, all of it.
    pub when: BTreeMap<String, Value>,
    /// What is then needed.
    pub needs: Vec<String>,
}

impl Requirement {
    /// The case in words: `` `certificate_mode: existing` and `listener: https` ``.
    pub fn words(&self) -> String {
        let case = |(option, value): (&String, &Value)| match value {
            Value::Null => format!("`{option}`"),
            Value::String(text) => format!("`{option}: {text}`"),
            other => format!("`{option}: {other}`"),
        };
        self.when.iter().map(case).collect::<Vec<_>>().join(" and ")
    }
}

/// What an option may hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A text, perhaps of a well-formedness that [`pharos_core::name::FORMATS`] checks, perhaps one of a few.
    Text {
        /// The word of the format.
        format: Option<String>,
        /// The values there are, each with its meaning; empty: any text.
        choices: Vec<(String, String)>,
    },
    /// An absolute path on the host where the module runs.
    Path,
    /// A whole number in a range.
    Integer {
        /// The least.
        minimum: Option<i64>,
        /// The greatest.
        maximum: Option<i64>,
    },
    /// A number; only returned.
    Number,
    /// A boolean.
    Boolean,
    /// A list.
    List {
        /// What each element is.
        of: Box<Kind>,
        /// The least number of elements.
        at_least: u64,
    },
    /// A dictionary with these keys.
    Dictionary(Vec<OptionSpec>),
    /// A dictionary with free keys: returned, and given to plugins.
    Map(Box<Kind>),
    /// A dictionary with the keys of one of several variants; only returned.
    Variants(Vec<OptionSpec>),
    /// A document on the controller: a path in the task, name and text in the request.
    Document,
    /// Anything: given to plugins; no module's option is of this kind.
    Any,
}

impl Kind {
    /// Whether it is a document on the controller, or a list of such.
    pub fn is_document(&self) -> bool {
        match self {
            Self::Document => true,
            Self::List { of, .. } => of.is_document(),
            _ => false,
        }
    }

    /// The values there are for a text, each with its meaning; none if there are any.
    pub fn choices(&self) -> &[(String, String)] {
        match self {
            Self::Text { choices, .. } => choices,
            _ => &[],
        }
    }
}

/// The arguments as the module's type.
///
/// # Errors
/// `module/unknown-option`, `module/missing-option` and `module/option-value`, all faults at once.
pub fn decode<A: DeserializeOwned + JsonSchema>(arguments: Map<String, Value>, giver: Giver) -> Result<A, Report> {
    let reading = Reading { giver, documents: Documents::Read };
    let arguments = judge(arguments, &schema::of_arguments::<A>(), reading)?;
    serde_json::from_value(Value::Object(arguments)).map_err(|error| undecodable(&error).into())
}

/// The refusal of a value that no rule of the schema refuses and the type does.
pub(crate) fn undecodable(error: &serde_json::Error) -> Diagnostic {
    Diagnostic::error(codes::OPTION_VALUE, error.to_string())
        .at(Place::named("arguments"), "")
        .help("look at the documentation of the module: `ansible-doc pharos.platform.MODULE`")
}

/// Help for a name that does not exist: the nearest one, or all of them.
pub(crate) fn nearest(name: &str, known: &[&str], what: &str) -> String {
    let best = known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((_, candidate)) => format!("did you mean `{candidate}`?"),
        None => format!("the {what} are {}", list(known)),
    }
}

/// `` `a`, `b` and `c` ``.
pub(crate) fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "none".to_owned(),
    }
}
