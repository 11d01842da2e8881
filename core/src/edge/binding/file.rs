//! The lines of an `EnvironmentFile`, as systemd reads them (systemd.exec(5)), and the ones that are wanted.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Findings, Place, Report, Source};
use crate::edge::codes;
use crate::name::AbsolutePath;

/// A variable and its value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Setting {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    fn line(&self) -> String {
        format!("{}={}\n", self.name, self.value)
    }
}

/// What a service is given, in what file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Binding {
    unit: String,
    file: AbsolutePath,
    settings: Vec<Setting>,
}

impl Binding {
    /// The binding of a unit.
    ///
    /// # Errors
    /// `edge/binding-value` for what is not the name of a service unit, for a name that is no variable or stands there twice, and for a
    /// value that would need quotes: what is written is read the same by systemd, by a shell and by people.
    pub fn new(unit: &str, file: AbsolutePath, settings: Vec<Setting>) -> Result<Self, Report> {
        let mut findings = Findings::new();
        let mut refuse = |key: &str, message: String, help: &str| {
            let place = Place::named("task").with_key(key);
            findings.push(Diagnostic::error(codes::BINDING_VALUE, message).at(place, "").help(help));
        };
        if !is_service(unit) {
            let help = "write the whole name, as `systemctl status` shows it: `pharos-site-runtime.service`";
            refuse("/unit", format!("`{}` is not the name of a service", unit.escape_debug()), help);
        }
        for (index, setting) in settings.iter().enumerate() {
            let name = setting.name.escape_debug();
            if !is_variable(&setting.name) {
                let help = "write capitals, digits and underscores, a capital first";
                refuse(&format!("/settings/{index}/name"), format!("`{name}` is not a variable"), help);
            }
            if settings.iter().take(index).any(|earlier| earlier.name == setting.name) {
                refuse(&format!("/settings/{index}/name"), format!("`{name}` is given twice"), "give it once");
            }
            if !setting.value.bytes().all(is_plain) {
                let help = "write letters, digits and `:/._~%@,+=?&-` alone: an origin, a host, a port";
                refuse(&format!("/settings/{index}/value"), format!("the value of `{name}` would need quotes"), help);
            }
        }
        findings.conclude(Self { unit: unit.to_owned(), file, settings }).map(|(binding, _)| binding)
    }

    /// The unit.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The file.
    pub fn file(&self) -> &AbsolutePath {
        &self.file
    }

    /// The lines that are wanted, as they are shown: nothing else of the file ever is.
    pub fn wanted(&self) -> String {
        self.settings.iter().map(Setting::line).collect()
    }

    /// The lines of these variables in a text, in the order in which they are wanted.
    pub(super) fn shown(&self, text: &str, assignments: &[Assignment]) -> String {
        let lines = self.settings.iter().filter_map(|setting| {
            let found = assignments.iter().find(|found| found.name == setting.name)?;
            text.get(found.range.clone()).map(str::trim_end)
        });
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// The text with the wanted lines in the place of those that are there; new ones at the end. All else stays byte for byte.
    ///
    /// # Errors
    /// `edge/binding-file` if the text is not read as systemd reads it, or sets a wanted variable twice.
    pub(super) fn applied(&self, text: &str) -> Result<(String, Vec<Assignment>), Report> {
        let assignments = assignments(self.file.as_str(), text)?;
        let mut findings = Findings::new();
        let mut result = String::with_capacity(text.len());
        let mut done = 0;
        for found in &assignments {
            let Some(setting) = self.settings.iter().find(|setting| setting.name == found.name) else { continue };
            if assignments.iter().filter(|other| other.name == found.name).count() > 1 {
                findings.push(twice(self.file.as_str(), text, found));
                continue;
            }
            result.push_str(text.get(done..found.range.start).unwrap_or_default());
            result.push_str(&setting.line());
            done = found.range.end;
        }
        result.push_str(text.get(done..).unwrap_or_default());
        for setting in
            self.settings.iter().filter(|setting| !assignments.iter().any(|found| found.name == setting.name))
        {
            if !result.is_empty() && !result.ends_with('\n') {
                result.push('\n');
            }
            result.push_str(&setting.line());
        }
        findings.conclude((result, assignments)).map(|(applied, _)| applied)
    }
}

fn is_service(unit: &str) -> bool {
    let stem = unit.strip_suffix(".service").unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":_.@-".contains(&byte);
    !stem.is_empty() && unit.len() <= 200 && !stem.starts_with(['.', '-']) && stem.bytes().all(plain)
}

fn is_variable(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().next().is_some_and(|first| first.is_ascii_uppercase()) && name.bytes().all(letter)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b":/._~%@,+=?&-".contains(&byte)
}

/// An assignment of a file: its variable, and the bytes from the beginning of its line to the beginning of the next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) range: Range<usize>,
}

/// The assignments of a text. A value goes on in the next line within quotes and behind a backslash, so that what looks like an
/// assignment may be a part of another one's value.
fn assignments(path: &str, text: &str) -> Result<Vec<Assignment>, Report> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(line) = text.get(rest..).filter(|rest| !rest.is_empty()) {
        let content = line.trim_start_matches([' ', '\t', '\r']);
        let comment = content.starts_with(['#', ';']);
        let name = content.split(['=', '\n']).next().unwrap_or_default();
        let assigns = !comment && content.get(name.len()..).is_some_and(|behind| behind.starts_with('='));
        let length = if comment || assigns { logical_line(line, comment) } else { Some(physical_line(line)) };
        let Some(length) = length else {
            let place = Source::private(path, text).place(rest..rest + 1);
            return Err(Diagnostic::error(codes::BINDING_FILE, "a quote of this assignment is not closed")
                .at(place, "")
                .help("close it: systemd would read what follows as a part of the value")
                .into());
        };
        if assigns {
            found.push(Assignment { name: name.trim_end().to_owned(), range: rest..rest + length });
        }
        rest += length;
    }
    Ok(found)
}

/// The length of the first line, its end included.
fn physical_line(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// The length of the first line with those that continue it; `None` if a quote is not closed. A comment is continued by a
/// backslash as well, and knows no quotes.
fn logical_line(text: &str, comment: bool) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quote != Some(b'\'') => escaped = true,
            b'"' | b'\'' if !comment && quote.is_none() => quote = Some(byte),
            _ if quote == Some(byte) => quote = None,
            b'\n' if quote.is_none() => return Some(index + 1),
            _ => {}
        }
    }
    quote.is_none().then_some(text.len())
}

fn twice(path: &str, text: &str, found: &Assignment) -> Diagnostic {
    // Private: the line may hold a secret by mistake.
    let place = Source::private(path, text).place(found.range.start..found.range.start + 1);
    Diagnostic::error(codes::BINDING_FILE, format!("`{}` is set more than once", found.name))
        .at(place, "systemd takes the last one")
        .help("leave one of them: it is then kept as it is wanted")
}

#[cfg(test)]
mod tests {
    use super::{Binding, Setting, assignments};

    fn binding() -> Binding {
        let setting = |name: &str, value: &str| Setting { name: name.to_owned(), value: value.to_owned() };
        let settings = vec![setting("SITE_API_URL", "https://site.box.test:8443"), setting("PORT", "1")];
        Binding::new("runtime.service", "/etc/runtime.env".parse().unwrap(), settings).unwrap()
    }

    #[test]
    fn other_lines_stay_byte_for_byte() {
        let text = "# SITE_API_URL=no\nTOKEN=\"a\nPORT=2\n\"\nSITE_API_URL='https://old'\nLONG=a\\\nPORT=3\n; end";
        let (applied, _) = binding().applied(text).unwrap();
        let expected = "# SITE_API_URL=no\nTOKEN=\"a\nPORT=2\n\"\nSITE_API_URL=https://site.box.test:8443\n\
                        LONG=a\\\nPORT=3\n; end\nPORT=1\n";
        assert_eq!(applied, expected);
        assert_eq!(binding().applied(&applied).unwrap().0, applied, "what is wanted stays");
    }

    #[test]
    fn assignments_are_read_as_systemd_reads_them() {
        let names = |text: &str| -> Vec<String> {
            assignments("f", text).unwrap().into_iter().map(|found| found.name).collect()
        };
        assert_eq!(names("A=1\n  B = 2\nnothing\nC=\nD=it\\'s\nE='a\\'\nF=6"), ["A", "B", "C", "D", "E", "F"]);
        assert_eq!(names("# it's \\\nA=1\nB=2"), ["B"], "a comment goes on behind a backslash");
        assert_eq!(names(""), [""; 0]);
        assert!(assignments("f", "A=\"1\nB=2\n").is_err());
    }
}
