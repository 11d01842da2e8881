//! The names of servers, and which of them nginx prefers.

use fancy_regex::{Regex, RegexBuilder};

/// One name of a `server_name` directive, in lower case.
#[derive(Clone, Debug)]
pub struct ServerName {
    /// As nginx compares it; without the `~` of a regular expression.
    pub text: Box<str>,
    /// How it is compared.
    pub form: Form,
}

/// How a name is compared with the Host of a request.
#[derive(Clone, Debug)]
pub enum Form {
    /// It is the host. The empty name is the one of a server without names.
    Exact,
    /// `*.example.org`: the host ends with it.
    Head,
    /// `.example.org`: the host is it or ends with it.
    HeadOrExact,
    /// `www.example.*`: the host begins with it.
    Tail,
    /// A regular expression; `None` if it is beyond what the core can evaluate (or nginx would refuse it).
    Regex(Option<Box<Regex>>),
    /// A wildcard in the wrong place: nginx refuses it as soon as a second server shares the address.
    Misplaced,
}

impl ServerName {
    /// Reads a name; the error says what nginx says.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(pattern) = text.strip_prefix('~') {
            if pattern.is_empty() {
                return Err(format!("empty regex in server name \"{text}\""));
            }
            let caseless = pattern.bytes().any(|byte| byte.is_ascii_uppercase());
            return Ok(Self { text: pattern.into(), form: Form::Regex(regex(pattern, caseless).map(Box::new)) });
        }
        let lower = text.to_ascii_lowercase();
        let wrong = (lower.starts_with('*') && (lower.len() < 3 || !lower.starts_with("*."))) || lower == ".";
        if wrong {
            return Err(format!("server name \"{text}\" is invalid"));
        }
        let (text, form) = if let Some(rest) = lower.strip_prefix("*.") {
            (rest, Form::Head)
        } else if let Some(rest) = lower.strip_prefix('.') {
            (rest, Form::HeadOrExact)
        } else if let Some(rest) = lower.strip_suffix(".*").filter(|rest| !rest.is_empty()) {
            (rest, Form::Tail)
        } else {
            (lower.as_str(), Form::Exact)
        };
        if text.contains('*') || lower.contains("..") {
            return Ok(Self { text: lower.into(), form: Form::Misplaced });
        }
        Ok(Self { text: text.into(), form })
    }

    /// As it is written.
    pub fn to_text(&self) -> String {
        match self.form {
            Form::Exact | Form::Misplaced => self.text.to_string(),
            Form::Head => format!("*.{}", self.text),
            Form::HeadOrExact => format!(".{}", self.text),
            Form::Tail => format!("{}.*", self.text),
            Form::Regex(_) => format!("~{}", self.text),
        }
    }
}

/// The expression, if the core can evaluate it. nginx uses PCRE; what both know means the same on host names and paths.
pub(super) fn regex(pattern: &str, caseless: bool) -> Option<Regex> {
    RegexBuilder::new(pattern).case_insensitive(caseless).backtrack_limit(100_000).build().ok()
}

/// The Host of a request as nginx compares it: lower case, without port and final dot.
pub fn host_of(header: &str) -> String {
    let lower = header.to_ascii_lowercase();
    let host = match lower.strip_prefix('[') {
        Some(rest) => {
            rest.split_once(']').map_or(lower.as_str(), |(inside, _)| lower.get(..inside.len() + 2).unwrap_or(&lower))
        }
        None => lower.split_once(':').map_or(lower.as_str(), |(host, _)| host),
    };
    host.strip_suffix('.').unwrap_or(host).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Form, ServerName, host_of};

    #[test]
    fn names_that_nginx_refuses() {
        for bad in ["*", "*a.b", "*.", ".", "~"] {
            assert!(ServerName::parse(bad).is_err(), "{bad}");
        }
        for bad in ["a.*.b", "*.a.*", "a..b", "*.*", "a*"] {
            assert!(matches!(ServerName::parse(bad).unwrap().form, Form::Misplaced), "{bad}");
        }
        for good in ["", "_", "a", "*.a", ".a", "a.*", "~^(?<x>.+)\\.a$", "www.a.*", "*.a-b.c", "$hostname"] {
            assert_eq!(ServerName::parse(good).unwrap().to_text(), good);
        }
    }

    #[test]
    fn hosts() {
        for (header, host) in [("A.b:80", "a.b"), ("a.b.", "a.b"), ("[::1]:80", "[::1]"), ("", ""), ("a.b.:443", "a.b")]
        {
            assert_eq!(host_of(header), host);
        }
    }
}
