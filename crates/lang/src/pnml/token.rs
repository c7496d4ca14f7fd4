//! Tokens of properties.

use ir::Span;

use crate::code::Code;
use crate::diagnostic::Diagnostic;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A word; quoted ones are never keywords.
    Name { text: String, quoted: bool },
    /// Digits.
    Number(String),
    /// An operator or a bracket.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// Longer ones first.
const MARKS: &[&str] = &[
    "<=>", "&&", "||", "==", "!=", "<=", ">=", "=>", "->", "<>", "[]", "(", ")", "{", "}", "[", "]", ",",
    ";", "&", "|", "=", "<", ">", "!", "+", "-", "*",
];

/// All tokens of a text behind its first bytes, the end included; comments are skipped.
///
/// # Errors
/// What is no token.
pub(crate) fn tokens(text: &str, first: usize) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut list = vec![];
    let mut at = first;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let until = |stop: &dyn Fn(char) -> bool| rest.find(stop).unwrap_or(rest.len());
        let (token, length) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if rest.starts_with("//") {
            (None, until(&|c| c == '\n'))
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or_else(|| {
                Diagnostic::error(
                    Code::Unclosed,
                    Span::new(at, at + 2),
                    "this comment never ends; close it with `*/`",
                )
            })?;
            (None, end + 2)
        } else if matches!(first, '"' | '\'') {
            let length = rest[1..].find(first).ok_or_else(|| {
                let message = format!("this name never ends; close it with `{first}`");
                Diagnostic::error(Code::Unclosed, Span::new(at, at + 1), message)
            })?;
            (Some(Token::Name { text: rest[1..=length].to_owned(), quoted: true }), length + 2)
        } else if first.is_alphabetic() || matches!(first, '_' | '$') {
            let length = until(&|c| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '.'));
            (Some(Token::Name { text: rest[..length].to_owned(), quoted: false }), length)
        } else if first.is_ascii_digit() {
            let length = until(&|c| !c.is_ascii_digit());
            (Some(Token::Number(rest[..length].to_owned())), length)
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            (Some(Token::Mark(mark)), mark.len())
        } else {
            let message = format!("unexpected character `{}`", first.escape_debug());
            return Err(Diagnostic::error(
                Code::UnexpectedCharacter,
                Span::new(at, at + first.len_utf8()),
                message,
            ));
        };
        list.extend(token.map(|token| (token, Span::new(at, at + length))));
        at += length;
    }
    list.push((Token::End, Span::new(text.trim_end().len(), text.trim_end().len())));
    Ok(list)
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Name { text, .. } | Token::Number(text) => {
                let short: String = text.chars().take(40).collect();
                write!(f, "`{short}`")
            }
            Token::Mark(mark) => write!(f, "`{mark}`"),
            Token::End => f.write_str("the end of the property"),
        }
    }
}
