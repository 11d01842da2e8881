//! Values that a template gives by their place and that have none.

use pharos_core::diagnostic::{Diagnostic, Findings, Place, Report};
use pharos_core::module::codes;
use serde_json::{Map, Value};

use crate::options;

/// The key under which values arrive that a plugin has no place for.
const EXCESS: &str = "*";

/// How many values were given by their place that have none.
pub(super) struct Excess(usize);

impl Excess {
    /// Takes them out of the arguments.
    pub(super) fn split_off(arguments: &mut Map<String, Value>) -> Self {
        let values = arguments.remove(EXCESS);
        Self(values.as_ref().and_then(Value::as_array).map_or(0, Vec::len))
    }

    /// The judgement of the arguments that have a name, and that of those which have none.
    pub(super) fn conclude<T>(self, judged: Result<T, Report>, places: &[&str]) -> Result<T, Report> {
        let Self(count @ 1..) = self else { return judged };
        let mut findings = Findings::new();
        if let Err(report) = judged {
            findings.extend(report);
        }
        let given = if count == 1 { "one value".to_owned() } else { format!("{count} values") };
        let message = format!("it is given {given} too many by place");
        let help = match places {
            [_] => "it takes none beside what it is applied to: leave it out".to_owned(),
            [_, rest @ ..] => format!("behind what it is applied to it takes {} by place, once", options::list(rest)),
            [] => "leave them out".to_owned(),
        };
        findings.push(Diagnostic::error(codes::UNKNOWN_OPTION, message).at(Place::named("arguments"), "").help(help));
        Err(findings.into_report())
    }
}
