//! Tokens of the texts in a statechart.

use ir::Span;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::text::Text;

/// What a token is; its text tells which.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A whole number, maybe hexadecimal.
    Integer,
    /// A number with a fraction.
    Real,
    /// A text in quotation marks.
    String,
    /// An operator or a bracket.
    Sign,
    /// The end of the text.
    End,
}

/// A token and where it is in the decoded text.
#[derive(Copy, Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Signs of several characters, longer ones first.
const SIGNS: &[&str] = &[
    "<<=", ">>=", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<",
    ">>", "++", "--",
];

/// The tokens of a text, without comments; the last one is the end.
pub(super) fn tokens(text: &Text, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let source = text.decoded.as_str();
    let mut list = vec![];
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let run = |is: &dyn Fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        } else if first.is_alphabetic() || first == '_' {
            (Kind::Word, run(&|c| c.is_alphanumeric() || c == '_'))
        } else if first.is_ascii_digit() {
            number(rest)
        } else if matches!(first, '"' | '\'') {
            let close = rest[1..].find(first);
            if close.is_none() {
                let place = text.place(Span::new(at, at + 1));
                diagnostics.push(Diagnostic::error(Code::Unclosed, place, "this text is never closed"));
            }
            (Kind::String, close.map_or(rest.len(), |close| close + 2))
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len()))
        };
        list.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    list.push(Token { kind: Kind::End, start: source.len(), end: source.len() });
    list
}

fn number(rest: &str) -> (Kind, usize) {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        return (Kind::Integer, 2 + hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len()));
    }
    let whole = digits(rest);
    match rest[whole..].strip_prefix('.') {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            (Kind::Real, whole + 1 + digits(fraction))
        }
        _ => (Kind::Integer, whole),
    }
}
