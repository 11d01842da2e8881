//! Matchers of paths, found by the path.

use std::collections::{BTreeSet, HashMap};

/// Matchers by what they match: each has a number, several may match the same.
#[derive(Debug, Default)]
pub(super) struct Paths<'o> {
    exact: HashMap<&'o str, Vec<usize>>,
    beginnings: HashMap<&'o str, Vec<usize>>,
    /// The lengths of the beginnings: a path is looked up once for each.
    lengths: BTreeSet<usize>,
}

impl<'o> Paths<'o> {
    pub(super) fn add_exact(&mut self, text: &'o str, number: usize) {
        self.exact.entry(text).or_default().push(number);
    }

    pub(super) fn add_beginning(&mut self, text: &'o str, number: usize) {
        self.beginnings.entry(text).or_default().push(number);
        self.lengths.insert(text.len());
    }

    /// The numbers of all that match a path.
    pub(super) fn matching<'s>(&'s self, path: &'s str) -> impl Iterator<Item = usize> + 's {
        let exact = self.exact.get(path).into_iter().flatten();
        let beginnings =
            self.lengths.range(..=path.len()).filter_map(|length| self.beginnings.get(path.get(..*length)?)).flatten();
        exact.chain(beginnings).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Paths;

    #[test]
    fn all_that_match_are_found() {
        let mut paths = Paths::default();
        for (number, text) in ["/", "/a", "/a/", "/b"].into_iter().enumerate() {
            paths.add_beginning(text, number);
        }
        paths.add_exact("/a", 9);
        let found = |path| {
            let mut found: Vec<usize> = paths.matching(path).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found("/a"), [0, 1, 9]);
        assert_eq!(found("/a/x"), [0, 1, 2]);
        assert_eq!(found("/ab"), [0, 1]);
        assert_eq!(found("a"), [0; 0]);
    }
}
