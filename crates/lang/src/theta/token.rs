//! Tokens of CFA and STS.
//!
//! The original reader has traps that nobody needs: there, `u` and `s` are no names, and `a[I]` is no entry of an array.
//! Here both are what they look like.

use ir::Span;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A token; its text is where its span is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A name or a word of the language.
    Word,
    /// Digits.
    Number,
    /// A bit-vector: `8'xff`.
    Bits,
    /// An operator or a bracket.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// Longer ones first.
const MARKS: &[&str] = &[
    "<->", ":=", "<-", "->", "/=", "<=", ">=", "++", "==", "!=", "=>", "&&", "||", "=", "<", ">", "+", "-",
    "*", "/", "%", "(", ")", "[", "]", "{", "}", ",", ":", ";", "'", ".", "!",
];

/// The tokens of a part of a text, the end included. What is none is reported and left out.
pub(crate) fn tokens(
    text: &str,
    at: std::ops::Range<usize>,
    diagnostics: &mut Diagnostics,
) -> Vec<(Token, Span)> {
    let (mut at, end) = (at.start, at.end);
    let mut list = vec![];
    if text[at..end].starts_with('\u{feff}') {
        at += '\u{feff}'.len_utf8();
    }
    // A run of characters that are no tokens is one mistake.
    let mut bad: Option<usize> = None;
    while let Some(first) = text[at..end].chars().next() {
        let rest = &text[at..end];
        let until = |stop: &dyn Fn(char) -> bool| rest.find(stop).unwrap_or(rest.len());
        let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let (token, length) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if rest.starts_with("//") {
            (None, until(&|c| c == '\n'))
        } else if let Some(inside) = rest.strip_prefix("/*") {
            match inside.find("*/") {
                Some(end) => (None, end + 4),
                None => {
                    let message = "this comment never ends; close it with `*/`";
                    diagnostics.push(Diagnostic::error(Code::Unclosed, Span::new(at, at + 2), message));
                    break;
                }
            }
        } else if first.is_ascii_alphabetic() || matches!(first, '_' | '$') {
            (Some(Token::Word), until(&|c| !is_letter(c)))
        } else if first.is_ascii_digit() {
            let digits = until(&|c| !c.is_ascii_digit());
            match bits(&rest[digits..]) {
                Some(more) => (Some(Token::Bits), digits + more),
                None => (Some(Token::Number), digits),
            }
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            (Some(Token::Mark(mark)), mark.len())
        } else {
            if bad != Some(at) {
                let message = format!("unexpected character `{}`", first.escape_debug());
                let span = Span::new(at, at + first.len_utf8());
                diagnostics.push(Diagnostic::error(Code::UnexpectedCharacter, span, message));
            }
            bad = Some(at + first.len_utf8());
            (None, first.len_utf8())
        };
        list.extend(token.map(|token| (token, Span::new(at, at + length))));
        at += length;
    }
    let last = text[..end].trim_end().len();
    list.push((Token::End, Span::new(last, last)));
    list
}

/// How long the part of a bit-vector behind its width is: `'b01`, `'d-5`, `'xff`.
fn bits(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix('\'')?;
    let (sign, is_digit): (usize, fn(char) -> bool) = match digits.chars().next()? {
        'b' => (0, |c| matches!(c, '0' | '1')),
        'x' => (0, |c| c.is_ascii_hexdigit()),
        'd' => (usize::from(digits[1..].starts_with(['+', '-'])), |c| c.is_ascii_digit()),
        _ => return None,
    };
    let rest = &digits[1 + sign..];
    let count = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
    (count > 0).then_some(2 + sign + count)
}
