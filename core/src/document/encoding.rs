//! From the bytes of a file to its text.

use std::sync::Arc;

use super::codes;
use super::parse::MAX_BYTES;
use crate::diagnostic::{Diagnostic, Report, Source};

/// The text of a file whose lines may be shown. Bytes beyond [`MAX_BYTES`] are judged by the reader, whatever they are.
///
/// # Errors
/// `document/encoding` if it is not UTF-8.
pub fn source_from_bytes(name: &str, bytes: &[u8]) -> Result<Arc<Source>, Report> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Source::public(name, text)),
        // The reader refuses it for its length; whoever read it may have cut a character in two.
        Err(_) if bytes.len() > MAX_BYTES => Ok(Source::public(name, &String::from_utf8_lossy(bytes))),
        Err(error) => Err(Report::from(refused(name, bytes, error.valid_up_to()))),
    }
}

/// The refusal of a file whose byte `at` is the first that is not UTF-8.
fn refused(name: &str, bytes: &[u8], at: usize) -> Diagnostic {
    let message = if let Some(encoding) = marked(bytes) {
        format!("this text is {encoding}, and a document is UTF-8")
    } else {
        let byte = bytes.get(at).copied().unwrap_or_default();
        format!("this text is not UTF-8: the byte at offset {at} is 0x{byte:02X}")
    };
    let before = bytes.get(..at).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    let mut place = Source::public(name, before).place(at..at);
    if before.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        // No text at all: its line would reach the terminal with its control characters.
        place = place.conceal();
    }
    Diagnostic::error(codes::ENCODING, message).at(place, "").help("save it as UTF-8")
}

/// The encoding that a byte order mark names. The mark of UTF-32 begins with that of UTF-16.
fn marked(bytes: &[u8]) -> Option<&'static str> {
    let marks: [(&[u8], _); 4] = [
        (&[0xff, 0xfe, 0, 0], "UTF-32"),
        (&[0, 0, 0xfe, 0xff], "UTF-32"),
        (&[0xff, 0xfe], "UTF-16"),
        (&[0xfe, 0xff], "UTF-16"),
    ];
    marks.into_iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(_, encoding)| encoding)
}
