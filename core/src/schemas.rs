//! The JSON Schemas that lie beside the documents, in `catalogue/schema/`: for editors, and for whoever has no Rust.

use serde_json::Value;

use crate::catalogue::CatalogueDocument;
use crate::document::schema;
use crate::identity::ExternalIdentity;
use crate::plan::Plan;
use crate::policy::{EdgeEnvironment, PolicyDocument};

/// A schema that is committed: the name of its file, and what makes it.
pub type Committed = (&'static str, fn() -> Value);

/// Every schema that is committed, by file name. `make verify` refuses a file that differs from what its type gives.
pub const COMMITTED: &[Committed] = &[
    ("catalogue.json", schema::<CatalogueDocument>),
    ("edge-environment.json", schema::<EdgeEnvironment>),
    ("external-aai.json", schema::<ExternalIdentity>),
    ("plan.json", schema::<Plan>),
    ("policy.json", schema::<PolicyDocument>),
];

/// The text of a committed schema: indented by two blanks, with a final newline.
pub fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}
