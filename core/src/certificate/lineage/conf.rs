//! Renewal configurations: what certbot has recorded to renew a lineage by (`/etc/letsencrypt/renewal/NAME.conf`).
//!
//! Certbot writes them with Python's `configobj`: sections in brackets, the depth by their number; `key = value`; a comma
//! makes a list; values with a comma, a `#` or quotes stand in quotes, in triple quotes if they hold both kinds.

use std::collections::BTreeMap;

use crate::certificate::{Input, codes};
use crate::diagnostic::{Diagnostic, Report, Source};

/// A renewal configuration: what decisions need, and the rest as it is written.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RenewalConf {
    /// The ACME directory.
    pub server: Option<String>,
    /// How names are proven: `webroot`, `standalone`, `nginx`, ...
    pub authenticator: Option<String>,
    /// The command that runs after a renewal (`renew_hook`). A key `deploy_hook` is not read by certbot, and neither here.
    pub hook: Option<String>,
    /// The webroot of each host.
    pub webroots: BTreeMap<String, String>,
    /// The webroot of hosts that are not in the map: the last one named.
    pub webroot: Option<String>,
    /// Everything else: `key` or `section.key`, with its values.
    pub unknown: BTreeMap<String, Vec<String>>,
}

impl RenewalConf {
    /// Reads a renewal configuration.
    ///
    /// # Errors
    /// `certificate/renewal-conf` for each line that is none.
    pub fn read(input: &Input<'_>) -> Result<Self, Report> {
        let text = String::from_utf8_lossy(input.bytes);
        let source = Source::private(input.name, &text);
        let mut reader = Reader { conf: Self::default(), section: Vec::new(), open: None };
        let mut findings = crate::diagnostic::Findings::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if reader.line(line.trim_end_matches(['\n', '\r'])).is_none() {
                findings.push(
                    Diagnostic::error(codes::RENEWAL_CONF, "this line is none that certbot writes")
                        .at(source.place(start..start + line.trim_end().len()), "")
                        .help("restore the file, or remove the lineage with `certbot delete --cert-name NAME`"),
                );
            }
            start += line.len();
        }
        if reader.open.is_some() {
            findings.push(
                Diagnostic::error(codes::RENEWAL_CONF, "a quoted value does not end")
                    .at(source.whole(), "")
                    .help("restore the file, or remove the lineage with `certbot delete --cert-name NAME`"),
            );
        }
        findings.conclude(reader.conf).map(|(conf, _)| conf)
    }
}

struct Reader {
    conf: RenewalConf,
    section: Vec<String>,
    /// A value in triple quotes that goes on: its key, the quotes, the text so far.
    open: Option<(String, &'static str, String)>,
}

impl Reader {
    /// Takes a line; `None` if it is none of the format.
    fn line(&mut self, line: &str) -> Option<()> {
        if let Some((key, quotes, text)) = self.open.take() {
            match line.split_once(quotes) {
                Some((end, rest)) if blank(rest) => self.set(&key, vec![format!("{text}\n{end}")]),
                Some(_) => return None,
                None => self.open = Some((key, quotes, format!("{text}\n{line}"))),
            }
            return Some(());
        }
        let line = line.trim();
        if blank(line) {
            return Some(());
        }
        if line.starts_with('[') {
            return self.section(line);
        }
        let (key, value) = line.split_once('=')?;
        let key = unquoted(key.trim()).filter(|key| !key.is_empty())?.to_owned();
        let value = value.trim();
        for quotes in ["'''", "\"\"\""] {
            if let Some(rest) = value.strip_prefix(quotes) {
                match rest.split_once(quotes) {
                    Some((text, after)) if blank(after) => self.set(&key, vec![text.to_owned()]),
                    Some(_) => return None,
                    None => self.open = Some((key, quotes, rest.to_owned())),
                }
                return Some(());
            }
        }
        self.set(&key, values(value)?);
        Some(())
    }

    fn section(&mut self, line: &str) -> Option<()> {
        let depth = line.bytes().take_while(|byte| *byte == b'[').count();
        let inner = line.get(depth..)?;
        let end = inner.find(']')?;
        let closed = inner.get(end..)?.bytes().take_while(|byte| *byte == b']').count();
        let after = inner.get(end + closed..)?;
        if closed != depth || depth > self.section.len() + 1 || !blank(after) {
            return None;
        }
        self.section.truncate(depth - 1);
        self.section.push(unquoted(inner.get(..end)?.trim())?.to_owned());
        Some(())
    }

    fn set(&mut self, key: &str, values: Vec<String>) {
        let section: Vec<&str> = self.section.iter().map(String::as_str).collect();
        // Certbot writes `None` for what is not set.
        let single = values.first().filter(|value| values.len() == 1 && *value != "None").cloned();
        match (section.as_slice(), key) {
            (["renewalparams"], "server") => self.conf.server = single,
            (["renewalparams"], "authenticator") => self.conf.authenticator = single,
            (["renewalparams"], "renew_hook") => self.conf.hook = single,
            (["renewalparams"], "webroot_path") => self.conf.webroot = values.last().cloned(),
            (["renewalparams", "webroot_map"], host) => {
                self.conf.webroots.extend(single.map(|root| (host.to_owned(), root)));
            }
            (section, key) => {
                self.conf.unknown.insert([section, &[key]].concat().join("."), values);
            }
        }
    }
}

impl RenewalConf {
    /// The folder that a host's challenges go to.
    pub fn webroot_of(&self, host: &str) -> Option<&str> {
        self.webroots.get(host).or(self.webroot.as_ref()).map(String::as_str)
    }
}

fn blank(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with('#')
}

/// A text without its quotes; `None` if they do not match.
fn unquoted(text: &str) -> Option<&str> {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            return rest.strip_suffix(quote).filter(|inner| !inner.contains(quote));
        }
    }
    Some(text)
}

/// The values of a line: one, or a list where a comma stands outside quotes; `None` if quotes do not match.
fn values(mut text: &str) -> Option<Vec<String>> {
    let mut list = Vec::new();
    loop {
        let (value, rest) = if let Some(quote @ ('"' | '\'')) = text.chars().next() {
            let (value, rest) = text.get(1..)?.split_once(quote)?;
            (value, rest.trim_start())
        } else {
            let end = text.find([',', '#']).unwrap_or(text.len());
            (text.get(..end)?.trim_end(), text.get(end..)?)
        };
        match rest.strip_prefix(',') {
            Some(more) => {
                list.push(value.to_owned());
                text = more.trim_start();
                if blank(text) {
                    return Some(list);
                }
            }
            None if blank(rest) => {
                list.push(value.to_owned());
                return Some(list);
            }
            None => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, RenewalConf, values};

    #[test]
    fn values_are_read_as_they_are_written() {
        let cases: [(&str, &[&str]); 8] = [
            ("true", &["true"]),
            ("nginx -t && systemctl reload nginx", &["nginx -t && systemctl reload nginx"]),
            ("'echo \"a, b\" # x'", &["echo \"a, b\" # x"]),
            ("/var/www,", &["/var/www"]),
            ("/a, \"/b, c\", /d", &["/a", "/b, c", "/d"]),
            ("\"it's\"", &["it's"]),
            ("", &[""]),
            ("x # why", &["x"]),
        ];
        for (text, expected) in cases {
            assert_eq!(values(text).unwrap(), expected, "{text}");
        }
        for bad in ["'a", "\"a\" b", "'a' 'b'"] {
            assert_eq!(values(bad), None, "{bad}");
        }
    }

    #[test]
    fn triple_quotes_hold_both_kinds_and_lines() {
        let text = "[renewalparams]\nrenew_hook = '''echo \"it's\"\ntrue'''\nserver = None\n";
        let conf = RenewalConf::read(&Input { name: "a.conf", bytes: text.as_bytes() }).unwrap();
        assert_eq!(conf.hook.as_deref(), Some("echo \"it's\"\ntrue"));
        assert_eq!(conf.server, None);
    }

    #[test]
    fn every_bad_line_is_reported_and_none_is_shown() {
        let text = "junk\n[a\n[[b]]\nhook = 'secret\n";
        let report = RenewalConf::read(&Input { name: "a.conf", bytes: text.as_bytes() }).unwrap_err();
        assert_eq!(report.diagnostics().len(), 4);
        assert!(!report.to_string().contains("secret"), "{report}");
    }
}
