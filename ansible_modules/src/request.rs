//! What arrives: which module, what the task says beside the arguments, and the arguments.

use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::module::codes;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::module::Context;
use crate::plugin::Kind;

/// A request, its own keys judged and its arguments not yet.
#[derive(Clone, Debug)]
pub struct Request {
    /// The module's or plugin's name without the collection.
    pub module: String,
    /// What a plugin of this name is to a template; nothing for a module.
    pub plugin: Option<Kind>,
    /// What the task says beside the arguments.
    pub context: Context,
    /// Whether the arguments are judged, with documents of the controller as their paths, and nothing is run.
    pub judge: bool,
    /// The arguments as the task gives them.
    pub arguments: Map<String, Value>,
}

/// The request's own keys beside `arguments`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    module: String,
    #[serde(default)]
    plugin: Option<Kind>,
    version: String,
    instant: i64,
    #[serde(default)]
    judge: bool,
    /// Whom the answer is about, in the inventory's word.
    #[serde(default, rename = "host")]
    _host: String,
}

/// The host that a request is for, however wrong the rest of it is: messages name it.
pub fn host(bytes: &[u8]) -> Option<String> {
    let request: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
    request.get("host").and_then(Value::as_str).filter(|host| !host.is_empty()).map(str::to_owned)
}

/// Reads a request: `{"module", "plugin", "version", "instant", "host", "arguments", "_ansible_check_mode", ...}`. Ansible's own keys
/// (`_ansible_*`) are split off first, those that this version does not know are passed over; the rest is strict.
///
/// # Errors
/// `module/request` for anything that is no such object; `module/version-skew` if `version` is not that of this crate.
pub fn read(bytes: &[u8]) -> Result<Request, Report> {
    let refuse =
        |message: String| Report::from(Diagnostic::error(codes::REQUEST, message).at(Place::named("request"), ""));
    let mut map: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| {
        // the place alone: the words of the parser may quote the input, which may hold a secret
        refuse(format!("not a JSON object: line {}, column {}", error.line(), error.column()))
    })?;
    let ansible = split_off(&mut map);
    let Some(Value::Object(arguments)) = map.remove("arguments") else {
        return Err(refuse("`arguments` is not an object".to_owned()));
    };
    let envelope: Envelope = serde_json::from_value(map.into()).map_err(|error| refuse(error.to_string()))?;
    let own = env!("CARGO_PKG_VERSION");
    if envelope.version != own {
        let message = format!("the collection is of version {}, this core of version {own}", envelope.version);
        let diagnostic = Diagnostic::error(codes::VERSION_SKEW, message).at(Place::named("request"), "");
        let help = "install the same version of the Python package `pharos` and of the collection `pharos.platform`";
        return Err(diagnostic.help(help).into());
    }
    let flag = |key: &str| ansible.get(key).and_then(Value::as_bool).unwrap_or(false);
    let context = Context {
        check: flag("_ansible_check_mode"),
        diff: flag("_ansible_diff"),
        verbosity: ansible.get("_ansible_verbosity").and_then(Value::as_u64).unwrap_or(0),
        instant: envelope.instant,
    };
    let module = envelope.module.rsplit('.').next().unwrap_or_default().to_owned();
    Ok(Request { module, plugin: envelope.plugin, context, judge: envelope.judge, arguments })
}

/// Takes Ansible's own keys out.
fn split_off(map: &mut Map<String, Value>) -> Map<String, Value> {
    let keys: Vec<String> = map.keys().filter(|key| key.starts_with("_ansible_")).cloned().collect();
    keys.into_iter().filter_map(|key| map.remove(&key).map(|value| (key, value))).collect()
}
