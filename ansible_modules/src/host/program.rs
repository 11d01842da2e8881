//! Programs of the host.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::module::codes;

/// What a program answered.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// Whether it ended with 0.
    pub(crate) ok: bool,
    /// Its exit code; that of a shell if a signal ended it.
    pub(crate) code: i32,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
}

impl Said {
    /// Both streams, the errors first.
    pub(crate) fn words(&self) -> String {
        [self.stderr.trim(), self.stdout.trim()]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// The folders in which the host's programs lie: a connection of Ansible's may have others.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Runs a program to its end, with words of the C locale; `module/program-failed` if it cannot be run at all.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<Said, Report> {
    run_with(program, arguments, b"")
}

/// The same, with something on its standard input.
pub(crate) fn run_with(program: &str, arguments: &[&str], input: &[u8]) -> Result<Said, Report> {
    let failed = |error: std::io::Error| Report::from(cannot_run(program, &error));
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let stdin = child.stdin.take();
    // In a thread of its own: a program that answers before it has read everything would wait for us, and we for it.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that does not want its input says what it has to say with its exit code.
                let _ = stdin.write_all(input);
            }
        });
        child.wait_with_output()
    })
    .map_err(failed)?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let status = output.status;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(Said { ok: status.success(), code, stdout: text(output.stdout), stderr: text(output.stderr) })
}

fn cannot_run(program: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(codes::PROGRAM_FAILED, format!("`{program}` cannot be run: {error}"))
        .at(Place::named(program), "")
        .help("install the package that brings it")
}

/// The refusal of a program that ran and failed.
pub(crate) fn failed(program: &str, said: &Said) -> Report {
    let words = said.words();
    let words = if words.is_empty() { "it does not say why" } else { &words };
    Diagnostic::error(codes::PROGRAM_FAILED, format!("`{program}` failed: {words}"))
        .at(Place::named(program), "")
        .into()
}

#[cfg(test)]
mod tests {
    use super::{run, run_with};

    #[test]
    fn input_and_both_streams() {
        let said = run_with("sh", &["-c", "cat; echo two >&2; exit 3"], b"one\n").unwrap();
        assert_eq!((said.ok, said.stdout.as_str(), said.stderr.as_str()), (false, "one\n", "two\n"));
        let large = vec![b'x'; 1 << 20];
        assert_eq!(run_with("cat", &[], &large).unwrap().stdout.len(), large.len());
        assert!(run_with("true", &[], &large).unwrap().ok, "input that nobody reads is no fault");
    }

    #[test]
    fn a_program_that_is_not_there() {
        let report = run("no-such-program", &[]).unwrap_err();
        assert_eq!(report.diagnostics()[0].code.name(), "module/program-failed");
    }
}
