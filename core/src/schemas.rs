//! The JSON Schemas that lie beside the documents, in `catalogue/schema/`: for editors, and for whoever has no Rust.

use serde_json::Value;

use crate::catalogue::{CatalogueDocument, ExtensionDocument};
use crate::document::schema;
use crate::identity::ExternalIdentity;
use crate::plan::Plan;
use crate::policy::{EdgeEnvironment, PolicyDocument};

/// A schema that is committed: the name of its file, and what makes it.
pub type Committed = (&'static str, fn() -> Value);

/// Every schema that is committed, by file name. `make verify` refuses a file that differs from what its type gives.
pub const COMMITTED: &[Committed] = &[
    ("catalogue.json", catalogue),
    ("edge-environment.json", schema::<EdgeEnvironment>),
    ("extension.json", schema::<ExtensionDocument>),
    ("external-aai.json", schema::<ExternalIdentity>),
    ("plan.json", schema::<Plan>),
    ("policy.json", schema::<PolicyDocument>),
];

/// The catalogue's, with that of a laboratory's extension at `#/$defs/extension`: both state routes in the same words. Whoever wants
/// the catalogue alone takes `schema::<CatalogueDocument>()`, which has no `$defs`.
fn catalogue() -> Value {
    let mut catalogue = schema::<CatalogueDocument>();
    let mut extension = schema::<ExtensionDocument>();
    let inner = extension.as_object_mut();
    let shared = inner.and_then(|extension| {
        extension.remove("$schema");
        extension.remove("definitions")
    });
    if let (Some(Value::Object(all)), Some(Value::Object(shared))) = (catalogue.get_mut("definitions"), shared) {
        all.extend(shared);
        all.sort_keys();
    }
    if let Some(object) = catalogue.as_object_mut() {
        object.insert("$defs".to_owned(), serde_json::json!({ "extension": extension }));
        object.sort_keys();
    }
    catalogue
}

/// The text of a committed schema: indented by two blanks, with a final newline.
pub fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}
