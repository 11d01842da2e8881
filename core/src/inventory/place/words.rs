//! The words of a host line, as Python's `shlex.split` takes them apart for Ansible: quotes, escapes and comments.

use std::ops::Range;

/// A word after quotes and escapes were undone, and where it stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// What surrounds a character.
#[derive(Clone, Copy, Eq, PartialEq)]
enum State {
    Between,
    Bare,
    Quoted(char),
}

/// The words of a line up to its comment; `None` if a quote or an escape is open at its end. A `#` begins a comment also
/// within a word, if no quotes are about it: so it is with Ansible.
pub(super) fn words(line: &str) -> Option<Vec<Word>> {
    let mut words: Vec<Word> = Vec::new();
    let mut state = State::Between;
    let mut word = Word { text: String::new(), range: 0..0 };
    let mut characters = line.char_indices();
    while let Some((at, c)) = characters.next() {
        let end = at + c.len_utf8();
        if state == State::Between && !is_blank(c) && c != '#' {
            word = Word { text: String::new(), range: at..end };
            state = State::Bare;
        }
        match (state, c) {
            (State::Between, '#') => return Some(words),
            (State::Between, _) => continue,
            (State::Bare, '#') => {
                words.push(word);
                return Some(words);
            }
            (State::Bare, c) if is_blank(c) => {
                words.push(std::mem::replace(&mut word, Word { text: String::new(), range: 0..0 }));
                state = State::Between;
                continue;
            }
            (State::Bare, '\'' | '"') => state = State::Quoted(c),
            (State::Quoted(quote), c) if c == quote => state = State::Bare,
            (State::Bare, '\\') => word.text.push(characters.next()?.1),
            (State::Quoted('"'), '\\') => match characters.next()?.1 {
                escaped @ ('"' | '\\') => word.text.push(escaped),
                other => word.text.extend(['\\', other]),
            },
            (_, c) => word.text.push(c),
        }
        word.range.end = characters.offset();
    }
    match state {
        State::Between => Some(words),
        State::Bare => {
            words.push(word);
            Some(words)
        }
        State::Quoted(_) => None,
    }
}

/// What parts words.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_line_has_the_words_that_shlex_finds() {
        for (line, expected) in [
            ("n1", Some(vec!["n1"])),
            ("n1  ip=10.0.0.1\tx=y", Some(vec!["n1", "ip=10.0.0.1", "x=y"])),
            ("n1 # ip=10.0.0.1", Some(vec!["n1"])),
            ("n1 secret=ab#cd", Some(vec!["n1", "secret=ab"])),
            ("n1 secret='ab#cd' x=y", Some(vec!["n1", "secret=ab#cd", "x=y"])),
            (r#"n1 labels="{'a': 'True'}""#, Some(vec!["n1", "labels={'a': 'True'}"])),
            (r#"n1 a="x\"y\\z\n" b=c\ d"#, Some(vec!["n1", r#"a=x"y\z\n"#, "b=c d"])),
            (r"n1 a='x\y'", Some(vec!["n1", r"a=x\y"])),
            ("n1 a=''", Some(vec!["n1", "a="])),
            ("n1 a='open", None),
            ("n1 a=\\", None),
            ("", Some(vec![])),
        ] {
            let found = words(line).map(|words| words.into_iter().map(|word| word.text).collect::<Vec<_>>());
            assert_eq!(found, expected.map(|list| list.into_iter().map(str::to_owned).collect()), "{line}");
        }
    }

    #[test]
    fn a_word_knows_where_it_stands() {
        let line = "n1  labels=\"{'a': 'b'}\" ip=é # x";
        let found: Vec<_> =
            words(line).unwrap().into_iter().map(|word| line.get(word.range).unwrap().to_owned()).collect();
        assert_eq!(found, ["n1", "labels=\"{'a': 'b'}\"", "ip=é"]);
    }
}
