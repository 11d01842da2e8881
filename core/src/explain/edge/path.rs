//! How nginx makes a path of a request target.

/// The path that locations are matched with: percent escapes decoded, slashes merged, `.` and `..` resolved, cut at the first `?` or
/// `#` that is not encoded. `None` if nginx answers 400: for a broken escape, an encoded NUL and a `..` above the root.
///
/// As `ngx_http_parse_complex_uri` of nginx 1.22 and 1.26 with `merge_slashes on`. nginx leaves it out for a target without `%`, `//`, `/.`
/// and `#`, of which it would change nothing. A target that begins with its query (`http://host?x`) has the path `/`.
pub fn normalise(target: &[u8]) -> Option<Vec<u8>> {
    let mut path = Path { bytes: Vec::with_capacity(target.len() + 1), state: State::Usual };
    if target.first() != Some(&b'/') {
        path.bytes.push(b'/');
    }
    let mut rest = target.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            b'?' | b'#' => break,
            b'%' => match hex(rest.next()?)? * 16 + hex(rest.next()?)? {
                0 => return None,
                // These three are letters once they were encoded; a slash and a dot are what they always are.
                letter @ (b'%' | b'#' | b'?') => path.letter(letter),
                decoded => path.push(decoded)?,
            },
            plain => path.push(plain)?,
        }
    }
    path.finish()
}

fn hex(byte: u8) -> Option<u8> {
    u8::try_from(char::from(byte).to_digit(16)?).ok()
}

/// What stands before the next byte.
#[derive(Clone, Copy)]
enum State {
    Usual,
    /// A slash.
    Slash,
    /// A segment that is `.` so far.
    Dot,
    /// A segment that is `..` so far.
    DotDot,
}

struct Path {
    bytes: Vec<u8>,
    state: State,
}

impl Path {
    fn letter(&mut self, byte: u8) {
        self.bytes.push(byte);
        self.state = State::Usual;
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        match (self.state, byte) {
            (State::Slash, b'/') => return Some(()),
            (State::Slash, b'.') => self.state = State::Dot,
            (State::Dot, b'.') => self.state = State::DotDot,
            (State::Dot | State::DotDot, b'/') => {
                self.resolve()?;
                self.state = State::Slash;
                return Some(());
            }
            (State::Usual, b'/') => self.state = State::Slash,
            _ => self.state = State::Usual,
        }
        self.bytes.push(byte);
        Some(())
    }

    /// Takes away a last segment that is `.`, or one that is `..` with the segment before it; `None` if there is none.
    fn resolve(&mut self) -> Option<()> {
        let length = self.bytes.len();
        let kept = match self.state {
            State::Usual | State::Slash => length,
            State::Dot => length.checked_sub(1)?,
            State::DotDot => {
                let before = self.bytes.get(..length.checked_sub(3)?)?;
                before.iter().rposition(|byte| *byte == b'/')? + 1
            }
        };
        self.bytes.truncate(kept);
        Some(())
    }

    fn finish(mut self) -> Option<Vec<u8>> {
        self.resolve()?;
        Some(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::normalise;

    #[test]
    fn as_nginx_does_it() {
        for (target, path) in [
            ("/", Some("/")),
            ("/a/b?c=/../d", Some("/a/b")),
            ("/a%2fb", Some("/a/b")),
            ("/a%2F..%2Fb", Some("/b")),
            ("//a///b", Some("/a/b")),
            ("/a/./b/.", Some("/a/b/")),
            ("/a/../b", Some("/b")),
            ("/a/..", Some("/")),
            ("/a/b/..?x", Some("/a/")),
            ("/.a/..b/...", Some("/.a/..b/...")),
            ("/%2e%2e/a", None),
            ("/..", None),
            ("/a/../..", None),
            ("/a%3fb%23c%25d", Some("/a?b#c%d")),
            ("/a#b", Some("/a")),
            ("/a;b/..;/c", Some("/a;b/..;/c")),
            (r"/a\..\b", Some(r"/a\..\b")),
            ("/a%5c..%5cb", Some(r"/a\..\b")),
            ("/%", None),
            ("/%4", None),
            ("/%zz", None),
            ("/%00", None),
            ("/%0a", Some("/\n")),
            ("/A%41", Some("/AA")),
            ("?x=1", Some("/")),
        ] {
            assert_eq!(
                normalise(target.as_bytes()).map(|path| String::from_utf8(path).unwrap()).as_deref(),
                path,
                "{target}"
            );
        }
    }
}
