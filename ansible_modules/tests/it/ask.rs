//! A task of a real module, as the action plugin would send it.

use std::path::Path;

use pharos_core::diagnostic::Source;
use pharos_core::document::{self, Document};
use pharos_core::policy::{PolicyDocument, edge_environment};
use serde_json::{Value, json};

/// 2026-06-01T00:00:00Z, the controller's time in every request.
pub(crate) const AT: i64 = 1_780_272_000;

/// The answer of a module to these arguments.
pub(crate) fn ask(module: &str, arguments: &Value) -> Value {
    let request = json!({
        "module": module, "version": env!("CARGO_PKG_VERSION"), "instant": AT, "arguments": arguments,
        "_ansible_check_mode": true,
    });
    serde_json::from_str(&pharos_modules::run(&request.to_string())).unwrap()
}

/// The answer, which must be a refusal; its message.
pub(crate) fn refusal(module: &str, arguments: &Value) -> String {
    let answer = ask(module, arguments);
    assert_eq!(answer["failed"], true, "{answer}");
    answer["msg"].as_str().unwrap().to_owned()
}

/// The codes of an answer's findings.
pub(crate) fn codes(answer: &Value) -> Vec<&str> {
    answer["diagnostics"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

/// A file of this checkout.
pub(crate) fn committed(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

/// The committed catalogue, as a document of the controller.
pub(crate) fn catalogue() -> Value {
    json!({ "name": "catalogue/services.yaml", "text": committed("catalogue/services.yaml") })
}

/// The policy of the site `example`, as a document of the controller.
pub(crate) fn policy() -> Value {
    json!({ "name": "policy.yaml", "text": committed("environments/example/policy.yaml") })
}

/// The edge environment of the site `example`, as a document of the controller.
pub(crate) fn environment() -> Value {
    let policy: Document<PolicyDocument> =
        document::read(&Source::public("policy.yaml", &committed("environments/example/policy.yaml"))).unwrap();
    json!({ "name": "edge.yaml", "text": document::write(&edge_environment(&policy).unwrap()).unwrap() })
}
