//! How Envoy makes a path of a request target.

/// What the mesh's path normalisation tells Envoy to do.
///
/// Istio's `pathNormalization` becomes three fields of Envoy's connection manager (`pilot/pkg/networking/core/listener_builder.go`).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Normalization {
    /// `path_with_escaped_slashes_action: UNESCAPE_AND_FORWARD`
    pub unescape_slashes: bool,
    /// `normalize_path`
    pub canonical: bool,
    /// `merge_slashes`
    pub merge_slashes: bool,
}

impl Normalization {
    /// Of Istio's word; `None` if it is none.
    pub fn of(word: &str) -> Option<Self> {
        let (unescape_slashes, canonical, merge_slashes) = match word {
            "NONE" => (false, false, false),
            "BASE" | "DEFAULT" => (false, true, false),
            "MERGE_SLASHES" => (false, true, true),
            "DECODE_AND_MERGE_SLASHES" => (true, true, true),
            _ => return None,
        };
        Some(Self { unescape_slashes, canonical, merge_slashes })
    }

    /// The target as policies, routes and the backend see it, its query untouched; `None` if Envoy answers 400.
    ///
    /// As `ConnectionManagerUtility::maybeNormalizePath`: a fragment is refused wherever it stands, then the three steps, in this order,
    /// on the path alone.
    pub fn apply(self, target: &[u8]) -> Option<Vec<u8>> {
        if target.contains(&b'#') {
            return None;
        }
        let (path, query) = split_query(target);
        let mut path = path.to_vec();
        if self.unescape_slashes {
            path = unescaped(&path);
        }
        if self.canonical {
            path = canonical(&without_dot_parameters(&path))?;
        }
        if self.merge_slashes {
            path = merged(&path);
        }
        path.extend_from_slice(query);
        Some(path)
    }
}

/// A target as path and query; the query keeps its question mark.
pub(super) fn split_query(target: &[u8]) -> (&[u8], &[u8]) {
    target.split_at(target.iter().position(|byte| *byte == b'?').unwrap_or(target.len()))
}

/// `PathUtil::unescapeSlashes`
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, tail)) = rest.split_first() {
        let (byte, left) = match rest {
            [b'%', b'2', b'f' | b'F', left @ ..] => (b'/', left),
            [b'%', b'5', b'c' | b'C', left @ ..] => (b'\\', left),
            _ => (*first, tail),
        };
        out.push(byte);
        rest = left;
    }
    out
}

/// `PathUtil::mergeSlashes`. A path of slashes alone becomes `//`: one for its beginning and one for its end.
fn merged(path: &[u8]) -> Vec<u8> {
    if !path.windows(2).any(|pair| pair == b"//") {
        return path.to_vec();
    }
    let segments: Vec<&[u8]> = path.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty()).collect();
    let slash = |is: bool| -> &[u8] { if is { b"/" } else { b"" } };
    [slash(path.first() == Some(&b'/')), &segments.join(&b'/'), slash(path.last() == Some(&b'/'))].concat()
}

/// What follows a `;` in a segment that is `.` or `..` before it is taken away: some backends take `/a/..;x/b` for `/b`, and so it becomes
/// that here. Envoy does so since `envoy.reloadable_features.strip_dotdot_segments_with_parameters`; to older ones such a segment is a
/// name like any other.
fn without_dot_parameters(path: &[u8]) -> Vec<u8> {
    let bare = |segment: &'_ [u8]| match segment {
        [b'.', b';', ..] => 1,
        [b'.', b'.', b';', ..] => 2,
        whole => whole.len(),
    };
    let segments: Vec<&[u8]> =
        path.split(|byte| *byte == b'/').map(|segment| segment.get(..bare(segment)).unwrap_or_default()).collect();
    segments.join(&b'/')
}

/// `PathUtil::canonicalPath`, which is googleurl's `CanonicalizePath` (`url/url_canon_path.cc`): `.` and `..` are resolved, encoded ones
/// too, `..` at the root leads nowhere, `\` becomes `/`; letters that need no escape lose it, those that need one get it, all other
/// escapes stay as they are. `None` for a NUL, encoded or not.
fn canonical(path: &[u8]) -> Option<Vec<u8>> {
    let mut walk = Walk { path, at: 0, out: Vec::with_capacity(path.len() + 1), loose_percent: None };
    if !path.first().is_some_and(|byte| is_slash(*byte)) {
        walk.out.push(b'/');
    }
    while let Some(byte) = walk.path.get(walk.at).copied() {
        if let Some(length) = dot(path, walk.at) {
            walk.dot(length);
        } else {
            walk.byte(byte)?;
        }
    }
    Some(walk.out)
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// The length of a dot, encoded or not, at an index.
fn dot(path: &[u8], at: usize) -> Option<usize> {
    match path.get(at..)? {
        [b'.', ..] => Some(1),
        [b'%', b'2', b'e' | b'E', ..] => Some(3),
        _ => None,
    }
}

struct Walk<'a> {
    path: &'a [u8],
    at: usize,
    out: Vec<u8>,
    /// Where in the output the last percent sign stands that begins no escape.
    loose_percent: Option<usize>,
}

impl Walk<'_> {
    /// A dot of this length.
    fn dot(&mut self, length: usize) {
        let after = self.at + length;
        if self.out.last() != Some(&b'/') {
            self.out.push(b'.');
            self.at = after;
            return;
        }
        let ends = |at: usize| self.path.get(at).is_none_or(|byte| is_slash(*byte));
        if ends(after) {
            self.at = after + 1;
            return;
        }
        match dot(self.path, after) {
            Some(second) if ends(after + second) => {
                self.up();
                self.at = after + second + 1;
            }
            _ => {
                self.out.push(b'.');
                self.at = after;
            }
        }
    }

    /// Back to the slash before the last one; at the root nothing happens.
    fn up(&mut self) {
        let before = self.out.len().checked_sub(1).and_then(|end| self.out.get(..end)).unwrap_or_default();
        if let Some(slash) = before.iter().rposition(|byte| *byte == b'/') {
            self.out.truncate(slash + 1);
        }
        self.loose_percent = self.loose_percent.filter(|at| *at < self.out.len());
    }

    /// Any other byte.
    fn byte(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'\\' => self.out.push(b'/'),
            b'%' => return self.percent(),
            0 => return None,
            plain if stays(plain) => self.out.push(plain),
            odd => self.out.extend(format!("%{odd:02X}").into_bytes()),
        }
        self.at += 1;
        Some(())
    }

    fn percent(&mut self) -> Option<()> {
        let Some((escape, value)) = escape(self.path, self.at) else {
            self.loose_percent = Some(self.out.len());
            self.out.push(b'%');
            self.at += 1;
            return Some(());
        };
        self.at += escape.len();
        match value {
            0 => return None,
            plain if plain.is_ascii_alphanumeric() || b"-_~".contains(&plain) => {
                self.out.push(plain);
                self.mend_nested(plain);
            }
            _ => self.out.extend_from_slice(escape),
        }
        Some(())
    }

    /// `CheckForNestedEscapes`: a letter that lost its escape must not become part of one that the loose percent sign would begin; that
    /// is escaped then.
    fn mend_nested(&mut self, letter: u8) {
        let Some(percent) = self.loose_percent.filter(|at| self.out.len() <= at + 3) else { return };
        let is_first = percent + 2 == self.out.len();
        let second = if is_first { self.path.get(self.at).copied() } else { Some(letter) };
        let first = self.out.get(percent + 1).copied();
        let (Some(first), Some(second)) = (first, second) else { return };
        if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() {
            self.out.truncate(percent);
            self.out.extend_from_slice(b"%25");
            self.out.push(first);
            if !is_first {
                self.out.push(second);
            }
        }
    }
}

/// The escape at an index, and what it stands for.
fn escape(path: &[u8], at: usize) -> Option<(&[u8], u8)> {
    let escape = path.get(at..at + 3)?;
    let digit = |index: usize| char::from(*escape.get(index)?).to_digit(16);
    u8::try_from(digit(1)? * 16 + digit(2)?).ok().map(|value| (escape, value))
}

/// The bytes that stay as they are.
fn stays(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$&'()*+,-./:;=@[]_~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::Normalization;

    fn table(word: &str, rows: &[(&str, Option<&str>)]) {
        let normalization = Normalization::of(word).unwrap();
        for (target, path) in rows {
            let applied = normalization.apply(target.as_bytes()).map(|path| String::from_utf8(path).unwrap());
            assert_eq!(applied.as_deref(), *path, "{word}: {target}");
        }
    }

    #[test]
    fn canonical_paths() {
        table(
            "BASE",
            &[
                ("/", Some("/")),
                ("/a/./b/../c?x=/../y", Some("/a/c?x=/../y")),
                ("/..", Some("/")),
                ("/../../a", Some("/a")),
                ("/a/..", Some("/")),
                ("/a/b/.", Some("/a/b/")),
                ("/a/%2e%2E/b", Some("/b")),
                ("/a/%2e", Some("/a/")),
                ("/a.b/...", Some("/a.b/...")),
                ("/a//../b", Some("/a/b")),
                ("//a//b", Some("//a//b")),
                (r"/a\..\b", Some("/b")),
                ("/a%5c..%5cb", Some("/a%5c..%5cb")),
                ("/a%2f..%2fb", Some("/a%2f..%2fb")),
                ("/%61%7E%2D", Some("/a~-")),
                ("/%3b%2F%c3%A9", Some("/%3b%2F%c3%A9")),
                ("/a;b\"<>", Some("/a;b%22%3C%3E")),
                ("/a/..;x/b", Some("/b")),
                ("/a/.;/b/..;", Some("/a/")),
                ("/a/%2e%2e;/b", Some("/a/..;/b")),
                ("/a/...;/b", Some("/a/...;/b")),
                ("/%", Some("/%")),
                ("/%%34%31", Some("/%2541")),
                ("/%%341", Some("/%2541")),
                ("/%zz", Some("/%zz")),
                ("/%00", None),
                ("/a#b", None),
                ("/a?x#b", None),
            ],
        );
    }

    #[test]
    fn slashes() {
        table("NONE", &[("/a/../b//%2f", Some("/a/../b//%2f"))]);
        table(
            "MERGE_SLASHES",
            &[
                ("//a///b/", Some("/a/b/")),
                ("/a//?x=//", Some("/a/?x=//")),
                ("/a//../b", Some("/a/b")),
                ("//", Some("//")),
                ("/a%2f%2fb", Some("/a%2f%2fb")),
            ],
        );
        table(
            "DECODE_AND_MERGE_SLASHES",
            &[
                ("/a%2F%2fb", Some("/a/b")),
                ("/a%2f..%5cb?%2f", Some("/b?%2f")),
                ("/%252f", Some("/%252f")),
                ("/a/%2e%2e%2fb", Some("/b")),
            ],
        );
        assert_eq!(Normalization::of("OTHER"), None);
    }
}
