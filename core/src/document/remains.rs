//! What stands of a document of which a part was refused: enough to judge the rest by, and nothing to render from.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Document;
use super::tree::{Tree, above};

/// A document without its refused parts. It is for rules alone, so that a run says all that is wrong: nothing outside the
/// core can take the value out of one that is not whole, and no function that makes routes or configuration accepts it.
#[derive(Clone, Debug)]
pub struct Remains<T> {
    document: Document<T>,
    lost: Lost,
}

impl<T> Remains<T> {
    pub(super) fn new(document: Document<T>, lost: Lost) -> Self {
        Self { document, lost }
    }

    /// Whether nothing was refused.
    pub fn whole(&self) -> bool {
        self.lost.is_empty()
    }

    /// The document, if nothing of it was refused.
    pub fn into_whole(self) -> Option<Document<T>> {
        self.whole().then_some(self.document)
    }

    /// The document as rules see it. What they find may rest on a part that was lost: see [`Ground`].
    pub(crate) fn judged(&self) -> &Document<T> {
        &self.document
    }

    /// What a finding about it can rest on.
    pub(crate) fn ground(&self) -> Ground<'_> {
        Ground { lost: &self.lost, tree: &self.document.tree }
    }
}

/// What is known of a document: which parts of it were lost, and what was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) lost: &'a Lost,
    pub(crate) tree: &'a Tree,
}

impl<'a> Ground<'a> {
    /// The scalar that is written at a pointer.
    pub(crate) fn text(self, pointer: &str) -> Option<&'a str> {
        self.tree.text_at(pointer)
    }

    /// The pointers of the items of a list.
    pub(crate) fn items(self, pointer: &str) -> impl Iterator<Item = String> {
        (0..self.tree.length_at(pointer)).map(move |at| format!("{pointer}/{at}"))
    }
}

/// The parts of a document that are not known, by JSON pointers into what was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lost {
    /// Values that were refused, are doubtful, or may be what an unknown key was meant to be.
    gone: BTreeSet<String>,
    /// Collections that lost a member which cannot be named: an item, or an entry whose key is refused.
    open: BTreeSet<String>,
    /// Keys that stand where they do not belong: what they hold may be missed anywhere else.
    strays: BTreeSet<String>,
}

impl Lost {
    pub(super) fn value(&mut self, pointer: impl Into<String>) {
        self.gone.insert(pointer.into());
    }

    pub(super) fn member_of(&mut self, collection: impl Into<String>) {
        self.open.insert(collection.into());
    }

    pub(super) fn stray(&mut self, key: impl Into<String>) {
        self.strays.insert(key.into());
    }

    /// Whether all is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.open.is_empty() && self.strays.is_empty()
    }

    /// Whether it is certain what stands at a pointer, or that nothing does.
    pub(crate) fn knows(&self, pointer: &str) -> bool {
        let gone = self.gone.contains(pointer) || above(pointer).any(|above| self.gone.contains(above));
        !gone && !pointer.split('/').any(|token| self.strays.contains(token))
    }

    /// Whether a value was itself refused, or is doubtful.
    pub(crate) fn refused(&self, pointer: &str) -> bool {
        self.gone.contains(pointer)
    }

    /// Whether it is certain that a mapping has, or has not, the entry of a key.
    pub(crate) fn knows_entry(&self, mapping: &str, key: &str) -> bool {
        !self.open.contains(mapping) && self.knows(&super::tree::join(mapping, key))
    }

    /// Whether a list or mapping is certain to have the members that it is left with and no others.
    pub(crate) fn knows_all(&self, collection: &str) -> bool {
        let below = format!("{collection}/");
        let mut inside = self.gone.range(below.clone()..).take_while(|pointer| pointer.starts_with(&below));
        let member = |pointer: &String| pointer.get(below.len()..).is_some_and(|rest| !rest.contains('/'));
        self.knows(collection) && !self.open.contains(collection) && !inside.any(member)
    }
}

/// The items that were taken out of lists: what a pointer into the rest is in what was written.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps(BTreeMap<String, BTreeSet<usize>>);

impl Gaps {
    /// Notes an item, by its number in what was written.
    pub(super) fn note(&mut self, list: String, item: usize) {
        self.0.entry(list).or_default().insert(item);
    }

    /// The pointer, as it leads through what was written.
    pub(super) fn written<'p>(&self, pointer: &'p str) -> Cow<'p, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(pointer);
        }
        let mut written = String::with_capacity(pointer.len() + 2);
        for token in pointer.split('/').skip(1) {
            let shifted = self.0.get(&written).and_then(|taken| Some(shift(token.parse().ok()?, taken).to_string()));
            written.push('/');
            written.push_str(shifted.as_deref().unwrap_or(token));
        }
        Cow::Owned(written)
    }
}

/// The number that an item of the rest had, before the items `taken` were.
fn shift(item: usize, taken: &BTreeSet<usize>) -> usize {
    taken.iter().fold(item, |item, taken| if *taken <= item { item + 1 } else { item })
}

#[cfg(test)]
mod tests {
    use super::{Gaps, Lost};

    #[test]
    fn what_is_known_of_a_value() {
        let mut lost = Lost::default();
        assert!(lost.is_empty() && lost.knows("/a"));
        lost.value("/a/b");
        lost.stray("trust");
        assert!(lost.knows("/a") && lost.knows("/a/bc") && !lost.knows("/a/b") && !lost.knows("/a/b/c"));
        assert!(!lost.knows("/x/trust") && !lost.knows("/trust/0") && lost.knows("/x/trusted"));
        lost.value("");
        assert!(!lost.knows("/x"));
    }

    #[test]
    fn what_is_known_of_a_collection() {
        let mut lost = Lost::default();
        lost.value("/map/a");
        lost.value("/map/b/c");
        lost.member_of("/list");
        assert!(lost.knows_entry("/map", "b") && !lost.knows_entry("/map", "a") && !lost.knows_all("/map"));
        assert!(!lost.knows_all("/list") && !lost.knows_entry("/list", "x") && lost.knows("/list/0"));
        assert!(!lost.knows_all("/map/b") && lost.knows_all("/map/d") && lost.knows_all(""));
    }

    #[test]
    fn pointers_lead_to_what_was_written() {
        let mut gaps = Gaps::default();
        assert_eq!(gaps.written("/a/0"), "/a/0");
        for item in [4, 0, 1] {
            gaps.note("/a".to_owned(), item);
        }
        gaps.note("/a/2/b".to_owned(), 0);
        assert_eq!(gaps.written("/a/0/b/0"), "/a/2/b/1");
        assert_eq!(gaps.written("/a/1"), "/a/3");
        assert_eq!(gaps.written("/a/2"), "/a/5");
        assert_eq!(gaps.written("/c/0"), "/c/0");
        assert_eq!(gaps.written(""), "");
    }
}
