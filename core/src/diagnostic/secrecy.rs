//! Which lines of a public text may hold a secret, and are therefore never printed.
//!
//! Somebody who writes a password into a policy makes a fault, and the report on that fault goes to build logs and code hosts.
//! So one rule holds for every line that a renderer would print, whatever the finding: a line is kept back
//!
//! - if a key whose name speaks of a secret has a value on it (`smtp.password: hunter2`, `{repository: x, token: y}`,
//!   `?token=y`, `password x` where the colon was forgotten), misspelt names included;
//! - if it holds a credential in a URL (`//user:password@host`, `//token@host`, `user:password@host`);
//! - if it holds an authorization (`Bearer ...`, `Basic ...`);
//! - if it continues the value of such a key from a line above (a block, a list, a quoted text).
//!
//! The rule looks at the text alone, for a line with a syntax error has no other form, and errs on the side of silence: place and
//! key of the finding remain, and whoever may read the file finds the line by them.

use std::collections::BTreeSet;
use std::ops::Range;

/// Parts of a name that speak of a secret, wherever they stand in it.
const PARTS: [&str; 9] =
    ["passw", "passphrase", "secret", "token", "credential", "authoriz", "authoris", "bearer", "privatekey"];

/// Words of a name that do so only as a whole or at its end.
const ENDS: [&str; 5] = ["key", "keys", "pwd", "auth", "creds"];

/// Words that are recognized although a letter or two are wrong.
const MISSPELT: [&str; 6] = ["password", "passwd", "secret", "token", "credential", "credentials"];

/// How many lines above a line are looked at for the key that it belongs to.
const REACH: usize = 200;

/// Whether a line by itself may hold a secret.
///
/// ```
/// use pharos_core::diagnostic::secrecy::reveals;
/// assert!(reveals("smtp.password: hunter2"));
/// assert!(reveals("llm-chat: https://user:hunter2@host.example"));
/// assert!(!reveals("llm-chat: https://host.example"));
/// ```
pub fn reveals(line: &str) -> bool {
    credential(line) || authorization(line) || forgotten(line) || separators(line).any(|at| gives(line, at))
}

/// Whether no line that the range touches may hold a secret, be it by what stands above it.
pub(super) fn shows(text: &str, range: &Range<usize>) -> bool {
    let lines = lines(text, range);
    let shown = text.get(lines.clone()).unwrap_or_default();
    !shown.lines().any(reveals) && !continues(text.get(..lines.start).unwrap_or_default(), shown)
}

/// The whole lines that a range touches, without the last line end.
pub(super) fn lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let rest = text.get(range.end..).unwrap_or_default();
    start..range.end + rest.lines().next().map_or(0, str::len)
}

/// The numbers of the lines of a file that findings keep back.
pub(super) type Concealed = BTreeSet<usize>;

/// Where a name may end and its value begin.
fn separators(line: &str) -> impl Iterator<Item = usize> {
    line.match_indices([':', '=']).map(|(at, _)| at)
}

/// Whether the name before this separator speaks of a secret and something stands after it.
fn gives(line: &str, at: usize) -> bool {
    let (before, after) = line.split_at(at);
    let value = after.get(1..).unwrap_or_default().trim();
    let opens = matches!(value, "" | "{" | "[" | "|" | ">" | "|-" | ">-" | "|+" | ">+") || value.starts_with('#');
    !opens && speaks(last_name(before))
}

/// The name at the end of a text: what stands behind the last white space, bracket or comma, quotes aside. A quoted name is
/// taken with its white space.
fn last_name(before: &str) -> &str {
    let before = before.trim_end();
    if let Some((quote, inner)) = ['"', '\''].into_iter().find_map(|q| before.strip_suffix(q).map(|inner| (q, inner))) {
        return inner.rsplit(quote).next().unwrap_or_default();
    }
    before.rsplit(|c: char| c.is_whitespace() || "{[(,?&".contains(c)).next().unwrap_or_default()
}

/// Whether a name speaks of a secret, as a whole or in a part.
fn speaks(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if PARTS.iter().any(|part| plain.contains(part)) {
        return true;
    }
    words(name).iter().any(|word| {
        let word = word.as_str();
        ENDS.iter().any(|end| word.ends_with(end)) || word == "pass" || MISSPELT.iter().any(|known| near(word, known))
    })
}

/// The words of a name, in lower case: `relayPassword` and `relay_password` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Whether one word is the other with a slip of the pen: two in a long word, one in a short one.
fn near(word: &str, known: &str) -> bool {
    let slips = if known.len() > 6 { 2 } else { 1 };
    word.len().abs_diff(known.len()) <= slips && strsim::osa_distance(word, known) <= slips
}

/// `//user:password@host`, `//token@host` and `user:password@host`: an `@` behind what a credential stands after.
fn credential(line: &str) -> bool {
    let Some(at) = line.rfind('@') else { return false };
    let before = line.get(..at).unwrap_or_default();
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    before.contains("//") || word.contains(':')
}

/// `Bearer` or `Basic` with something after it.
fn authorization(line: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || "\"'`:=".contains(c)).filter(|word| !word.is_empty());
    let scheme = |word: &str| ["bearer", "basic"].iter().any(|known| word.eq_ignore_ascii_case(known));
    words.any(scheme) && words.next().is_some()
}

/// A name that speaks of a secret with a value after it and nothing between, where a key may stand. A path as the argument of a
/// directive (`ssl_certificate_key /etc/...;`) tells where a secret is and not what it is.
fn forgotten(line: &str) -> bool {
    line.split(['{', '[', ',']).any(|part| {
        let part = part.trim_start_matches(|c: char| c.is_whitespace() || "#-\"'".contains(c));
        let Some((name, value)) = part.split_once(char::is_whitespace) else { return false };
        let value = value.trim();
        let path = value.starts_with('/') && value.ends_with(';');
        let none = value.is_empty() || value.starts_with(['#', ':', '=']);
        !path && !none && !name.ends_with([':', '=']) && speaks(name)
    })
}

/// Whether the first line of `shown` continues the value of a key that speaks of a secret: the line above is left open by one, or
/// the line that it is indented under is one.
fn continues(above: &str, shown: &str) -> bool {
    let first = shown.lines().next().unwrap_or_default();
    let mut depth = indent(first);
    let mut nearest = true;
    for line in above.lines().rev().filter(|line| !line.trim().is_empty()).take(REACH) {
        // A list may stand at the indentation of its key.
        let outer = indent(line) < depth
            || (indent(line) == depth && first.trim_start().starts_with('-') && !line.trim_start().starts_with('-'));
        if (nearest || outer) && opens(line) {
            return true;
        }
        if outer {
            depth = indent(line);
        }
        if depth == 0 && !nearest {
            return false;
        }
        nearest = false;
    }
    false
}

/// Whether a key that speaks of a secret has its value, or a part of it, below this line.
fn opens(line: &str) -> bool {
    separators(line).any(|at| {
        let (before, after) = line.split_at(at);
        let value = after.get(1..).unwrap_or_default().trim();
        // A value that stands complete on its line ends there, unless it is a text without its last quote.
        let open = value.chars().next().is_none_or(|c| "{[|>&!#".contains(c))
            || ['"', '\''].iter().any(|quote| value.matches(*quote).count() % 2 == 1);
        open && speaks(last_name(before))
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::{reveals, shows};

    const SECRET: [&str; 32] = [
        "  password hunter2",
        "argo: {colour: red, token hunter2}",
        "smtp.password: hunter2",
        "  relay_password: hunter2",
        "relayPassword: hunter2",
        "password: 'hunter2'  # ours",
        "\"pass word\": hunter2",
        "'api token' : hunter2",
        "PASSWD=hunter2",
        "smtp.passwrod: hunter2",
        "smtp-pasword: hunter2",
        "secert: hunter2",
        "argo_password: \"hunter2",
        "argo: {repository: x, password: hunter2, colour: red}",
        "argo: {\"password\":\"hunter2\"}",
        "argo: {password: {value: hunter2}}",
        "- token: hunter2",
        "#token: hunter2",
        "api-key: hunter2",
        "apikey: hunter2",
        "apiKeys: [hunter2]",
        "credentials: hunter2",
        "Authorization: hunter2",
        "url: https://host.example/?token=hunter2",
        "url: https://host.example/?a=b&token=hunter2",
        "llm-chat: https://user:hunter2@host.example",
        "llm-chat: https://hunter2@host.example",
        "llm-chat: https://user:hun/ter 2@host.example",
        "relay: user:hunter2@host.example",
        "header: Bearer hunter2",
        "header: \"authorization basic aHVudGVyMg==\"",
        "clientSecret: |- hunter2",
    ];

    const HARMLESS: [&str; 15] = [
        "",
        "version: 1",
        "services:",
        "  - name: ledger",
        "llm-chat: https://host.example:8443/path",
        "contact: admin@host.example",
        "keycloak: 8080",
        "password:",
        "credentials: {",
        "password: # given elsewhere",
        "# a bearer",
        "# the password is in the vault",
        "match: {path: /token, method: GET}",
        "compass: north",
        "ssl_certificate_key /etc/letsencrypt/live/a/privkey.pem;",
    ];

    #[test]
    fn a_line_that_may_hold_a_secret_is_told() {
        for line in SECRET {
            assert!(reveals(line), "{line}");
        }
        for line in HARMLESS {
            assert!(!reveals(line), "{line}");
        }
    }

    #[test]
    fn what_continues_a_secret_is_one() {
        let shown = |text: &str| {
            let at = text.find("hunter2").unwrap();
            shows(text, &(at..at + 1))
        };
        for text in [
            "password:\n  hunter2\n",
            "password: |\n  one\n  hunter2\n",
            "passwords:\n- one\n- hunter2\n",
            "passwords:\n  one:\n    two: hunter2\n",
            "argo: {password:\n  hunter2, colour: red}\n",
            "password: \"one\nhunter2\"\n",
            "secret: {\n  a: hunter2\n}\n",
        ] {
            assert!(!shown(text), "{text}");
        }
        for text in ["password: one\nname: hunter2\n", "a:\n  password:\n    one\nb:\n  name: hunter2\n"] {
            assert!(shown(text), "{text}");
        }
    }
}
