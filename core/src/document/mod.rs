//! From the text of a document to a typed value that still knows its places.
//!
//! Reading has three passes, because typed reading alone stops at the first fault. The text becomes a [`tree`] whose nodes
//! know their span and style, and faults of the writing are judged there; the tree becomes a JSON value that is held
//! against the [schema](schema()) of the Rust type, each error at its place; the value, now clean, is decoded. All faults of the
//! first two passes are reported together.

mod builder;
pub mod codes;
mod doubt;
mod encoding;
mod mapping;
mod parse;
mod prune;
mod refusal;
mod remains;
mod scalar;
mod schema;
mod shape;
mod syntax;
mod tag;
pub mod tree;
mod value;
mod variant;
mod version;
mod words;
mod write;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

pub use encoding::source_from_bytes;
pub use parse::{MAX_ALIASED_NODES, MAX_BYTES, MAX_DEPTH};
pub use prune::StandIn;
pub(crate) use remains::Ground;
pub use remains::Remains;
pub(crate) use schema::arranged;
pub use schema::{schema, schema_line};
pub use version::Upgrade;
pub use write::write;

use crate::diagnostic::{Diagnostic, Findings, Place, Report, Source};
use prune::Pruning;
use remains::{Gaps, Lost};
use schema::Compiled;
use tree::Tree;
use value::Valued;

/// A value read from a text, with the place of every node.
#[derive(Clone, Debug)]
pub struct Document<T> {
    /// The value.
    pub value: T,
    tree: Arc<Tree>,
    /// None, except of what [`Remains`] holds.
    gaps: Gaps,
}

impl<T> Document<T> {
    /// The place of the value at a JSON pointer (`/services/0/name`), or of its nearest ancestor that is written. For a list
    /// or mapping that is its key, or where it has none its first line.
    pub fn place(&self, pointer: &str) -> Place {
        self.tree.place(&self.gaps.written(pointer))
    }

    /// The place of the key at a JSON pointer; in a list, where there are none, that of the item.
    pub fn key_place(&self, pointer: &str) -> Place {
        self.tree.key_place(&self.gaps.written(pointer))
    }

    /// Whether anything is written at a JSON pointer, be it nothing (`key:`).
    pub(crate) fn is_written(&self, pointer: &str) -> bool {
        self.tree.is_written(&self.gaps.written(pointer))
    }

    /// The text it was read from.
    pub fn source(&self) -> &Arc<Source> {
        self.tree.source()
    }
}

/// Reads a document of version 1 or of none, in three passes: a tree with places, the schema of `T`, the value.
///
/// # Errors
/// `document/*`, and the codes of the names in `T`.
pub fn read<T: DeserializeOwned + JsonSchema + 'static>(source: &Arc<Source>) -> Result<Document<T>, Report> {
    read_upgraded(source, &[])
}

/// Reads a document of which older versions exist: `upgrades[0]` makes version 2 of version 1, and so on. A value that an
/// upgrade made is found at the nearest place that is written.
///
/// # Errors
/// `document/*`, and the codes of the names in `T`.
pub fn read_upgraded<T: DeserializeOwned + JsonSchema + 'static>(
    source: &Arc<Source>,
    upgrades: &[Upgrade],
) -> Result<Document<T>, Report> {
    parse(source).read(upgrades)
}

/// A text after the first pass: taken apart, not yet held against a schema. For texts of which it must first be seen what
/// kind of document they are.
#[derive(Debug)]
pub struct Parsed {
    tree: Option<Tree>,
    findings: Findings,
}

/// The first pass alone.
pub fn parse(source: &Arc<Source>) -> Parsed {
    let mut findings = Findings::new();
    let tree = parse::parse(source, &mut findings);
    Parsed { tree, findings }
}

impl Parsed {
    /// The tree, if the text could be taken apart.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// What the first pass found.
    pub fn into_report(self) -> Report {
        self.findings.into_report()
    }

    /// The other two passes, as [`read_upgraded`].
    ///
    /// # Errors
    /// `document/*`, and the codes of the names in `T`; those of the first pass too.
    pub fn read<T: DeserializeOwned + JsonSchema + 'static>(self, upgrades: &[Upgrade]) -> Result<Document<T>, Report> {
        let held = self.hold::<T>(upgrades)?;
        if held.findings.refused() {
            return Err(held.findings.into_report());
        }
        let tree = held.tree;
        match T::deserialize(&held.value) {
            Ok(value) => Ok(Document { value, tree: Arc::new(tree), gaps: Gaps::default() }),
            Err(error) => Err(Report::from(undecodable(&tree, &error.to_string()))),
        }
    }

    /// Reads a document of the newest version although parts of it are refused: the report is that of [`read`], and with it
    /// comes what stands. `None` if too little is left to judge.
    pub fn read_what_stands<T: DeserializeOwned + JsonSchema + 'static>(
        self,
        stand_ins: &[StandIn],
    ) -> (Option<Remains<T>>, Report) {
        let Held { tree, compiled, value, doubts, mut findings } = match self.hold::<T>(&[]) {
            Ok(held) => held,
            Err(report) => return (None, report),
        };
        let whole = !findings.refused();
        let pruned = doubts.and_then(|doubts| Pruning::new(&compiled, stand_ins, value, doubts).finish());
        let Some(Pruning { value, lost, gaps, .. }) = pruned else {
            return (None, findings.into_report());
        };
        match T::deserialize(&value) {
            Ok(value) => {
                let document = Document { value, tree: Arc::new(tree), gaps };
                (Some(Remains::new(document, lost)), findings.into_report())
            }
            Err(error) => {
                // Of a pruned value it says nothing about what was written.
                if whole {
                    findings.push(undecodable(&tree, &error.to_string()));
                }
                (None, findings.into_report())
            }
        }
    }

    /// The second pass: all that it finds, with the value that it judged.
    fn hold<T: JsonSchema + 'static>(self, upgrades: &[Upgrade]) -> Result<Held, Report> {
        let Self { tree, mut findings } = self;
        let Some(tree) = tree else {
            return Err(findings.into_report());
        };
        let compiled = schema::compiled::<T>().map_err(|words| broken_schema(tree.source(), &words))?;
        let mut valued = match version::of(&tree, &compiled, upgrades, &mut findings) {
            version::Version::Newest => value::value(&tree, Some(&compiled.shapes), &mut findings),
            version::Version::Older(steps) => {
                let valued = value::value(&tree, None, &mut findings);
                Valued { value: steps.iter().fold(valued.value, |value, step| step(value)), ..valued }
            }
            version::Version::Unknown => return Err(findings.into_report()),
        };
        let doubts = doubt::doubts(&tree, findings.diagnostics().iter().chain(valued.look_alikes.values()));
        judge(&tree, &compiled, &mut valued, &mut findings);
        valued.look_alikes.into_values().for_each(|look_alike| findings.push(look_alike));
        Ok(Held { tree, compiled, value: valued.value, doubts, findings })
    }
}

/// A document after the second pass.
struct Held {
    tree: Tree,
    compiled: Arc<Compiled>,
    value: serde_json::Value,
    /// What the faults of the writing leave in doubt; `None` if that cannot be told.
    doubts: Option<Lost>,
    findings: Findings,
}

/// Takes a text apart without a schema: for files that are not ours, of which only the places are of interest.
///
/// # Errors
/// `document/*`
pub fn outline(source: &Arc<Source>) -> Result<Tree, Report> {
    match parse(source) {
        Parsed { tree: Some(tree), findings } if !findings.refused() => Ok(tree),
        refused => Err(refused.into_report()),
    }
}

fn judge(tree: &Tree, compiled: &Compiled, valued: &mut Valued, findings: &mut Findings) {
    let Valued { value, unreadable, look_alikes } = valued;
    if compiled.validator.is_valid(value) {
        return;
    }
    let mut context = refusal::Context { tree, compiled, unreadable, look_alikes, findings };
    for error in compiled.validator.iter_errors(value) {
        context.refuse(&error);
    }
}

/// The type admits less than its schema: a defect of the type, said at the document.
fn undecodable(tree: &Tree, words: &str) -> Diagnostic {
    let words = match tree.source().privacy() {
        crate::diagnostic::Privacy::Public => format!("this document cannot be decoded: {words}"),
        crate::diagnostic::Privacy::Private => "this document cannot be decoded".to_owned(),
    };
    Diagnostic::error(codes::DECODE, words)
        .at(tree.place(""), "")
        .help("this is a defect of the program: the schema admits what the type does not; please report it")
}

fn broken_schema(source: &Arc<Source>, words: &str) -> Report {
    Report::from(
        Diagnostic::error(codes::DECODE, format!("the schema of this document cannot be used: {words}"))
            .at(source.whole(), "")
            .help("this is a defect of the program; please report it"),
    )
}
