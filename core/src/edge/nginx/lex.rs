//! nginx's lexer: bytes of one file to statements.
//!
//! The rules are those of `ngx_conf_read_token` (nginx 1.22 to 1.29 agree), with its traps: quotes count only at the start of
//! a word, `{` ends an unquoted word unless a `$` stands right before it, `}` inside a word is part of it, a closing quote
//! must be followed by a space, `;`, `{` or `)`, and nothing, comments included, may be longer than the read buffer.

use std::ops::Range;

/// nginx's read buffer: what starts here must end before as many bytes are read, unless the file ends first.
const BUFFER: usize = 4096;

/// A word with the bytes that it was written in, quotes included.
#[derive(Debug)]
pub(super) struct Token {
    /// The value, quotes and escapes resolved.
    pub(super) value: String,
    /// Where it stands.
    pub(super) range: Range<usize>,
}

/// What ended a statement.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// `;`
    Semicolon,
    /// `{`
    Open,
    /// `}`; there are no words before it.
    Close,
    /// The end of the file; there are no words before it.
    File,
}

/// Words and what ended them.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) words: Vec<Token>,
    pub(super) end: End,
    /// Where the end stands.
    pub(super) at: Range<usize>,
}

/// Why nginx would refuse the file, in its words where it has some.
#[derive(Debug)]
pub(super) struct LexError {
    pub(super) message: String,
    pub(super) range: Range<usize>,
    pub(super) help: &'static str,
}

/// What the lexer is in the middle of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    /// Between two words.
    Space,
    /// In a comment.
    Comment,
    /// In a word without quotes.
    Plain,
    /// In a word that began with this quote.
    Quoted(u8),
    /// Right after a closing quote.
    Closed,
}

/// Reads one file, statement by statement.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next statement.
    pub(super) fn statement(&mut self) -> Result<Statement, LexError> {
        Reading {
            lexer: self,
            state: State::Space,
            start: 0,
            open: 0,
            escaped: false,
            variable: false,
            words: Vec::new(),
        }
        .run()
    }

    /// What stands up to the brace that closes a Lua block, whose opening brace was just read.
    pub(super) fn lua(&mut self) -> Result<&'a str, LexError> {
        let open = self.at;
        let rest = self.text.get(open..).unwrap_or_default();
        let Some(length) = super::lua::body_length(rest) else {
            return Err(LexError {
                message: "unexpected end of file, expecting \"}\" to close the Lua block".to_owned(),
                range: open.saturating_sub(1)..open,
                help: "close the block; braces in Lua strings and comments do not count",
            });
        };
        self.at = open + length + 1;
        Ok(rest.get(..length).unwrap_or_default())
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }
}

/// A statement in the making.
struct Reading<'r, 'a> {
    lexer: &'r mut Lexer<'a>,
    state: State,
    /// Where nginx counts the length from: the word, or the comment.
    start: usize,
    /// Where the word begins, its quote included.
    open: usize,
    /// Whether a backslash stands before this byte.
    escaped: bool,
    /// Whether a `$` stands before this byte (and only `{` since).
    variable: bool,
    words: Vec<Token>,
}

impl Reading<'_, '_> {
    fn run(mut self) -> Result<Statement, LexError> {
        self.start = self.lexer.at;
        loop {
            let at = self.lexer.at;
            let Some(byte) = self.lexer.byte(at) else {
                return self.end_of_file(at);
            };
            if at - self.start >= BUFFER {
                return Err(self.too_long());
            }
            self.lexer.at = at + 1;
            if let Some(end) = self.step(at, byte)? {
                return Ok(Statement { words: self.words, end, at: at..at + 1 });
            }
        }
    }

    /// One byte; the answer is what it ended, if it ended the statement.
    fn step(&mut self, at: usize, byte: u8) -> Result<Option<End>, LexError> {
        if self.state == State::Comment {
            if byte == b'\n' {
                self.state = State::Space;
            }
            return Ok(None);
        }
        if self.escaped {
            self.escaped = false;
            return Ok(None);
        }
        match self.state {
            State::Closed => self.after_quote(at, byte),
            State::Space | State::Comment => self.between_words(at, byte),
            State::Plain | State::Quoted(_) => Ok(self.in_word(at, byte)),
        }
    }

    fn after_quote(&mut self, at: usize, byte: u8) -> Result<Option<End>, LexError> {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                self.state = State::Space;
                Ok(None)
            }
            b';' => Ok(Some(End::Semicolon)),
            b'{' => Ok(Some(End::Open)),
            b')' => self.between_words(at, byte),
            _ => Err(self.unexpected(at, "put a space after the closing quote")),
        }
    }

    fn between_words(&mut self, at: usize, byte: u8) -> Result<Option<End>, LexError> {
        self.start = at;
        self.open = at;
        self.state = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => State::Space,
            b';' | b'{' if self.words.is_empty() => {
                return Err(self.unexpected(at, "a directive begins with its name"));
            }
            b';' => return Ok(Some(End::Semicolon)),
            b'{' => return Ok(Some(End::Open)),
            b'}' if self.words.is_empty() => return Ok(Some(End::Close)),
            b'}' => return Err(self.unexpected(at, "end the directive before it with `;`")),
            b'#' => State::Comment,
            b'"' | b'\'' => {
                self.start = at + 1;
                State::Quoted(byte)
            }
            b'\\' => {
                self.escaped = true;
                State::Plain
            }
            b'$' => {
                self.variable = true;
                State::Plain
            }
            _ => State::Plain,
        };
        Ok(None)
    }

    fn in_word(&mut self, at: usize, byte: u8) -> Option<End> {
        if byte == b'{' && self.variable {
            return None;
        }
        self.variable = byte == b'$';
        match (byte, self.state) {
            (b'\\', _) => self.escaped = true,
            (b'$', _) => {}
            (_, State::Quoted(quote)) if byte == quote => {
                self.push_word(at, at + 1);
                self.state = State::Closed;
            }
            (_, State::Quoted(_)) => {}
            (b' ' | b'\t' | b'\r' | b'\n' | b';' | b'{', _) => {
                self.push_word(at, at);
                self.state = State::Space;
                return match byte {
                    b';' => Some(End::Semicolon),
                    b'{' => Some(End::Open),
                    _ => None,
                };
            }
            _ => {}
        }
        None
    }

    fn push_word(&mut self, until: usize, end: usize) {
        let raw = self.lexer.text.get(self.start..until).unwrap_or_default();
        self.words.push(Token { value: unescape(raw), range: self.open..end });
    }

    fn end_of_file(self, at: usize) -> Result<Statement, LexError> {
        let in_word = !matches!(self.state, State::Space | State::Comment);
        if !self.words.is_empty() || in_word {
            let range = self.words.first().map_or(self.open..at, |word| word.range.clone());
            return Err(LexError {
                message: "unexpected end of file, expecting \";\" or \"}\"".to_owned(),
                range,
                help: "end the directive that begins here with `;`",
            });
        }
        Ok(Statement { words: self.words, end: End::File, at: at..at })
    }

    fn unexpected(&self, at: usize, help: &'static str) -> LexError {
        let shown = self.lexer.text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}');
        LexError { message: format!("unexpected \"{}\"", shown.escape_debug()), range: at..at + shown.len_utf8(), help }
    }

    fn too_long(&self) -> LexError {
        let range = self.open..(self.open + 1);
        match self.state {
            State::Quoted(quote) => LexError {
                message: format!(
                    "too long parameter, probably missing terminating \"{}\" character",
                    char::from(quote)
                ),
                range,
                help: "close the quote; a word has less than 4096 bytes",
            },
            State::Comment => LexError {
                message: "too long parameter: the comment has 4096 bytes or more".to_owned(),
                range,
                help: "break the comment into several lines; nginx reads it into the same buffer as a word",
            },
            _ => LexError {
                message: "too long parameter: the word has 4096 bytes or more".to_owned(),
                range,
                help: "shorten the word, or move what it says into several directives",
            },
        }
    }
}

/// Resolves the escapes that nginx knows: `\"`, `\'`, `\\`, `\t`, `\r`, `\n`. A backslash before anything else stays.
fn unescape(raw: &str) -> String {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            value.push(character);
            continue;
        }
        let mut ahead = rest.clone();
        let resolved = match ahead.next() {
            Some(quoted @ ('"' | '\'' | '\\')) => Some(quoted),
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some('n') => Some('\n'),
            _ => None,
        };
        match resolved {
            Some(character) => {
                value.push(character);
                rest = ahead;
            }
            None => value.push('\\'),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{BUFFER, End, Lexer};

    /// The words of the first statement, or nginx's complaint.
    fn words(text: &str) -> Result<Vec<String>, String> {
        Lexer::new(text)
            .statement()
            .map(|statement| statement.words.into_iter().map(|word| word.value).collect())
            .map_err(|error| error.message)
    }

    #[test]
    fn words_as_nginx_reads_them() {
        let rows: &[(&str, &[&str])] = &[
            (r"env a\ b\;c;", &["env", r"a\ b\;c"]),
            (r#"env "\"\n\q";"#, &["env", "\"\n\\q"]),
            ("env ${a}{", &["env", "${a}"]),
            ("env $a{", &["env", "$a"]),
            ("env ${{a;", &["env", "${{a"]),
            (r#"if ($a = "b") {"#, &["if", "($a", "=", "b", ")"]),
            (r#"if ("$a" = b) {"#, &["if", r#"("$a""#, "=", "b)"]),
            ("env b}c;", &["env", "b}c"]),
            ("env b#c;", &["env", "b#c"]),
            ("env b'c d;", &["env", "b'c", "d"]),
            ("env 'x\ny' \"\";", &["env", "x\ny", ""]),
            ("# note\r\nenv\r\n\ta\r\n;", &["env", "a"]),
            (r"location ~ \.php$ {", &["location", "~", r"\.php$"]),
            (r#"location ~ "^/a{2}$" {"#, &["location", "~", "^/a{2}$"]),
            (r"location ~ ^/a{2}$ {", &["location", "~", "^/a"]),
            ("\"events\" {", &["events"]),
            (r#"env "b")c;"#, &["env", "b", ")c"]),
            (r"\'a\t;", &["'a\t"]),
        ];
        for (text, expected) in rows {
            assert_eq!(words(text).unwrap(), *expected, "{text}");
        }
    }

    #[test]
    fn complaints_as_nginx_words_them() {
        let rows = [
            (r#"a "b"c;"#, r#"unexpected "c""#),
            (r##"a "b"#c;"##, "unexpected \"#\""),
            (";", "unexpected \";\""),
            ("{ a; }", "unexpected \"{\""),
            ("a b }", "unexpected \"}\""),
            ("a b}", "unexpected end of file, expecting \";\" or \"}\""),
            ("a", "unexpected end of file, expecting \";\" or \"}\""),
            ("a 'b;", "unexpected end of file, expecting \";\" or \"}\""),
            ("a \"\u{e9}\"\u{e9};", "unexpected \"\u{e9}\""),
        ];
        for (text, expected) in rows {
            assert_eq!(words(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn the_buffer_is_the_limit() {
        let x = |n: usize| "x".repeat(n);
        assert!(words(&format!("a {};", x(BUFFER - 1))).is_ok());
        assert!(words(&format!("a {};", x(BUFFER))).unwrap_err().starts_with("too long parameter"));
        assert!(words(&format!("a \"{}\";", x(BUFFER - 2))).is_ok());
        assert!(words(&format!("a \"{}\";", x(BUFFER - 1))).unwrap_err().contains("the word"));
        assert!(words(&format!("a \"{}\";", x(BUFFER))).unwrap_err().contains("terminating"));
        assert!(words(&format!("#{}\na;", x(BUFFER - 1))).unwrap_err().contains("the comment"));
        assert!(words(&format!("a;#{}", x(BUFFER))).is_ok());
        assert!(words(&format!("{}a;", " ".repeat(3 * BUFFER))).is_ok());
    }

    #[test]
    fn statements_follow_each_other() {
        let mut lexer = Lexer::new("a { b c; } # end");
        let ends: Vec<End> = std::iter::repeat_with(|| lexer.statement().unwrap().end).take(5).collect();
        assert_eq!(ends, [End::Open, End::Semicolon, End::Close, End::File, End::File]);
    }
}
