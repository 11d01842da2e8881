//! Whether what was passed is a configuration at all.

use super::{Configuration, at, codes, glob};
use crate::diagnostic::{Diagnostic, Findings, Place};

/// The most bytes that are inspected, all files together.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The files up to the one with which they grow too large, which is refused.
pub(super) fn within_budget<'a>(files: &'a [(String, Vec<u8>)], findings: &mut Findings) -> &'a [(String, Vec<u8>)] {
    let mut room = MAX_BYTES;
    for (index, (path, bytes)) in files.iter().enumerate() {
        let Some(rest) = room.checked_sub(bytes.len()) else {
            let message = format!("what is to be inspected has more than {MAX_BYTES} bytes (16 MiB)");
            let help = "pass the files of one configuration, or the output of one `nginx -T`";
            findings.push(Diagnostic::error(codes::NGINX_BUDGET, message).at(Place::named(path), "").help(help));
            return files.get(..index).unwrap_or_default();
        };
        room = rest;
    }
    files
}

/// Refuses a configuration without a single directive, unless what stood there was refused before.
pub(super) fn judge(path: &str, configuration: &Configuration, findings: &mut Findings) {
    if configuration.directives.is_empty() && configuration.includes.is_empty() && !findings.refused() {
        findings.push(nothing(path));
    }
}

/// `edge/include-not-given` for each pattern that finds no file among those that were passed: what nginx finds there is not known.
pub(super) fn not_given(configuration: &Configuration, findings: &mut Findings) {
    for include in configuration.includes.iter().filter(|include| include.files.is_empty()) {
        if glob::is_pattern(&include.pattern) {
            let message = format!("no file that `{}` finds was passed, and none is judged", include.pattern);
            let diagnostic = at(Diagnostic::note(codes::INCLUDE_NOT_GIVEN, message), include.place.as_ref(), "");
            findings.push(diagnostic.help("pass those files too if there are any, or pass the output of `nginx -T`"));
        }
    }
}

/// What nginx says on its standard error, instead of a configuration: its first line tells.
pub(super) fn is_failure(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty());
    let first = first.unwrap_or_default();
    let logged = first.first().is_some_and(u8::is_ascii_digit) && first.windows(7).any(|word| word == b"[emerg]");
    logged || first.starts_with(b"nginx: ")
}

/// The refusal of nothing.
pub(super) fn nothing(path: &str) -> Diagnostic {
    refusal(path, "this holds no nginx configuration")
}

/// The refusal of what nginx says on its standard error.
pub(super) fn failure(path: &str) -> Diagnostic {
    refusal(path, "this is what nginx says, and holds no nginx configuration")
}

fn refusal(path: &str, message: &str) -> Diagnostic {
    Diagnostic::error(codes::NO_CONFIGURATION, message)
        .at(Place::named(path), "")
        .help("did `nginx -T` fail? run it as root and pass on its standard output, or pass the files themselves")
}
