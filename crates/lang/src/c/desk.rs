//! The front desk: what a text needs before a parser of C may see it.
//!
//! Comments, line markers (`# 1 "file.c"`) and pragmas are blanked, byte for byte, so that every offset stays what it was.
//! Directives of the preprocessor are refused with the command that carries them out. And since parsers descend, so much
//! nesting as no person writes is refused here: brackets, operators in one expression, `else` upon `else`.

use ir::Span;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// How deep brackets may be nested.
const MAX_BRACKETS: usize = 1_000;
/// How many operators and `else` may be pending at one place.
const MAX_PENDING: u32 = 20_000;

/// The text as a parser may see it, as long as the original.
pub(super) fn admit(source: &str, diagnostics: &mut Diagnostics) -> String {
    let mut desk = Desk { bytes: source.as_bytes(), out: source.as_bytes().to_vec(), at: 0, diagnostics };
    desk.blank();
    let out = desk.out;
    let text = String::from_utf8(out).unwrap_or_default();
    nesting(&text, diagnostics);
    text
}

struct Desk<'a> {
    bytes: &'a [u8],
    out: Vec<u8>,
    at: usize,
    diagnostics: &'a mut Diagnostics,
}

impl Desk<'_> {
    fn blank(&mut self) {
        let mut line_start = true;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'\n' => {
                    line_start = true;
                    self.at += 1;
                    continue;
                }
                b'/' if self.next() == Some(b'*') => {
                    self.comment();
                    continue;
                }
                b'/' if self.next() == Some(b'/') => {
                    let end = self.line_end();
                    self.erase(end);
                    continue;
                }
                b'\\' if self.next() == Some(b'\n') => {
                    self.out[self.at] = b' ';
                    self.at += 2;
                    continue;
                }
                b'#' if line_start => self.directive(),
                b'"' | b'\'' => self.quoted(byte),
                _ => self.at += 1,
            }
            line_start &= byte.is_ascii_whitespace();
        }
    }
    fn next(&self) -> Option<u8> {
        self.bytes.get(self.at + 1).copied()
    }
    /// Blanks everything up to `end`, but for the ends of lines.
    fn erase(&mut self, end: usize) {
        for at in self.at..end {
            if self.out[at] != b'\n' {
                self.out[at] = b' ';
            }
        }
        self.at = end;
    }
    fn comment(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        match rest.windows(2).position(|pair| pair == b"*/") {
            Some(length) => self.erase(self.at + length + 4),
            None => {
                let span = Span::new(self.at, self.at + 2);
                self.diagnostics.push(Diagnostic::error(
                    Code::Unclosed,
                    span,
                    "this comment is not closed; write `*/` behind it",
                ));
                self.erase(self.bytes.len());
            }
        }
    }
    /// The end of the line, where a backslash in front of it makes the next line part of it.
    fn line_end(&self) -> usize {
        let mut at = self.at;
        while let Some(byte) = self.bytes.get(at) {
            if *byte == b'\n' && self.bytes[..at].last() != Some(&b'\\') {
                return at;
            }
            at += 1;
        }
        at
    }
    fn directive(&mut self) {
        let end = self.line_end();
        let line = String::from_utf8_lossy(&self.bytes[self.at + 1..end]).into_owned();
        let word: String = line.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        let known = ["pragma", "line", "ident", ""].contains(&&*word)
            || word.starts_with(|c: char| c.is_ascii_digit());
        if !known {
            let message = format!("`#{word}` is for the preprocessor, which has not been run on this file");
            let refusal =
                Diagnostic::error(Code::UnsupportedPart, Span::new(self.at, end.min(self.at + 80)), message)
                    .help("preprocess it first: gcc -E -P -m32 file.c > file.i");
            self.diagnostics.push(refusal);
        }
        self.erase(end);
    }
    /// Passes over a literal; one that is not closed ends with its line.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'\\' => self.at += 1,
                b'\n' => return,
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.bytes.len());
    }
}

/// Refuses what is nested too deep.
fn nesting(text: &str, diagnostics: &mut Diagnostics) {
    let bytes = text.as_bytes();
    // For each open bracket, what is pending in it: operators since the last separator, and `else` upon `else`.
    let mut open: Vec<(u32, u32)> = vec![(0, 0)];
    let mut pending = 0_u32;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        at += 1;
        match byte {
            b'"' | b'\'' => {
                while at < bytes.len() && bytes[at] != byte && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'(' | b'[' | b'{' => open.push((0, 0)),
            b')' | b']' | b'}' => {
                if open.len() > 1 {
                    let (operators, elses) = open.pop().unwrap_or_default();
                    pending -= operators + elses;
                }
                if byte == b'}' {
                    separate(&mut open, &mut pending, follows(bytes, at, b"else"));
                }
            }
            b';' => separate(&mut open, &mut pending, follows(bytes, at, b"else")),
            b',' => separate(&mut open, &mut pending, true),
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
                if &bytes[start..at] == b"else" {
                    pending += 1;
                    open.last_mut().expect("one is left").1 += 1;
                } else if matches!(
                    &bytes[start..at],
                    b"sizeof" | b"if" | b"while" | b"for" | b"do" | b"switch"
                ) {
                    pending += 1;
                    open.last_mut().expect("one is left").0 += 1;
                }
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'!' | b'~' | b'<' | b'>' | b'='
            | b'?' | b':' | b'.' => {
                pending += 1;
                open.last_mut().expect("one is left").0 += 1;
            }
            _ => {}
        }
        let what = if open.len() > MAX_BRACKETS {
            "brackets are nested deeper than 1,000"
        } else if pending > MAX_PENDING {
            "one expression or statement has more than 20,000 operators"
        } else {
            continue;
        };
        let span = Span::new(start, (start + 1).min(bytes.len()));
        diagnostics.push(Diagnostic::error(Code::TooDeep, span, what));
        return;
    }
}

/// A statement or a part of a list ends; `else` may follow it.
fn separate(open: &mut [(u32, u32)], pending: &mut u32, goes_on: bool) {
    let last = open.last_mut().expect("one is left");
    *pending -= last.0;
    last.0 = 0;
    if !goes_on {
        *pending -= last.1;
        last.1 = 0;
    }
}

fn follows(bytes: &[u8], at: usize, word: &[u8]) -> bool {
    let rest = bytes.get(at..).unwrap_or_default().trim_ascii_start();
    rest.starts_with(word) && !rest.get(word.len()).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}
