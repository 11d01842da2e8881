//! What nginx's own test says of a candidate.

use std::sync::Arc;

use super::Listener;
use crate::diagnostic::{Diagnostic, Findings, Place, Source};
use crate::edge::codes;
use crate::name::{AbsolutePath, HostName};

/// What `nginx -t` answered.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TestOutput {
    /// Whether it ended with 0.
    pub passed: bool,
    /// What it wrote to standard error.
    pub text: String,
}

/// A line of nginx's own words.
struct Said<'a> {
    level: &'a str,
    words: &'a str,
    file: Option<(&'a str, usize)>,
}

impl TestOutput {
    /// Lines of the form `nginx: [emerg] words in /file:12`, or `2026/01/02 03:04:05 [emerg] 71#71: words in /file:12` from
    /// where the configuration names an error log.
    fn said(&self) -> impl Iterator<Item = Said<'_>> {
        self.text.lines().filter_map(|line| {
            let (before, rest) = line.split_once(" [")?;
            let (level, words) = rest.split_once("] ")?;
            let words = match words.split_once(": ") {
                Some((process, words)) if before != "nginx:" && process.contains('#') => words,
                _ => words,
            };
            let file = words.rsplit_once(" in ").and_then(|(_, place)| {
                let (file, number) = place.rsplit_once(':')?;
                file.starts_with('/').then_some((file, number.parse().ok()?))
            });
            Some(Said { level, words, file })
        })
    }

    fn failure(&self) -> Option<Said<'_>> {
        self.said().find(|said| !matches!(said.level, "warn" | "notice" | "info" | "debug"))
    }
}

/// Judges the test of a candidate beside the test of what is there.
///
/// A candidate that fails is refused, `edge/candidate-refused`; if what is there fails in the same way, the fault is not ours and
/// is `edge/broken-configuration`. A warning that the candidate brings, and one about a name of ours, is fatal too,
/// `edge/candidate-warning`: nginx only warns where it then serves something else. Others are passed on, `edge/nginx-warning`.
pub fn judge_test(
    (listener, text): (Listener, &str),
    hosts: &[HostName],
    before: &TestOutput,
    candidate: &TestOutput,
    findings: &mut Findings,
) {
    let ours = Source::public(listener.file(), text);
    if !candidate.passed {
        findings.push(refused(&ours, before, candidate));
        return;
    }
    let known: Vec<&str> = before.said().map(|said| said.words).collect();
    for said in candidate.said().filter(|said| said.level == "warn") {
        let about_us = said.words.contains("conflicting server name")
            && hosts.iter().any(|host| said.words.contains(&format!("\"{host}\"")));
        if about_us || !known.contains(&said.words) {
            findings.push(
                Diagnostic::error(codes::CANDIDATE_WARNING, format!("nginx warns of the candidate: {}", said.words))
                    .at(place(&ours, &said), "")
                    .help("remove what it warns of: nginx would go on and serve something else"),
            );
        } else {
            findings.push(
                Diagnostic::warning(codes::NGINX_WARNING, format!("nginx warns: {}", said.words))
                    .at(place(&ours, &said), ""),
            );
        }
    }
}

/// Judges nginx's test of the tree as it stands, where nothing of it is to be changed: somebody may have broken it since.
///
/// A tree that fails is refused, `edge/broken-configuration` for a file that is not ours and `edge/candidate-refused` for ours.
/// What it warns of is judged as by [`judge_test`]. `to_come` are files that are still to be brought back: that they are missing
/// is no fault of the tree.
pub fn judge_standing(
    (listener, text): (Listener, &str),
    hosts: &[HostName],
    to_come: &[AbsolutePath],
    now: &TestOutput,
    findings: &mut Findings,
) {
    let Some(said) = now.failure().filter(|_| !now.passed) else {
        judge_test((listener, text), hosts, now, now, findings);
        return;
    };
    if to_come.iter().any(|file| said.words.contains(&format!("\"{file}\""))) {
        return;
    }
    let ours = Source::public(listener.file(), text);
    if said.file.is_none_or(|(file, _)| file != ours.name()) {
        findings.push(broken(&ours, &said));
        return;
    }
    findings.push(
        Diagnostic::error(codes::CANDIDATE_REFUSED, format!("nginx refuses our file as it stands: {}", said.words))
            .at(place(&ours, &said), "it was accepted when it was installed")
            .help("look for what came or changed since, beside it: until then no reload of nginx succeeds, whoever asks for it"),
    );
}

/// `edge/broken-configuration`.
fn broken(ours: &Arc<Source>, said: &Said<'_>) -> Diagnostic {
    Diagnostic::error(codes::BROKEN_CONFIGURATION, format!("nginx refuses what is already there: {}", said.words))
        .at(place(ours, said), "not a file of ours")
        .help("mend or remove it: until then no reload of nginx succeeds, whoever asks for it")
}

fn refused(ours: &Arc<Source>, before: &TestOutput, candidate: &TestOutput) -> Diagnostic {
    let Some(said) = candidate.failure() else {
        let last = candidate.text.lines().last().unwrap_or("it said nothing");
        return Diagnostic::error(codes::CANDIDATE_REFUSED, format!("nginx refuses the candidate: {last}"))
            .at(Place::named("nginx -t"), "");
    };
    let same = before.failure().is_some_and(|failure| failure.words == said.words);
    let foreign = said.file.is_none_or(|(file, _)| file != ours.name());
    if !before.passed && same && foreign {
        return broken(ours, &said);
    }
    Diagnostic::error(codes::CANDIDATE_REFUSED, format!("nginx refuses the candidate: {}", said.words))
        .at(place(ours, &said), "")
        .help("nothing was changed; mend what it names")
}

/// The line that nginx names: of our own text shown, of others only named.
fn place(ours: &Arc<Source>, said: &Said<'_>) -> Place {
    let Some((file, number)) = said.file else { return Place::named("nginx -t") };
    if file != ours.name() {
        return Place::named(&format!("{file}:{number}"));
    }
    let mut start = 0;
    for (index, line) in ours.text().split_inclusive('\n').enumerate() {
        if index + 1 == number {
            return ours.place(start..start + line.trim_end().len());
        }
        start += line.len();
    }
    ours.whole()
}

#[cfg(test)]
mod tests {
    use super::{Listener, TestOutput, judge_standing, judge_test};
    use crate::diagnostic::{Findings, Report};

    fn judge(before: (bool, &str), candidate: (bool, &str)) -> Report {
        let output = |(passed, text): (bool, &str)| TestOutput { passed, text: text.to_owned() };
        let mut findings = Findings::new();
        let hosts = ["a.example.org".parse().unwrap()];
        judge_test((Listener::Https, "one;\ntwo;\n"), &hosts, &output(before), &output(candidate), &mut findings);
        findings.into_report()
    }

    fn codes(report: &Report) -> Vec<&str> {
        report.diagnostics().iter().map(|d| d.code.name()).collect()
    }

    const OK: (bool, &str) = (true, "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\n");
    const FOREIGN: (bool, &str) = (false, "nginx: [emerg] unknown directive \"x\" in /etc/nginx/conf.d/z.conf:7\n");

    #[test]
    fn a_candidate_that_passes_has_no_findings() {
        assert!(judge(OK, OK).is_empty());
    }

    #[test]
    fn a_fault_of_ours_is_shown_and_one_of_others_is_named() {
        let ours = "nginx: [emerg] unknown directive \"two\" in /etc/nginx/conf.d/pharos-platform-https.conf:2\n";
        let report = judge(OK, (false, ours));
        assert_eq!(codes(&report), ["edge/candidate-refused"]);
        assert!(report.to_string().contains("two;"), "{report}");
        let report = judge(FOREIGN, FOREIGN);
        assert_eq!(codes(&report), ["edge/broken-configuration"]);
        assert!(report.to_string().contains("/etc/nginx/conf.d/z.conf:7"), "{report}");
        assert_eq!(codes(&judge(OK, FOREIGN)), ["edge/candidate-refused"]);
        assert_eq!(codes(&judge(OK, (false, ""))), ["edge/candidate-refused"]);
    }

    #[test]
    fn both_forms_of_a_line_are_read() {
        let logged = |pid: u32| {
            format!(
                "2026/01/02 03:04:05 [emerg] {pid}#{pid}: unknown directive \"x: y\" in /etc/nginx/conf.d/z.conf:7\n"
            )
        };
        let report = judge((false, &logged(71)), (false, &logged(72)));
        assert_eq!(codes(&report), ["edge/broken-configuration"]);
        assert!(report.to_string().contains("already there: unknown directive \"x: y\" in"), "{report}");
        let warned =
            "2026/01/02 03:04:05 [warn] 71#71: conflicting server name \"a.example.org\" on 0.0.0.0:443, ignored\n";
        assert_eq!(codes(&judge(OK, (true, warned))), ["edge/candidate-warning"]);
    }

    fn standing(text: &str) -> Report {
        let now = TestOutput { passed: text.is_empty(), text: text.to_owned() };
        let (hosts, to_come) = (["a.example.org".parse().unwrap()], ["/etc/letsencrypt/a.pem".parse().unwrap()]);
        let mut findings = Findings::new();
        judge_standing((Listener::Https, "one;\ntwo;\n"), &hosts, &to_come, &now, &mut findings);
        findings.into_report()
    }

    #[test]
    fn a_tree_that_somebody_broke_since_is_refused() {
        assert!(standing("").is_empty());
        let report = standing(FOREIGN.1);
        assert_eq!(codes(&report), ["edge/broken-configuration"]);
        assert!(report.to_string().contains("/etc/nginx/conf.d/z.conf:7"), "{report}");
        let ours =
            standing("nginx: [emerg] duplicate upstream \"x\" in /etc/nginx/conf.d/pharos-platform-https.conf:2\n");
        assert_eq!(codes(&ours), ["edge/candidate-refused"]);
        assert!(ours.to_string().contains("as it stands") && ours.to_string().contains("two;"), "{ours}");
    }

    #[test]
    fn a_file_that_is_still_to_come_does_not_break_the_tree() {
        let missing =
            |file: &str| format!("nginx: [emerg] cannot load certificate \"{file}\": BIO_new_file() failed\n");
        assert!(standing(&missing("/etc/letsencrypt/a.pem")).is_empty());
        assert_eq!(codes(&standing(&missing("/etc/ssl/a.pem"))), ["edge/broken-configuration"]);
    }

    #[test]
    fn a_configuration_that_the_candidate_mends_is_no_fault() {
        assert!(judge(FOREIGN, OK).is_empty());
    }

    #[test]
    fn new_warnings_are_fatal_and_old_ones_are_passed_on() {
        let warn = |host: &str| {
            format!(
                "nginx: [warn] conflicting server name \"{host}\" on 0.0.0.0:443, ignored\nnginx: test is successful\n"
            )
        };
        let (ours, theirs) = (warn("a.example.org"), warn("other.example.org"));
        assert_eq!(codes(&judge(OK, (true, &ours))), ["edge/candidate-warning"]);
        assert_eq!(codes(&judge(OK, (true, &theirs))), ["edge/candidate-warning"]);
        assert_eq!(codes(&judge((true, &ours), (true, &ours))), ["edge/candidate-warning"]);
        assert_eq!(codes(&judge((true, &theirs), (true, &theirs))), ["edge/nginx-warning"]);
    }
}
