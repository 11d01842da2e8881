//! Include patterns: which paths nginx's `glob` would find.

/// Whether the text is a pattern rather than a path, by nginx's own test.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Whether a path matches a pattern. Segments are matched one by one: no wildcard covers `/`, and a leading dot is only
/// matched by a dot.
pub fn matches(pattern: &str, path: &str) -> bool {
    let (mut patterns, mut segments) = (pattern.split('/'), path.split('/'));
    loop {
        match (patterns.next(), segments.next()) {
            (None, None) => return true,
            (Some(pattern), Some(segment)) => {
                let hidden = segment.starts_with('.') && !pattern.starts_with(['.', '\\']);
                let pattern: Vec<char> = pattern.chars().collect();
                let segment: Vec<char> = segment.chars().collect();
                if hidden || !segment_matches(&pattern, &segment) {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// One segment, by the usual two-pointer walk: linear for one star, quadratic at worst.
fn segment_matches(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p + 1, t));
            p += 1;
            continue;
        }
        if let Some(length) = text.get(t).and_then(|character| one(pattern.get(p..).unwrap_or_default(), *character)) {
            p += length;
            t += 1;
            continue;
        }
        let Some((after, from)) = star else { return false };
        star = Some((after, from + 1));
        (p, t) = (after, from + 1);
    }
    pattern.get(p..).unwrap_or_default().iter().all(|character| *character == '*')
}

/// How much of the pattern one character consumes; `None` if it does not match.
fn one(pattern: &[char], character: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => match class(rest, character) {
            Some((length, true)) => Some(length + 1),
            Some((_, false)) => None,
            None => (character == '[').then_some(1),
        },
        ['\\', quoted, ..] => (*quoted == character).then_some(2),
        [first, ..] => (*first == character).then_some(1),
        [] => None,
    }
}

/// A bracket expression after its `[`: its length with the `]`, and whether the character is in it; `None` if it is not closed.
fn class(pattern: &[char], character: char) -> Option<(usize, bool)> {
    let negated = matches!(pattern.first(), Some('!' | '^'));
    let mut at = usize::from(negated);
    let first = at;
    let mut found = false;
    loop {
        match pattern.get(at..)? {
            [']', ..] if at > first => return Some((at + 1, found != negated)),
            [low, '-', high, ..] if *high != ']' => {
                found |= (*low..=*high).contains(&character);
                at += 3;
            }
            [single, ..] => {
                found |= *single == character;
                at += 1;
            }
            [] => return None,
        }
    }
}

/// The path without `.`, empty and `..` segments. Links are not known here: `..` undoes the segment before it.
pub fn normal(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => {
                segments.pop();
            }
            ".." if path.starts_with('/') => {}
            other => segments.push(other),
        }
    }
    let joined = segments.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// The folder of a path, without the final slash: empty for the root folder, `.` for a bare name.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::{matches, normal};

    #[test]
    fn as_the_c_library_does() {
        let rows = [
            ("/etc/nginx/conf.d/*.conf", "/etc/nginx/conf.d/a.conf", true),
            ("/etc/nginx/conf.d/*.conf", "/etc/nginx/conf.d/.a.conf", false),
            ("/etc/nginx/conf.d/*.conf", "/etc/nginx/conf.d/a.conf.bak", false),
            ("/etc/nginx/conf.d/*.conf", "/etc/nginx/conf.d/x/a.conf", false),
            ("/etc/nginx/sites-enabled/*", "/etc/nginx/sites-enabled/z.bak", true),
            ("/etc/nginx/*/*.conf", "/etc/nginx/a/b.conf", true),
            ("/a/[a-c]?.conf", "/a/b1.conf", true),
            ("/a/[!a-c]?.conf", "/a/b1.conf", false),
            ("/a/[]x].conf", "/a/].conf", true),
            ("/a/[x.conf", "/a/[x.conf", true),
            ("/a/\\*", "/a/*", true),
            ("/a/\\*", "/a/b", false),
            ("*a*b*c", "xaybzc", true),
            ("*a*b*c", "xaybz", false),
        ];
        for (pattern, path, expected) in rows {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn long_patterns_end() {
        assert!(!matches(&"*a".repeat(2_000), &"a".repeat(1_999)));
    }

    #[test]
    fn normal_paths() {
        for (path, expected) in
            [("/a/./b//c/../d", "/a/b/d"), ("/../a", "/a"), ("a/../../b", "../b"), ("/", "/"), ("conf.d/x", "conf.d/x")]
        {
            assert_eq!(normal(path), expected);
        }
    }
}
