//! A report for people: the source line with the fault underlined, then what to write instead.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Label, Report, Severity, secrecy};

/// Whether colours are used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Style {
    /// No escape sequence: files, pipes, Ansible messages.
    Plain,
    /// Colours for a terminal.
    Colour,
}

/// The whole report: each finding, a blank line between two, a final newline after each.
pub fn render(report: &Report, style: Style) -> String {
    let parts: Vec<String> = report.diagnostics().iter().map(|d| one(d, style)).collect();
    parts.join("\n")
}

/// One finding.
pub fn one(diagnostic: &Diagnostic, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code.name()));
    for (source, labels) in by_source(&diagnostic.labels) {
        group = snippet(group, source, &labels);
    }
    let explain = format!("see `pharos explain {}`", diagnostic.code);
    let help = match &diagnostic.help {
        Some(help) => format!("{help}  ({explain})"),
        None => explain,
    };
    group = group.element(Level::HELP.message(help));
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let mut text = renderer.render(&[group]);
    if diagnostic.labels.is_empty() {
        text = without_bar(&text);
    }
    text.push('\n');
    text
}

/// What was rendered of a finding that has no place, without the bar that would stand beside a source line.
fn without_bar(rendered: &str) -> String {
    let is_bar = |line: &&str| {
        // What is left of a line without its escape sequences.
        let parts = line.split('\x1b').enumerate();
        let bare =
            parts.map(|(at, part)| if at == 0 { part } else { part.split_once('m').map_or(part, |(_, rest)| rest) });
        bare.collect::<String>().trim() == "|"
    };
    let kept: Vec<&str> = rendered.lines().filter(|line| !is_bar(line)).collect();
    kept.join("\n")
}

/// Labels grouped by file, in the order of first mention; the flag tells the label of the fault itself.
fn by_source(labels: &[Label]) -> Vec<(&str, Vec<(bool, &Label)>)> {
    let mut groups: Vec<(&str, Vec<(bool, &Label)>)> = Vec::new();
    for (index, label) in labels.iter().enumerate() {
        let entry = (index == 0, label);
        match groups.iter_mut().find(|(file, _)| *file == label.place.file()) {
            Some((_, list)) => list.push(entry),
            None => groups.push((label.place.file(), vec![entry])),
        }
    }
    groups
}

/// A label that is shown: whether it is the fault's own, itself, the whole text of its file and its range there.
type Shown<'a> = (bool, &'a Label, &'a str, Range<usize>);

/// What stands in a snippet for a line that is kept back.
const KEPT_BACK: &str = "...";

/// How many lines from a label the renderer may show without being asked.
const NEAR: usize = 2;

/// The lines from the first label to the last: the renderer looks at all lines that it is given, and a large text may have a
/// finding on each. A line between two labels that may not be shown, or is folded away, is replaced.
struct Window {
    text: String,
    first_line: usize,
    /// Where it starts in the file.
    start: usize,
    /// The lines that were replaced: where each ends in the file, and its length.
    replaced: Vec<(usize, usize)>,
}

impl Window {
    fn of(shown: &[Shown<'_>]) -> Option<Self> {
        let (_, label, text, _) = shown.first()?;
        let from = shown.iter().map(|(.., range)| range.start).min()?;
        let to = shown.iter().map(|(.., range)| range.end).max()?;
        let lines = secrecy::lines(text, &(from..to));
        let spans: Vec<_> = shown.iter().filter_map(|(_, label, ..)| label.place.span()).collect();
        let first_line = spans.iter().map(|(start, _)| start.line).min()?;
        let within = |line: usize, margin: usize| {
            spans.iter().any(|(start, end)| line + margin >= start.line && line <= end.line + margin)
        };
        let mut window = Self { text: String::new(), first_line, start: lines.start, replaced: Vec::new() };
        let mut offset = lines.start;
        for (number, line) in (first_line..).zip(text.get(lines)?.split_inclusive('\n')) {
            let end = offset + line.len();
            // A label's own lines were asked for before; lines far from all labels are folded away.
            if within(number, 0) || (within(number, NEAR) && label.place.shows(number, offset)) {
                window.text.push_str(line);
            } else {
                window.text.push_str(KEPT_BACK);
                window.text.push('\n');
                window.replaced.push((end, line.len()));
            }
            offset = end;
        }
        Some(window)
    }

    /// Where an offset of the file is in the window.
    fn at(&self, offset: usize) -> usize {
        let before = self.replaced.iter().filter(|(end, _)| *end <= offset);
        let (gone, put) = before.fold((0, 0), |(gone, put), (_, length)| (gone + length, put + KEPT_BACK.len() + 1));
        offset - self.start + put - gone
    }
}

fn snippet<'a>(mut group: Group<'a>, file: &'a str, labels: &[(bool, &'a Label)]) -> Group<'a> {
    let (shown, kept): (Vec<_>, Vec<_>) = labels
        .iter()
        .map(|(primary, label)| (*primary, *label, label.place.excerpt()))
        .partition(|(.., excerpt)| excerpt.is_some());
    let shown: Vec<Shown<'a>> = shown
        .into_iter()
        .filter_map(|(primary, label, excerpt)| excerpt.map(|(text, range)| (primary, label, text, range)))
        .collect();
    // The place of the fault stands first, shown or not.
    let (first, last): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(primary, ..)| *primary);
    for (_, label, _) in first {
        group = hidden(group, label);
    }
    if let Some(window) = Window::of(&shown) {
        let annotations: Vec<_> = shown
            .iter()
            .map(|(primary, label, _, range)| {
                let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                kind.span(window.at(range.start)..window.at(range.end)).label(label.text.as_str())
            })
            .collect();
        let snippet = Snippet::source(window.text).path(file).line_start(window.first_line).fold(true);
        group = group.element(snippet.annotations(annotations));
    }
    for (_, label, _) in last {
        group = hidden(group, label);
    }
    group
}

/// A place whose text is not shown: file, line, column, key and the label's words.
fn hidden<'a>(group: Group<'a>, label: &'a Label) -> Group<'a> {
    let mut origin = Origin::path(label.place.file());
    if let Some((start, _)) = label.place.span() {
        origin = origin.line(start.line).char_column(start.column);
    }
    let group = group.element(origin);
    let words = match (label.place.key(), label.text.as_str()) {
        (Some(key), "") => format!("at {key}"),
        (Some(key), text) => format!("at {key}: {text}"),
        (None, "") => return group,
        (None, text) => text.to_owned(),
    };
    group.element(Level::NOTE.message(words))
}

#[cfg(test)]
mod tests {
    use super::{Style, render};
    use crate::diagnostic::{Diagnostic, Report, Source};
    use crate::name::codes;

    const TEXT: &str = "services:\n  - name: Site\n";

    #[test]
    fn a_public_line_is_shown() {
        let source = Source::public("services.yaml", TEXT);
        let diagnostic = Diagnostic::error(codes::DNS_LABEL, "`Site` is not a DNS label")
            .at(source.place(20..24), "here")
            .help("write `site`");
        let text = render(&Report::from(diagnostic), Style::Plain);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_private_line_is_not() {
        let source = Source::private("hosts.yml", TEXT);
        let place = source.place(20..24).with_key("/services/0/name");
        let text =
            render(&Report::from(Diagnostic::error(codes::DNS_LABEL, "not a label").at(place, "")), Style::Plain);
        assert!(!text.contains("Site"), "{text}");
        assert!(text.contains("hosts.yml:2:11") && text.contains("/services/0/name"), "{text}");
    }

    #[test]
    fn a_private_line_with_nothing_on_it_is_not_quoted() {
        for text in ["all:\n", "all:\n\n  hosts:\n"] {
            let source = Source::private("hosts.yml", text);
            let finding = Diagnostic::error(codes::DNS_LABEL, "not a label").at(source.place(5..5), "");
            let said = render(&Report::from(finding), Style::Plain);
            assert!(said.contains("--> hosts.yml:2:1\n") && !said.contains('|'), "{said}");
        }
    }

    #[test]
    fn a_finding_without_a_place_has_no_bar() {
        for style in [Style::Plain, Style::Colour] {
            let finding = Diagnostic::error(codes::DNS_LABEL, "not a label").help("write `a|b`");
            let said = render(&Report::from(finding), style);
            assert_eq!((said.lines().count(), said.matches('|').count()), (2, 1), "{said}");
        }
    }
}
