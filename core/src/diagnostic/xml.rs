//! Texts inside XML.

/// A text inside XML 1.0, which has no control characters but tab and line ends.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_xml_characters_remain() {
        assert_eq!(super::escaped("a<b>&\"\u{1b}[0m\n"), "a&lt;b&gt;&amp;&quot;\u{fffd}[0m\n");
    }
}
