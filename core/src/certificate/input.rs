//! Files as they are handed in: a name for messages, and bytes.

use std::sync::Arc;

use super::codes;
use super::pem::{self, Block, Fault, FaultKind, Scan};
use crate::diagnostic::{Diagnostic, Findings, Place, Source};

/// A file that somebody else has read.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// What messages call it: the path as the caller knows it.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// How much of a file is read at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Most bytes.
    pub(super) bytes: usize,
    /// Most certificates.
    pub(super) certificates: usize,
}

/// A file after its blocks were found.
pub(super) struct Scanned<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) scan: Scan,
    pub(super) source: Arc<Source>,
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.bytes.len())
    }
}

impl Scanned<'_> {
    /// What stands between the marks of a block.
    pub(super) fn body(&self, block: &Block) -> &[u8] {
        self.bytes.get(block.body.clone()).unwrap_or_default()
    }

    /// The place of a line of the file.
    pub(super) fn place(&self, line: &std::ops::Range<usize>) -> Place {
        self.source.place(line.clone())
    }
}

/// Finds the blocks of a file within the budget, and reports what keeps OpenSSL from seeing others. `private` says that
/// the file is a key file; a file with a private key in it is private all the same.
pub(super) fn scan<'a>(
    input: &Input<'a>,
    budget: Budget,
    private: bool,
    findings: &mut Findings,
) -> Option<Scanned<'a>> {
    if input.bytes.len() > budget.bytes {
        let message = format!("{} is longer than the {} bytes that are read", input.name, budget.bytes);
        findings.push(
            Diagnostic::error(codes::TOO_LARGE, message)
                .at(Place::named(input.name), "")
                .help("name the file that holds the certificates or the key alone"),
        );
        return None;
    }
    let private = private || input.bytes.windows(11).any(|window| window == b"PRIVATE KEY");
    let source = source(input, private);
    let scan = pem::scan(input.bytes);
    if scan.byte_order_mark {
        findings.push(
            Diagnostic::warning(codes::BYTE_ORDER_MARK, "the file begins with a UTF-8 byte order mark")
                .at(source.whole(), "")
                .help("save it without the mark: OpenSSL 3 passes over it, other programs do not see the first block"),
        );
    }
    let scanned = Scanned { bytes: input.bytes, scan, source };
    for fault in &scanned.scan.faults {
        findings.push(describe(fault, &scanned));
    }
    Some(scanned)
}

/// The source of a file's places. Offsets stay true whatever the bytes are; of a private file only the line ends are kept,
/// so that no diagnostic can carry a key.
fn source(input: &Input<'_>, private: bool) -> Arc<Source> {
    if private {
        let blank: String = input.bytes.iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }).collect();
        return Source::private(input.name, &blank);
    }
    if let Ok(text) = std::str::from_utf8(input.bytes) {
        return Source::public(input.name, text);
    }
    let ascii: String = input.bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '?' }).collect();
    Source::public(input.name, &ascii)
}

fn describe(fault: &Fault, scanned: &Scanned<'_>) -> Diagnostic {
    let (code, message, help) = match fault.kind {
        FaultKind::CarriageReturn => (
            codes::CARRIAGE_RETURN,
            "lines end in a carriage return alone, so that OpenSSL sees one line and no block",
            "convert the line ends: `tr '\\r' '\\n' < OLD > NEW`",
        ),
        FaultKind::Indented => (
            codes::INDENTED,
            "this mark is indented, so that OpenSSL does not see the block",
            "let each line begin at the margin; in YAML use a block scalar (`|`) and no further indentation",
        ),
        FaultKind::Glued => (
            codes::GLUED,
            "this BEGIN mark shares a line with other text, so that OpenSSL does not see the block",
            "put it on a line of its own: files joined with `cat` need a newline at their ends",
        ),
        FaultKind::Truncated => (
            codes::TRUNCATED,
            "this block has no BEGIN and END mark that belong together",
            "copy the file again: a part of it is missing",
        ),
    };
    let whole = fault.kind == FaultKind::CarriageReturn;
    let place = if whole { scanned.source.whole() } else { scanned.place(&fault.line) };
    Diagnostic::error(code, message).at(place, "").help(help)
}
