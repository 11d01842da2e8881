//! How nginx reads a request line and a host.

/// What a request line asks for.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct RequestLine<'a> {
    /// The host of an absolute-form target, with its brackets and without its port.
    pub(super) host: Option<&'a [u8]>,
    /// What `$request_uri` holds, and what `proxy_pass` without a path sends on: the target from its path onwards, as it came.
    pub(super) uri: &'a [u8],
}

/// Takes a method and a target apart; `None` if nginx answers 400.
///
/// As `ngx_http_parse_request_line` of nginx 1.22 and 1.26: a method is of `A-Z`, `_` and `-`; a target begins with a slash or with a
/// scheme; blanks and control characters are refused in it, all other bytes are not.
pub(super) fn request_line<'a>(method: &str, target: &'a [u8]) -> Option<RequestLine<'a>> {
    let is_method = !method.is_empty() && method.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'_' | b'-'));
    // Blanks before and after the target separate it from its neighbours.
    let target = trimmed(target);
    if !is_method || target.iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
        return None;
    }
    match target.first()? {
        b'/' => Some(RequestLine { host: None, uri: target }),
        letter if letter.is_ascii_alphabetic() => absolute(target),
        _ => None,
    }
}

fn trimmed(mut target: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = target {
        target = rest;
    }
    target
}

/// `scheme://host[:port][/path][?query]`; the scheme may be any.
fn absolute(target: &[u8]) -> Option<RequestLine<'_>> {
    let in_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let (_, rest) = split(target, in_scheme);
    let rest = rest.strip_prefix(b"://")?;
    let (host, rest) = if rest.first() == Some(&b'[') {
        let end = rest.iter().position(|byte| *byte == b']')? + 1;
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b":-._~!$&'()*+,;=".contains(byte);
        if !rest.get(1..end - 1)?.iter().all(inside) {
            return None;
        }
        rest.split_at(end)
    } else {
        split(rest, |byte| byte.is_ascii_alphanumeric() || b".-".contains(byte))
    };
    let rest = match rest.strip_prefix(b":") {
        Some(port) => split(port, u8::is_ascii_digit).1,
        None => rest,
    };
    let uri: &[u8] = match rest.first() {
        None => b"/",
        Some(b'/' | b'?') => rest,
        Some(_) => return None,
    };
    Some(RequestLine { host: Some(host), uri })
}

fn split(bytes: &[u8], belongs: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| !belongs(byte)).unwrap_or(bytes.len());
    bytes.split_at(end)
}

/// The name that a server is looked up by: in lower case, without a port and without one final dot; `None` if nginx takes it for none,
/// and answers 400 where it is a request's.
///
/// As `ngx_http_validate_host` of nginx 1.22 and 1.26.
pub(super) fn host_name(host: &[u8]) -> Option<Vec<u8>> {
    let refused = |byte: &u8| *byte <= b' ' || *byte == 0x7f || *byte == b'/';
    if host.iter().any(refused) || host.windows(2).any(|pair| pair == b"..") {
        return None;
    }
    let end = if host.first() == Some(&b'[') {
        host.iter().position(|byte| *byte == b']').map_or(host.len(), |end| end + 1)
    } else {
        host.iter().position(|byte| *byte == b':').unwrap_or(host.len())
    };
    // Only the last dot of the whole text is looked at: that of `a.:b.` stays.
    let final_dot = end > 0 && host.iter().rposition(|byte| *byte == b'.') == Some(end - 1);
    let name = host.get(..end - usize::from(final_dot))?;
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{RequestLine, host_name, request_line};

    fn read(target: &str) -> Option<(Option<&str>, &str)> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        request_line("GET", target.as_bytes()).map(|RequestLine { host, uri }| (host.map(text), text(uri)))
    }

    #[test]
    fn targets() {
        assert_eq!(read("/a?b#c"), Some((None, "/a?b#c")));
        assert_eq!(read(" /a "), Some((None, "/a")));
        assert_eq!(read("https://a.b:1/x"), Some((Some("a.b"), "/x")));
        assert_eq!(read("x+y://A.B"), Some((Some("A.B"), "/")));
        assert_eq!(read("http://a?x"), Some((Some("a"), "?x")));
        assert_eq!(read("http://[::1]:80/"), Some((Some("[::1]"), "/")));
        assert_eq!(read("http:///x"), Some((Some(""), "/x")));
        for bad in
            ["", "*", "a.b", "a.b:443", "http:/a", "http://a_b/", "http://u@a/", "/a b", "/a\tb", "/\u{7f}", "\\a"]
        {
            assert_eq!(read(bad), None, "{bad:?}");
        }
        assert_eq!(request_line("get", b"/"), None);
        assert_eq!(request_line("", b"/"), None);
    }

    #[test]
    fn hosts() {
        let of = |host: &str| host_name(host.as_bytes()).map(|name| String::from_utf8(name).unwrap());
        for (host, name) in [
            ("A.Example.org", Some("a.example.org")),
            ("a.b:443", Some("a.b")),
            ("a.b.:443", Some("a.b")),
            ("a.b.", Some("a.b")),
            ("a.b.:c.", Some("a.b.")),
            ("a.b:x", Some("a.b")),
            ("[::1]:443", Some("[::1]")),
            (".", None),
            ("a..b", None),
            ("a.b..", None),
            ("", None),
            (":443", None),
            ("a b", None),
            ("a/b", None),
        ] {
            assert_eq!(of(host).as_deref(), name, "{host}");
        }
    }
}
