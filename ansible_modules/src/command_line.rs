//! The few ways in which the program is called.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use pharos_core::diagnostic::{Diagnostic, Place};
use pharos_core::module::codes;

use crate::outcome::Failure;
use crate::runner::{Answer, answer};
use crate::{generate, registry};

/// `-` or nothing: a request on standard input. A path: a request in that file. `--generate DIRECTORY`: writes what is
/// generated for the collection there.
///
/// Standard error stays empty: over ssh with a terminal it would be mixed into the answer. The code is 0, or 1 for a
/// failed task.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let first = arguments.next();
    if first.as_deref() == Some("--generate".as_ref()) {
        return match generate::write(Path::new(&arguments.next().unwrap_or_default())) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => print(&refusal("the collection", &error)),
        };
    }
    let (name, bytes) = match first.as_deref() {
        None => ("standard input".to_owned(), stdin()),
        Some(dash) if dash == "-" => ("standard input".to_owned(), stdin()),
        Some(path) => (Path::new(path).display().to_string(), std::fs::read(path)),
    };
    match bytes {
        Ok(bytes) => print(&answer(registry::MODULES, &bytes)),
        Err(error) => print(&refusal(&name, &error)),
    }
}

fn stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // the descriptor itself: after sudo to another user /dev/stdin may not be opened again
    std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
}

fn refusal(name: &str, error: &std::io::Error) -> Answer {
    let diagnostic = Diagnostic::error(codes::REQUEST, format!("cannot be read or written: {error}"));
    Answer::failed(Failure::from(diagnostic.at(Place::named(name), "")), None)
}

fn print(answer: &Answer) -> ExitCode {
    let mut line = answer.to_line();
    line.push('\n');
    let written = std::io::stdout().lock().write_all(line.as_bytes());
    if answer.is_failed() || written.is_err() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
