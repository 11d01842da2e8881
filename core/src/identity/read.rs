//! Reading the file.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::{ExternalIdentity, Requirement, codes, judge};
use crate::certificate::UnixTime;
use crate::diagnostic::{Diagnostic, Findings, Report, Source};
use crate::document::{self, Document};

/// A file that was judged. What is in it is for the objects that deliver it; nothing of it is printed.
#[derive(Clone)]
pub struct Identity {
    document: Document<ExternalIdentity>,
    canonical: Value,
}

impl Identity {
    /// The values, for the objects that deliver them.
    pub fn value(&self) -> &ExternalIdentity {
        &self.document.value
    }

    /// The public certificates of the issuer's authority, in PEM.
    pub fn authority(&self) -> &str {
        &self.document.value.ca_certificate
    }

    /// The file as a JSON value, for its keyed fingerprint: blanks and the order of keys make no difference.
    pub fn canonical(&self) -> &Value {
        &self.canonical
    }
}

/// Without the values: a `Debug` form ends up in panics and logs.
impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").field("file", &self.document.source().name()).finish_non_exhaustive()
    }
}

/// Reads and judges the file of a site at an instant. `name` is what messages call it.
///
/// # Errors
/// `identity/*`, `document/*`, and the codes of unreadable certificates: all faults of the file.
pub fn read(name: &str, bytes: &[u8], requirement: &Requirement, at: UnixTime) -> Result<(Identity, Report), Report> {
    let mut findings = Findings::new();
    requirement.judge(&mut findings);
    let stopped = |mut findings: Findings, report: Report| {
        findings.extend(report);
        findings.into_report()
    };
    let (source, canonical) = match json(name, bytes) {
        Ok(read) => read,
        Err(report) => return Err(stopped(findings, report)),
    };
    // One unknown key must not hide what else is wrong.
    let (remains, report) = document::parse(&source).read_what_stands::<ExternalIdentity>(&[]);
    findings.extend(report);
    let Some(remains) = remains else { return Err(findings.into_report()) };
    judge::judge(&remains, requirement, at, &mut findings);
    let Some(document) = remains.into_whole() else { return Err(findings.into_report()) };
    findings.conclude(Identity { document, canonical })
}

/// What some editors put before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The text of a JSON file, and its value. JSON is YAML but for tabs between its tokens, which become blanks: no place moves.
fn json(name: &str, bytes: &[u8]) -> Result<(Arc<Source>, Value), Report> {
    let at_start = |message: String, help: &str| {
        Report::from(Diagnostic::error(codes::JSON, message).at(Source::private(name, "").whole(), "").help(help))
    };
    if bytes.len() > document::MAX_BYTES {
        let message =
            format!("this file has more than {} bytes (4 MiB); a registration has some thousands", document::MAX_BYTES);
        return Err(at_start(message, "see that `pharos_external_aai_file` names the right file"));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return Err(at_start(
            "this file begins with a byte order mark, which is no part of JSON".to_owned(),
            "save it as UTF-8 without a byte order mark; `sed -i '1s/^\\xEF\\xBB\\xBF//' FILE` takes it away",
        ));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let message = if bytes.is_empty() { "this file is empty" } else { "this file holds nothing but blanks" };
        return Err(at_start(
            message.to_owned(),
            "write the registration that the site's AAI gave, or restore it from a copy",
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).map(String::from_utf8_lossy).unwrap_or_default();
        let place = Source::private(name, &before).place(before.len()..before.len());
        Report::from(
            Diagnostic::error(document::codes::ENCODING, "this text is not UTF-8")
                .at(place, "")
                .help("save it as UTF-8"),
        )
    })?;
    let value = serde_json::from_str(text).map_err(|error| refused(name, text, &error))?;
    let spaced: Cow<'_, str> = if text.contains('\t') { text.replace('\t', " ").into() } else { text.into() };
    Ok((Source::private(name, &spaced), value))
}

/// Where a text stops being JSON. The parser's words quote nothing, and are left out all the same.
fn refused(name: &str, text: &str, error: &serde_json::Error) -> Report {
    let start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let line = text.get(start..).unwrap_or_default();
    let column = line.char_indices().map(|(at, _)| at).find(|at| at + 1 >= error.column()).unwrap_or(line.len());
    let place = Source::private(name, text).place(start + column..start + column);
    let message = if error.is_eof() { "this JSON is cut off" } else { "this is not JSON" };
    Diagnostic::error(codes::JSON, message)
        .at(place, "")
        .help("write one object; texts and keys stand in double quotes, and no comma stands before a closing bracket")
        .into()
}
