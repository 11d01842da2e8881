//! What the second pass refused is taken out of a value, until the rest is sound.
//!
//! A refused item, entry or optional property is removed; so is a key that does not exist. Where the schema needs what was
//! refused, a [`StandIn`] takes its place if there is one, else what holds it is removed in the next round. Everything that was
//! removed or replaced is noted as lost.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::remains::{Gaps, Lost};
use super::schema::Compiled;
use super::tree::{above, join, unescape};
use super::variant;

/// A value that is sound where a refused one was needed. It is never judged: a finding about it would rest on what was lost.
#[derive(Clone, Debug)]
pub struct StandIn {
    /// Where: a JSON pointer, in which `*` stands for every item of a list.
    pub pointer: &'static str,
    /// The value.
    pub value: Value,
}

/// Each round removes something nearer to the root: documents of ours have a third of these levels.
const ROUNDS: usize = 16;

/// One thing that the schema refuses, by pointers into the value as it is.
enum Fault {
    /// A value.
    Value(String),
    /// An entry whose key is refused: the mapping and the key.
    Key(String, String),
    /// A key that does not exist: the mapping, the key, and the keys that it may have been meant for.
    Unknown(String, String, Vec<String>),
    /// A key that is needed: the mapping and the key.
    Missing(String, String),
}

/// A value on its way to be sound.
pub(super) struct Pruning<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) stand_ins: &'a [StandIn],
    pub(super) value: Value,
    pub(super) lost: Lost,
    pub(super) gaps: Gaps,
    /// Where a stand-in was put, by what was written: one that is refused itself is not put there again.
    replaced: BTreeSet<String>,
}

impl<'a> Pruning<'a> {
    pub(super) fn new(compiled: &'a Compiled, stand_ins: &'a [StandIn], value: Value, lost: Lost) -> Self {
        Self { compiled, stand_ins, value, lost, gaps: Gaps::default(), replaced: BTreeSet::new() }
    }

    /// Removes until the schema is content; `None` if nothing would stand.
    pub(super) fn finish(mut self) -> Option<Self> {
        for _ in 0..ROUNDS {
            let mut faults = Vec::new();
            for error in self.compiled.validator.iter_errors(&self.value) {
                faults_of(&error, self.compiled, &mut faults);
            }
            if faults.is_empty() {
                return Some(self);
            }
            self.round(faults)?;
        }
        None
    }

    /// Notes what is lost, then replaces, then removes: the faults' pointers hold until something is removed.
    fn round(&mut self, faults: Vec<Fault>) -> Option<()> {
        let mut replaced = BTreeSet::new();
        let mut removed = BTreeSet::new();
        for fault in faults {
            match fault {
                Fault::Value(pointer) => self.give_up(pointer, &mut replaced, &mut removed),
                Fault::Missing(owner, key) => {
                    let pointer = join(&owner, &key);
                    let refused = if self.stand_in(&pointer).is_some() { pointer } else { owner };
                    self.give_up(refused, &mut replaced, &mut removed);
                }
                Fault::Key(owner, key) => {
                    self.lost.member_of(self.gaps.written(&owner));
                    removed.insert(join(&owner, &key));
                }
                Fault::Unknown(owner, key, meant) => {
                    let written = self.gaps.written(&owner);
                    for meant in meant {
                        self.lost.value(join(&written, &meant));
                    }
                    let pointer = join(&owner, &key);
                    self.lost.stray(pointer.rsplit('/').next().unwrap_or_default());
                    removed.insert(pointer);
                }
            }
        }
        removed.retain(|pointer| !above(pointer).any(|above| replaced.contains(above)));
        for pointer in replaced {
            self.replace(&pointer);
        }
        self.remove(removed)
    }

    fn give_up(&mut self, pointer: String, replaced: &mut BTreeSet<String>, removed: &mut BTreeSet<String>) {
        self.lost.value(self.gaps.written(&pointer));
        if self.stand_in(&pointer).is_some() {
            replaced.insert(pointer);
        } else {
            removed.insert(pointer);
        }
    }

    fn stand_in(&self, pointer: &str) -> Option<&'a StandIn> {
        if self.replaced.contains(&*self.gaps.written(pointer)) {
            return None;
        }
        self.stand_ins.iter().find(|stand_in| {
            let (mut pattern, mut tokens) = (stand_in.pointer.split('/'), pointer.split('/'));
            let same = pattern.by_ref().zip(tokens.by_ref()).all(|(pattern, token)| pattern == "*" || pattern == token);
            same && stand_in.pointer.split('/').count() == pointer.split('/').count()
        })
    }

    fn replace(&mut self, pointer: &str) {
        let Some(stand_in) = self.stand_in(pointer) else { return };
        let Some((owner, key)) = pointer.rsplit_once('/') else { return };
        if let Some(Value::Object(owner)) = self.value.pointer_mut(owner) {
            owner.insert(unescape(key).into_owned(), stand_in.value.clone());
        }
        self.replaced.insert(self.gaps.written(pointer).into_owned());
    }

    /// Removes from the leaves to the root, all that one collection loses at once; `None` if it is the root that goes.
    fn remove(&mut self, removed: BTreeSet<String>) -> Option<()> {
        let mut by_owner: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        for pointer in removed {
            let (owner, key) = pointer.rsplit_once('/')?;
            let depth = owner.split('/').count();
            by_owner.entry((depth, owner.to_owned())).or_default().push(key.to_owned());
        }
        let written: Vec<String> = by_owner.keys().map(|(_, owner)| self.gaps.written(owner).into_owned()).collect();
        // The numbers that the items had are asked for before any is taken.
        let before = self.gaps.clone();
        for (((_, owner), keys), written) in by_owner.into_iter().zip(written).rev() {
            match self.value.pointer_mut(&owner) {
                Some(Value::Array(items)) => {
                    let taken: HashSet<usize> = keys.iter().filter_map(|key| key.parse().ok()).collect();
                    let mut at = 0..;
                    items.retain(|_| !at.next().is_some_and(|at| taken.contains(&at)));
                    self.lost.member_of(written.clone());
                    for key in &keys {
                        let item = before.written(&join(&owner, key)).rsplit('/').next().and_then(|at| at.parse().ok());
                        if let Some(item) = item {
                            self.gaps.note(written.clone(), item);
                        }
                    }
                }
                Some(Value::Object(map)) => {
                    let taken: HashSet<_> = keys.iter().map(|key| unescape(key)).collect();
                    map.retain(|key, _| !taken.contains(key.as_str()));
                }
                _ => {}
            }
        }
        Some(())
    }
}

/// What one error refuses. An optional value is refused for what is wrong inside it.
fn faults_of(error: &ValidationError<'_>, compiled: &Compiled, faults: &mut Vec<Fault>) {
    let pointer = error.instance_path().as_str().to_owned();
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let path = error.schema_path().as_str();
            let around = path.rsplit_once('/').and_then(|(around, _)| compiled.schema.pointer(around));
            let known = around.and_then(|around| around.get("properties")).and_then(Value::as_object);
            let known = known.into_iter().flat_map(|known| known.keys());
            let free: Vec<String> = known.filter(|key| error.instance().get(key).is_none()).cloned().collect();
            faults.extend(unexpected.iter().map(|key| Fault::Unknown(pointer.clone(), key.clone(), free.clone())));
        }
        Kind::Required { property } => {
            faults.push(Fault::Missing(pointer, property.as_str().unwrap_or_default().to_owned()));
        }
        Kind::PropertyNames { error } => {
            faults.push(Fault::Key(pointer, error.instance().as_str().unwrap_or_default().to_owned()));
        }
        Kind::UniqueItems => {
            let mut seen = HashSet::new();
            let items = error.instance().as_array().into_iter().flatten().enumerate();
            let again = items.filter(|(_, item)| !seen.insert(item.to_string()));
            faults.extend(again.map(|(at, _)| Fault::Value(format!("{pointer}/{at}"))));
        }
        Kind::OneOfNotValid { context } | Kind::AnyOf { context } => {
            let branches = compiled.schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
            match branches.and_then(|branches| variant::only(branches, context)) {
                Some(errors) => errors.iter().for_each(|error| faults_of(error, compiled, faults)),
                None => faults.push(Fault::Value(pointer)),
            }
        }
        _ => faults.push(Fault::Value(pointer)),
    }
}
