//! How nginx's lexer wants a value to be written.

/// A value as one word of nginx's language: bare where that is safe, else in double quotes, or in single ones if it holds double
/// ones.
///
/// The lexer (`ngx_conf_read_token`) ends a bare word at white space, `;` or `{`, and resolves, in every word, the escapes
/// `\"`, `\'`, `\\`, `\t`, `\r` and `\n`; any other backslash stays. Nothing else needs an escape, and `$` has none.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl Quoted<'_> {
    /// Appends it to a text.
    pub fn write_to(self, out: &mut String) {
        if is_bare(self.0) {
            out.push_str(self.0);
            return;
        }
        let mark = if self.0.contains('"') && !self.0.contains('\'') { '\'' } else { '"' };
        out.push(mark);
        for character in self.0.chars() {
            match character {
                '"' if mark == '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\n' => out.push_str("\\n"),
                other => out.push(other),
            }
        }
        out.push(mark);
    }
}

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::with_capacity(self.0.len() + 2);
        self.write_to(&mut text);
        f.write_str(&text)
    }
}

/// Whether the lexer reads the text as it stands. Narrower than the lexer's own rule: what looks odd is quoted.
fn is_bare(text: &str) -> bool {
    let is_plain = |byte: u8| {
        matches!(byte,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'$' | b'_' | b'-' | b'.' | b'/' | b':' | b'@' | b'=' | b',' | b'~'
            | b'^' | b'+' | b'*' | b'!' | b'%' | b'(' | b')' | b'[' | b']' | b'?' | b'&' | b'|' | b'<' | b'>')
    };
    !text.is_empty() && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::Quoted;

    /// The words and what ends them, by the rules of `ngx_conf_read_token` in nginx 1.22 and 1.26 (the same): written after
    /// its states, apart from our parser, so that the two cannot share a mistake.
    fn lex(text: &str) -> Option<(Vec<Vec<u8>>, u8)> {
        let (mut words, mut raw) = (Vec::new(), Vec::new());
        let (mut between, mut after_quote, mut escaped, mut variable) = (true, false, false, false);
        let mut quote = None;
        for byte in text.bytes() {
            if escaped {
                escaped = false;
                raw.push(byte);
                continue;
            }
            if after_quote {
                match byte {
                    b' ' | b'\t' | b'\r' | b'\n' | b')' => (between, after_quote) = (true, false),
                    b';' | b'{' => return Some((words, byte)),
                    _ => return None,
                }
                if byte != b')' {
                    continue;
                }
            }
            if between {
                raw.clear();
                match byte {
                    b' ' | b'\t' | b'\r' | b'\n' => continue,
                    b';' | b'{' => return (!words.is_empty()).then_some((words, byte)),
                    b'}' | b'#' => return None,
                    b'"' | b'\'' => quote = Some(byte),
                    b'\\' => {
                        escaped = true;
                        raw.push(byte);
                    }
                    _ => {
                        variable = byte == b'$';
                        raw.push(byte);
                    }
                }
                between = false;
                continue;
            }
            if byte == b'{' && variable {
                raw.push(byte);
                continue;
            }
            variable = byte == b'$';
            if byte == b'\\' {
                escaped = true;
                raw.push(byte);
                continue;
            }
            let found = match quote {
                Some(mark) => byte == mark,
                None => b" \t\r\n;{".contains(&byte),
            };
            if !found {
                raw.push(byte);
                continue;
            }
            words.push(resolve(&raw));
            if quote.take().is_some() {
                after_quote = true;
            } else if byte == b';' || byte == b'{' {
                return Some((words, byte));
            } else {
                between = true;
            }
        }
        None
    }

    fn resolve(raw: &[u8]) -> Vec<u8> {
        let mut value = Vec::new();
        let mut bytes = raw.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let escape = match (byte, bytes.peek()) {
                (b'\\', Some(b'"' | b'\'' | b'\\')) => bytes.peek().copied(),
                (b'\\', Some(b't')) => Some(b'\t'),
                (b'\\', Some(b'r')) => Some(b'\r'),
                (b'\\', Some(b'n')) => Some(b'\n'),
                _ => None,
            };
            if escape.is_some() {
                bytes.next();
            }
            value.push(escape.unwrap_or(byte));
        }
        value
    }

    #[test]
    fn every_short_text_is_read_back() {
        const LETTERS: [char; 18] =
            ['a', 't', 'n', ' ', '\t', '\n', '\r', '"', '\'', '\\', ';', '{', '}', '#', '$', '(', ')', 'é'];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer: Vec<String> =
                texts.iter().flat_map(|text| LETTERS.iter().map(move |letter| format!("{text}{letter}"))).collect();
            for value in &longer {
                for end in [";", " {"] {
                    let text = format!("name {} x{end}", Quoted(value));
                    let words = vec![b"name".to_vec(), value.clone().into_bytes(), b"x".to_vec()];
                    assert_eq!(lex(&text), Some((words, *end.as_bytes().last().unwrap())), "{text}");
                }
            }
            texts = longer;
        }
    }

    #[test]
    fn the_common_case_is_bare() {
        for bare in ["443", "[::]:443", "/.well-known/acme-challenge/", "$remote_addr", "http://pharos_web", "=404"] {
            assert_eq!(Quoted(bare).to_string(), bare);
        }
        assert_eq!(Quoted("").to_string(), r#""""#);
        assert_eq!(Quoted("${host}").to_string(), r#""${host}""#);
        assert_eq!(Quoted(r#"a\d";}"#).to_string(), r#"'a\\d";}'"#);
        assert_eq!(Quoted(r#"a'd""#).to_string(), r#""a'd\"""#);
    }
}
