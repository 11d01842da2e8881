//! The word that was probably meant.

/// The candidate most like `word`, if one is like it at all; of equals the first in the alphabet.
///
/// ```
/// use pharos_core::diagnostic::suggest::nearest;
/// assert_eq!(nearest("ledgr", ["ledger", "billing"]), Some("ledger"));
/// assert_eq!(nearest("gitlab", ["waldur"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(score, candidate)| *score > 0.8 && *candidate != word)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, candidate)| candidate)
}

/// A help text: `did you mean ...?` where a candidate is like the word, else the candidates and the words `or_else`.
pub fn help<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, or_else: &str) -> String {
    let mut all: Vec<&str> = candidates.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    if let Some(near) = nearest(word, all.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    if let [only] = all.as_slice() {
        return format!("there is only `{only}`; {or_else}");
    }
    if all.is_empty() || all.len() > 16 {
        return or_else.to_owned();
    }
    let quoted: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
    format!("there are {}; {or_else}", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::help;

    #[test]
    fn far_words_get_the_list() {
        assert_eq!(help("x", ["waldur", "argo"], "declare it"), "there are `argo`, `waldur`; declare it");
        assert_eq!(help("x", ["argo"], "declare it"), "there is only `argo`; declare it");
        assert_eq!(help("x", [], "declare it"), "declare it");
        assert_eq!(help("waldr", ["waldur", "argo"], "declare it"), "did you mean `waldur`?");
    }
}
