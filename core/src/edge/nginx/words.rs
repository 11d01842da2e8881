//! Names that are words: their grammar excludes what no literal word may hold.

use super::Word;
use crate::name::{AbsolutePath, DnsLabel, HostName, Network, Port, SocketAddress, UrlPath};

impl Word {
    /// The path of a route, as its type has it, or a folder of one.
    pub(in crate::edge) fn path(path: std::borrow::Cow<'_, str>) -> Self {
        Self::made(path)
    }

    /// The pattern that matches this host name alone, as `server_name` takes it.
    pub fn host_pattern(name: &HostName) -> Self {
        // The only letter of a host name that means something in a pattern is the dot.
        Self::made(format!("~^{}$", name.as_str().replace('.', r"\.")))
    }
}

/// Names that are texts, and what is written as one.
macro_rules! words {
    ($($type:ty),+ as $text:ident) => {
        $(
            impl From<&$type> for Word {
                fn from(value: &$type) -> Self {
                    Self::made(value.$text())
                }
            }
        )+
    };
}

impl From<&'static str> for Word {
    fn from(text: &'static str) -> Self {
        Self::expression(text)
    }
}

words!(AbsolutePath, DnsLabel, HostName, UrlPath as as_str);
words!(Network, Port, SocketAddress, std::net::SocketAddr, u32, u64 as to_string);

#[cfg(test)]
mod tests {
    use super::Word;
    use crate::name::FORMATS;

    /// What a name admits a literal word admits too, so that no conversion can smuggle in a variable or a line break.
    #[test]
    fn no_name_can_hold_what_no_word_may() {
        let names = ["absolute-path", "host-name", "network", "socket-address", "url-path"];
        for format in FORMATS.iter().filter(|format| names.contains(&format.word)) {
            for odd in ['$', '\n', '\0', '\u{7f}'] {
                for text in ["/a", "a.example.org", "192.0.2.0/24", "192.0.2.1:80"] {
                    let (start, end) = text.split_at(1);
                    assert!((format.check)(&format!("{start}{odd}{end}")).is_err(), "{}: {odd:?}", format.word);
                    assert!((format.check)(&format!("{text}{odd}")).is_err(), "{}: {odd:?}", format.word);
                }
            }
            assert!((format.check)("").is_err());
        }
        assert_eq!(Word::from(&443_u32).as_str(), "443");
        assert_eq!(Word::host_pattern(&"a.b".parse().unwrap()).as_str(), r"~^a\.b$");
    }
}
