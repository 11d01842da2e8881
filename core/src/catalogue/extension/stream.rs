//! Several extensions in one stream, as `--extensions -` reads them.

use crate::document::MAX_BYTES;

/// The documents of a YAML stream: `---` begins the next one, `...` ends one. Each keeps the lines before it as empty ones, so that
/// places are those of the stream; its name says which one it is. What holds comments alone is no document. JSON is YAML.
///
/// A stream that is too long to be read, or that holds no document at all, is one document, which is then refused: what is not read
/// must not pass for fit.
pub fn documents(name: &str, stream: &[u8]) -> Vec<(String, Vec<u8>)> {
    let one = |bytes: &[u8]| vec![(name.to_owned(), bytes.to_vec())];
    let found = if stream.len() > MAX_BYTES { one(stream) } else { split(name, stream) };
    if found.is_empty() { one(b"") } else { found }
}

fn split(name: &str, stream: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut documents = Vec::new();
    let (mut lines, mut current) = (Vec::new(), Vec::new());
    let mut close = |current: &mut Vec<u8>, lines: &[u8]| {
        if has_content(current) {
            documents.push((format!("{name}[{}]", documents.len() + 1), std::mem::take(current)));
        }
        current.clear();
        current.extend_from_slice(lines);
    };
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        let marker = marker(line);
        // Directives belong to the document that the marker begins, and the marker to them.
        let directed = marker == Some(Marker::Begin) && has_directives(&current);
        if marker == Some(Marker::Begin) && !directed {
            close(&mut current, &lines);
        }
        match marker {
            Some(Marker::Begin) if directed => current.extend_from_slice(line),
            // What stands on the line of the marker belongs to the document.
            Some(Marker::Begin) => {
                current.extend_from_slice(b"   ");
                current.extend_from_slice(line.get(3..).unwrap_or_default());
            }
            Some(Marker::End) => {}
            None => current.extend_from_slice(line),
        }
        lines.push(b'\n');
        if marker == Some(Marker::End) {
            close(&mut current, &lines);
        }
    }
    close(&mut current, &[]);
    documents
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Marker {
    Begin,
    End,
}

/// A marker stands at the begin of its line, and nothing that is part of a document can (YAML 1.2.2, section 9.1.2).
fn marker(line: &[u8]) -> Option<Marker> {
    let (word, rest) = line.split_at_checked(3)?;
    let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
    match word {
        b"---" if ends => Some(Marker::Begin),
        b"..." if ends => Some(Marker::End),
        _ => None,
    }
}

/// Whether lines before a marker are directives (`%YAML 1.2`) and no content (YAML 1.2.2, section 9.1.1).
fn has_directives(before: &[u8]) -> bool {
    let mut lines = before.split(|byte| *byte == b'\n').filter(|line| has_content(line)).peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with(b"%"))
}

fn has_content(document: &[u8]) -> bool {
    let mut starts = document.split(|byte| *byte == b'\n').filter_map(|line| line.trim_ascii_start().first());
    starts.any(|byte| *byte != b'#')
}

#[cfg(test)]
mod tests {
    use super::documents;

    #[test]
    fn each_document_keeps_its_lines() {
        let stream =
            b"# a comment\n---\nname: a\n--- # the second\nname: b\n...\n# nothing\n---\n---\n{\"name\": \"c\"}";
        let shown: Vec<(String, String)> =
            documents("-", stream).into_iter().map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect();
        let expected = [
            ("-[1]", "\n   \nname: a\n".to_owned()),
            ("-[2]", format!("{}    # the second\nname: b\n", "\n".repeat(3))),
            ("-[3]", format!("{}   \n{{\"name\": \"c\"}}", "\n".repeat(8))),
        ];
        assert_eq!(shown, expected.map(|(name, text)| (name.to_owned(), text)));
    }

    #[test]
    fn what_looks_like_a_marker_is_none() {
        assert_eq!(documents("-", b"name: |\n  ---\n  x\n----\n").len(), 1);
    }

    #[test]
    fn directives_stay_with_their_document() {
        let stream = b"# first\n%YAML 1.2\n---\nname: a\n...\n%YAML 1.2\n--- # two\nname: b\n---\nname: c\n";
        let shown: Vec<String> =
            documents("-", stream).into_iter().map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
        let second = format!("{}%YAML 1.2\n--- # two\nname: b\n", "\n".repeat(5));
        assert_eq!(
            shown,
            ["# first\n%YAML 1.2\n---\nname: a\n".to_owned(), second, format!("{}   \nname: c\n", "\n".repeat(8))]
        );
        for text in &shown {
            let source = crate::diagnostic::Source::public("-", text);
            assert!(crate::document::parse(&source).into_report().is_empty(), "{text}");
        }
        assert_eq!(documents("-", b"name: |\n  %YAML\n---\nname: b\n").len(), 2);
    }

    #[test]
    fn what_is_not_read_is_left_to_be_refused() {
        for nothing in ["", "\n# x\n---\n"] {
            assert_eq!(documents("-", nothing.as_bytes()), [("-".to_owned(), Vec::new())]);
        }
        let long = format!("name: a\n---\nname: b\n{}", "#\n".repeat(super::MAX_BYTES / 2));
        assert_eq!(documents("-", long.as_bytes()), [("-".to_owned(), long.into_bytes())]);
    }
}
