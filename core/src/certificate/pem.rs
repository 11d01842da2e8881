//! The blocks of a PEM text, as OpenSSL sees them, and what keeps it from seeing others.
//!
//! OpenSSL looks for a line that begins with `-----BEGIN ` and ends with `-----`, skips everything else, and reads up to
//! the matching END line. It forgives CRLF, blanks at line ends, a byte order mark and surrounding text; it does not see a
//! block that is indented, that shares a line with another, or whose lines end in a bare CR. This scanner takes exactly
//! what OpenSSL takes and puts a name on the rest.

use std::ops::Range;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A block between its BEGIN and END lines.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Block {
    /// The words between `BEGIN ` and the dashes.
    pub(super) label: String,
    /// The bytes of the BEGIN line.
    pub(super) begin: Range<usize>,
    /// The bytes between the BEGIN and END lines.
    pub(super) body: Range<usize>,
}

/// Why a block is not seen, or not read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FaultKind {
    /// Lines end in CR alone: to OpenSSL the whole text is one line.
    CarriageReturn,
    /// The BEGIN or END line is indented.
    Indented,
    /// An END or another text shares a line with a BEGIN.
    Glued,
    /// A block without its END line, an END without its BEGIN, or an END of another label.
    Truncated,
}

/// A fault, with the bytes of the line it is on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Fault {
    /// What is wrong.
    pub(super) kind: FaultKind,
    /// The line.
    pub(super) line: Range<usize>,
}

/// What a text holds.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Scan {
    /// The blocks that OpenSSL reads, in file order.
    pub(super) blocks: Vec<Block>,
    /// What is damaged, in file order.
    pub(super) faults: Vec<Fault>,
    /// Whether the text begins with a UTF-8 byte order mark.
    pub(super) byte_order_mark: bool,
}

/// Finds the blocks of a text.
pub(super) fn scan(bytes: &[u8]) -> Scan {
    let mut scanner = Scanner::default();
    let mut start = 0;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        scanner.found.byte_order_mark = true;
        start = BYTE_ORDER_MARK.len();
    }
    while start < bytes.len() {
        let rest = bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |at| at + 1);
        let line = rest.get(..length).unwrap_or_default();
        let written = line.iter().rposition(|b| *b > b' ').map_or(0, |at| at + 1);
        scanner.line(line.get(..written).unwrap_or_default(), start..start + written);
        start += length;
    }
    if let Some(open) = scanner.open.take() {
        scanner.fault(FaultKind::Truncated, open.begin);
    }
    scanner.found
}

#[derive(Default)]
struct Scanner {
    found: Scan,
    open: Option<Block>,
    /// Inside a block that was already found damaged: its lines are passed over.
    damaged: bool,
}

impl Scanner {
    fn fault(&mut self, kind: FaultKind, line: Range<usize>) {
        self.found.faults.push(Fault { kind, line });
    }

    /// One line without its end and trailing blanks.
    fn line(&mut self, text: &[u8], at: Range<usize>) {
        let visible = text.iter().position(|b| *b > b' ').map_or(text, |first| text.get(first..).unwrap_or_default());
        let marked = find(text, BEGIN).is_some() || find(text, END).is_some();
        if !marked {
            return;
        }
        if text.contains(&b'\r') {
            self.damage(FaultKind::CarriageReturn, at);
        } else if visible.len() < text.len() && (visible.starts_with(BEGIN) || visible.starts_with(END)) {
            self.indented(visible, at);
        } else if text.starts_with(BEGIN) && text.ends_with(DASHES) && find(text, END).is_none() {
            self.begin(text, at);
        } else if text.starts_with(END) && find(text, BEGIN).is_none() {
            self.end(text, at);
        } else if let Some(begin) = find(text, BEGIN) {
            // The text before BEGIN may be an END of the open block: either way OpenSSL reads neither.
            self.damage(FaultKind::Glued, at.start + begin..at.end);
        }
    }

    /// Gives the open block up; what follows, up to the next END, is passed over.
    fn damage(&mut self, kind: FaultKind, at: Range<usize>) {
        self.open = None;
        self.damaged = true;
        self.fault(kind, at);
    }

    fn indented(&mut self, visible: &[u8], at: Range<usize>) {
        if visible.starts_with(BEGIN) || self.open.is_some() {
            self.damage(FaultKind::Indented, at);
        }
        self.damaged = visible.starts_with(BEGIN);
    }

    fn begin(&mut self, text: &[u8], at: Range<usize>) {
        if let Some(open) = self.open.take() {
            self.fault(FaultKind::Truncated, open.begin);
        }
        self.damaged = false;
        let label = text.get(BEGIN.len()..text.len() - DASHES.len()).unwrap_or_default();
        let label = String::from_utf8_lossy(label).into_owned();
        self.open = Some(Block { label, body: at.end..at.end, begin: at });
    }

    fn end(&mut self, text: &[u8], at: Range<usize>) {
        match self.open.take() {
            Some(mut block) => {
                let expected = [END, block.label.as_bytes(), DASHES].concat();
                if text == expected.as_slice() {
                    block.body.end = at.start;
                    self.found.blocks.push(block);
                } else {
                    self.fault(FaultKind::Truncated, block.begin);
                }
            }
            None if self.damaged => self.damaged = false,
            None => self.fault(FaultKind::Truncated, at),
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// The bytes that the base64 of a block's body stands for; `None` if it is damaged. Headers (RFC 1421) are passed over.
pub(super) fn decode(body: &[u8]) -> Option<Vec<u8>> {
    let data = match body.iter().position(|b| *b == b':') {
        Some(colon) => {
            let rest = body.get(colon..)?;
            let blank = find(rest, b"\n\n").map(|at| at + 2).or_else(|| find(rest, b"\n\r\n").map(|at| at + 3))?;
            rest.get(blank..)?
        }
        None => body,
    };
    let digits: Vec<u8> = data.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    let padding = digits.iter().rev().take_while(|b| **b == b'=').count();
    let signs = digits.get(..digits.len() - padding)?;
    if digits.is_empty() || !digits.len().is_multiple_of(4) || padding > 2 || signs.contains(&b'=') {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    for group in signs.chunks(4) {
        let mut value = 0u32;
        for sign in group {
            value = value << 6 | sextet(*sign)?;
        }
        value <<= 6 * (4 - group.len());
        bytes.extend(value.to_be_bytes().get(1..group.len())?);
    }
    Some(bytes)
}

fn sextet(sign: u8) -> Option<u32> {
    let value = match sign {
        b'A'..=b'Z' => sign - b'A',
        b'a'..=b'z' => sign - b'a' + 26,
        b'0'..=b'9' => sign - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::{FaultKind, decode, scan};

    fn kinds(text: &str) -> Vec<FaultKind> {
        scan(text.as_bytes()).faults.into_iter().map(|fault| fault.kind).collect()
    }

    fn labels(text: &str) -> Vec<String> {
        scan(text.as_bytes()).blocks.into_iter().map(|block| block.label).collect()
    }

    #[test]
    fn what_openssl_forgives() {
        for text in [
            "-----BEGIN X-----\nAA==\n-----END X-----",
            "-----BEGIN X-----  \r\nAA==\r\n-----END X-----\r\n",
            "\u{feff}-----BEGIN X-----\nAA==\n-----END X-----\nwords\n",
            "\u{feff}\nsubject=a\n-----BEGIN X-----\nAA==\n-----END X-----\n",
        ] {
            assert_eq!((labels(text), kinds(text)), (vec!["X".to_owned()], vec![]), "{text:?}");
        }
    }

    #[test]
    fn what_it_does_not() {
        let cases = [
            ("-----BEGIN X-----\rAA==\r-----END X-----\r", vec![FaultKind::CarriageReturn]),
            (" -----BEGIN X-----\n AA==\n -----END X-----\n", vec![FaultKind::Indented]),
            (
                "-----BEGIN X-----\nAA==\n-----END X----------BEGIN X-----\nAA==\n-----END X-----\n",
                vec![FaultKind::Glued],
            ),
            ("-----BEGIN X-----\nAA==\n", vec![FaultKind::Truncated]),
            ("-----BEGIN X-----\nAA==\n-----END Y-----\n", vec![FaultKind::Truncated]),
            ("-----BEGIN X-----\nAA==\n-----BEGIN Y-----\nAA==\n-----END Y-----\n", vec![FaultKind::Truncated]),
            ("-----END X-----\n", vec![FaultKind::Truncated]),
            ("x -----BEGIN X-----\nAA==\n-----END X-----\n", vec![FaultKind::Glued]),
        ];
        for (text, expected) in cases {
            assert_eq!(kinds(text), expected, "{text:?}");
        }
    }

    #[test]
    fn base64_is_exact() {
        assert_eq!(decode(b"\nAAEC\nAw==\n").unwrap(), [0, 1, 2, 3]);
        assert_eq!(decode(b"\nProc-Type: 4\n\nAAE=\n").unwrap(), [0, 1]);
        for bad in ["", "A", "AA=", "A===", "AA=A", "A!AA", "A:\nAAAA"] {
            assert!(decode(bad.as_bytes()).is_none(), "{bad}");
        }
    }
}
