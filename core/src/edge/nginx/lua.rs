//! Where a Lua block ends.
//!
//! The Lua modules read the braces of `*_by_lua_block` with a lexer of their own: a brace in a string, a long bracket or a
//! comment does not count.

/// The number of bytes before the brace that closes the block; `None` if none does.
pub(super) fn body_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'{' => depth += 1,
            b'}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(at),
            },
            quote @ (b'"' | b'\'') => at = string_end(bytes, at + 1, *quote)?,
            b'-' if bytes.get(at + 1) == Some(&b'-') => {
                at = match long_bracket(bytes, at + 2) {
                    Some((inside, level)) => long_bracket_end(bytes, inside, level)?,
                    None => line_end(bytes, at),
                };
            }
            b'[' => {
                if let Some((inside, level)) = long_bracket(bytes, at) {
                    at = long_bracket_end(bytes, inside, level)?;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The place of the closing quote.
fn string_end(bytes: &[u8], from: usize, quote: u8) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            byte if *byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

/// The place of the last byte of the line.
fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes.get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n')).map_or(bytes.len(), |n| from + n)
}

/// If `[[` or `[=[` (any number of `=`) stands here: where its inside starts, and the number of `=`.
fn long_bracket(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    if bytes.get(at) != Some(&b'[') {
        return None;
    }
    let level = bytes.get(at + 1..)?.iter().take_while(|byte| **byte == b'=').count();
    (bytes.get(at + 1 + level) == Some(&b'[')).then_some((at + 2 + level, level))
}

/// The place of the last byte of the closing bracket of this level.
fn long_bracket_end(bytes: &[u8], from: usize, level: usize) -> Option<usize> {
    let closing: Vec<u8> = [b"]".as_slice(), &vec![b'='; level], b"]"].concat();
    let at = bytes.get(from..)?.windows(closing.len()).position(|window| window == closing)?;
    Some(from + at + closing.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::body_length;

    #[test]
    fn braces_of_the_language_count_and_others_do_not() {
        for inside in [
            "",
            " ngx.say('hi') ",
            " local t = { a = { 1 } } ",
            r#" ngx.say("}") "#,
            r" ngx.say('\'}') ",
            " -- }\n ",
            " --[[ }\n } ]] ",
            " --[==[ } ]] } ]==] ",
            " local s = [[ } ]] ",
            " local t = a[1] ",
            " local t = a[b[1]] ",
        ] {
            assert_eq!(body_length(&format!("{inside}}}\nnext;")), Some(inside.len()), "{inside}");
        }
        for open in ["", " { ", " '} ", " [[ }", " -- }"] {
            assert_eq!(body_length(open), None, "{open}");
        }
    }
}
