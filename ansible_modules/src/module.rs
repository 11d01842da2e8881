//! What a module is.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::options::{self, OptionSpec, Requirement};
use crate::outcome::{Failure, Outcome};

/// What a task says beside the arguments.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Context {
    /// Whether nothing may be changed.
    pub check: bool,
    /// Whether the difference will be shown.
    pub diff: bool,
    /// The number of `v` on the command line.
    pub verbosity: u64,
    /// The controller's clock when it sent the task: seconds since 1970-01-01T00:00:00Z.
    pub instant: i64,
}

/// What a module may do to the host; its name ends accordingly.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Family {
    /// `_info`: reads.
    Info,
    /// `_render`: computes from its arguments alone.
    Render,
    /// A plain noun: writes.
    Write,
}

/// Where a module runs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// On the controller: it looks at nothing but its arguments.
    Controller,
    /// On the host of the task.
    Target,
}

/// A module. Its documentation is the doc comment of its argument type: the first paragraph is the short description.
pub trait Module {
    /// The name without the collection: `site_info`.
    const NAME: &'static str;
    /// What it may do.
    const FAMILY: Family;
    /// Where it runs.
    const PLACE: Place;
    /// Named tasks in YAML that show its use.
    const EXAMPLES: &'static str;
    /// A flat structure of scalars, lists, nested structures, unit enumerations and [`ControllerDocument`]s.
    type Arguments: DeserializeOwned + JsonSchema;
    /// What it returns beside `changed`, `diff` and `diagnostics`.
    type Data: Serialize + JsonSchema;

    /// Does the work. In check mode ([`Context::check`]) a module that writes changes nothing and returns the same change.
    fn run(arguments: Self::Arguments, context: &Context) -> Result<Outcome<Self::Data>, Failure>;
}

/// A document that lies on the controller: the task names its path, the action plugin reads it and sends name and text.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ControllerDocument {
    /// The path as the task gives it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl JsonSchema for ControllerDocument {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ControllerDocument".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", (options::schema::DOCUMENT): true })
    }
}

/// A module's work with its types erased.
pub(crate) type Run = fn(Map<String, Value>, &Context) -> Result<Outcome<Value>, Failure>;

/// A module with its types erased: what the runner and the generator hold.
pub struct Entry {
    /// The name without the collection.
    pub name: &'static str,
    /// What it may do.
    pub family: Family,
    /// Where it runs.
    pub place: Place,
    /// Named tasks in YAML.
    pub examples: &'static str,
    arguments: fn() -> schemars::Schema,
    returns: fn() -> schemars::Schema,
    pub(crate) run: Run,
}

impl Entry {
    /// The entry of a module.
    pub const fn of<M: Module>() -> Self {
        Self {
            name: M::NAME,
            family: M::FAMILY,
            place: M::PLACE,
            examples: M::EXAMPLES,
            arguments: options::schema::of_arguments::<M::Arguments>,
            returns: options::schema::of_returns::<M::Data>,
            run: run::<M>,
        }
    }

    /// The JSON Schema of its arguments (draft-07).
    pub fn argument_schema(&self) -> schemars::Schema {
        (self.arguments)()
    }

    /// Its options, in the order of the argument type.
    pub fn options(&self) -> Vec<OptionSpec> {
        options::schema::read(&self.argument_schema())
    }

    /// The options that are needed in some cases.
    pub fn requirements(&self) -> Vec<Requirement> {
        options::schema::requirements(&self.argument_schema())
    }

    /// The options, each with the cases in which it is needed as a last paragraph.
    pub fn documented_options(&self) -> Vec<OptionSpec> {
        let requirements = self.requirements();
        let mut options = self.options();
        for option in &mut options {
            let cases = requirements.iter().filter(|requirement| requirement.needs.contains(&option.name));
            option.description.extend(cases.map(|requirement| format!("Required with {}.", requirement.words())));
        }
        options
    }

    /// Its return values, in the order of the data type.
    pub fn returns(&self) -> Vec<OptionSpec> {
        options::schema::read(&(self.returns)())
    }

    /// Whether a task may run in the background: on its host, and with nothing secret in its answer, which would lie in a file there.
    pub fn runs_in_background(&self) -> bool {
        self.place == Place::Target && !self.returns().iter().any(OptionSpec::holds_secret)
    }

    /// The paragraphs of its description; the first is the short one.
    pub fn description(&self) -> Vec<String> {
        options::schema::paragraphs(self.argument_schema().as_value())
    }
}

fn run<M: Module>(arguments: Map<String, Value>, context: &Context) -> Result<Outcome<Value>, Failure> {
    let arguments = options::decode::<M::Arguments>(arguments, options::Giver::Task)?;
    let outcome = M::run(arguments, context)?;
    let data = serde_json::to_value(&outcome.data).map_err(|error| options::undecodable(&error))?;
    Ok(Outcome { data, change: outcome.change, report: outcome.report })
}
