//! Tokens of the Gamma languages.
//!
//! There are no reserved words here: every word is an identifier, and the parser knows keywords by their place, so
//! that old models which use a newer keyword as a name are read. `^` before a word escapes it and is part of the
//! token, not of the name. Words with hyphens (`in-state`) and the mark of channels (`-o)-`) are several tokens
//! without space between them, which the parser joins where they can stand; elsewhere they are arithmetic.

use std::fmt;

use ir::{FileId, Span};
use logos::{Lexer, Logos};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A token and its place.
pub(crate) type Placed = (Token, Span);

/// All tokens of a text; the last one is [`Token::End`]. What is no token is reported and skipped.
pub(crate) fn tokens(source: &str, file: FileId, diagnostics: &mut Diagnostics) -> Vec<Placed> {
    let mut lexer = Token::lexer(source);
    if source.starts_with('\u{feff}') {
        lexer.bump('\u{feff}'.len_utf8());
    }
    let mut list = vec![];
    // A run of bad characters is one error.
    let mut bad: Option<Span> = None;
    while let Some(next) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(range.start, range.end).in_file(file);
        match next {
            Ok(token) => list.push((token, span)),
            Err(Bad::Character) => match bad {
                Some(run) if run.end == span.start => bad = Some(run.to(span)),
                _ => {
                    report(source, bad.replace(span), diagnostics);
                }
            },
            Err(Bad::Comment) => {
                let start = Span { end: span.start + 2, ..span };
                let message = "this comment never ends; close it with `*/`";
                diagnostics.push(Diagnostic::error(Code::Unclosed, start, message));
            }
            Err(Bad::String) => {
                let message = "this text never ends; close it with the mark that it begins with";
                diagnostics.push(Diagnostic::error(Code::Unclosed, span, message));
            }
        }
    }
    report(source, bad, diagnostics);
    let end = Span::new(source.len(), source.len()).in_file(file);
    list.push((Token::End, end));
    list
}

fn report(source: &str, bad: Option<Span>, diagnostics: &mut Diagnostics) {
    let Some(span) = bad else { return };
    let first = source[span.start as usize..span.end as usize].chars().next().unwrap_or_default();
    let shown = match first {
        _ if first.is_control() => format!("U+{:04X}; is this a text file?", first as u32),
        _ => format!("`{first}`"),
    };
    let message = format!("unexpected character {shown}");
    diagnostics.push(Diagnostic::error(Code::UnexpectedCharacter, span, message));
}

/// Why something is no token.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub(crate) enum Bad {
    #[default]
    Character,
    Comment,
    String,
}

fn block_comment(lexer: &mut Lexer<'_, Token>) -> logos::FilterResult<(), Bad> {
    match lexer.remainder().find("*/") {
        Some(at) => {
            lexer.bump(at + 2);
            logos::FilterResult::Skip
        }
        None => {
            lexer.bump(lexer.remainder().len());
            logos::FilterResult::Error(Bad::Comment)
        }
    }
}

/// A text ends at its mark, or wrongly at the end of the line.
fn string(lexer: &mut Lexer<'_, Token>) -> Result<(), Bad> {
    let mark = lexer.slice().as_bytes()[0];
    let rest = lexer.remainder().as_bytes();
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\n' => break,
            b'\\' if at + 1 < rest.len() && rest[at + 1].is_ascii() => at += 2,
            byte if byte == mark => {
                lexer.bump(at + 1);
                return Ok(());
            }
            _ => at += 1,
        }
    }
    lexer.bump(at.min(rest.len()));
    Err(Bad::String)
}

macro_rules! tokens {
    ($($text:literal $name:ident,)*) => {
        /// A token.
        #[derive(Logos, Copy, Clone, PartialEq, Eq, Debug)]
        #[logos(error = Bad)]
        #[logos(skip r"[ \t\r\n\x0c\u{a0}]+")]
        #[logos(skip(r"//[^\n]*", allow_greedy = true))]
        pub(crate) enum Token {
            #[regex(r"\^?[A-Za-z_][A-Za-z0-9_]*")]
            Word,
            #[regex(r"[0-9]+")]
            Integer,
            #[regex(r"[0-9]+\.[0-9]+")]
            Decimal,
            #[regex("[\"']", string)]
            String,
            #[token("/*", block_comment)]
            Comment,
            End,
            $(#[token($text)] $name,)*
        }

        impl fmt::Display for Token {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    Token::Word => "a name",
                    Token::Integer | Token::Decimal => "a number",
                    Token::String => "a text in quotation marks",
                    Token::Comment => "a comment",
                    Token::End => "the end of the text",
                    $(Token::$name => concat!("`", $text, "`"),)*
                })
            }
        }

        /// The marks, as they are written.
        #[cfg(test)]
        pub(crate) const WRITTEN: &[&str] = &[$($text,)*];
    };
}

tokens! {
    "{" LeftBrace,
    "}" RightBrace,
    "(" LeftParen,
    ")" RightParen,
    "[" LeftBracket,
    "]" RightBracket,
    ";" Semicolon,
    ":" Colon,
    "::" Scope,
    "," Comma,
    "." Dot,
    ".." Dots,
    "?" Question,
    "@" At,
    "#" Hash,
    "^" Caret,
    ":=" Assign,
    "=" Equals,
    "==" Equal,
    "!=" NotEqual,
    "/=" SlashEquals,
    "<" Less,
    "<=" LessEqual,
    ">" Greater,
    ">=" GreaterEqual,
    "->" Arrow,
    "!" Not,
    "&&" And,
    "&" Ampersand,
    "||" Or,
    "|" Bar,
    "+" Plus,
    "-" Minus,
    "*" Times,
    "/" Divide,
    "%" Percent,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let mut diagnostics = Diagnostics::default();
        let list = tokens(source, FileId::default(), &mut diagnostics);
        let text = |span: Span| source[span.start as usize..span.end as usize].to_owned();
        let mut shown: Vec<String> = list.iter().map(|(_, span)| text(*span)).collect();
        assert_eq!(shown.pop().as_deref(), Some(""));
        shown.extend(diagnostics.finish().into_iter().map(|d| format!("\n{}: {}", d.span.start, d.message)));
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn an_escape_is_part_of_a_word() {
        check("^any ^ any a^b", "^any ^ any a ^b");
    }

    #[test]
    fn the_longest_match_wins() {
        check("a:=b::c..d->e<=f==g/=h", "a := b :: c .. d -> e <= f == g /= h");
        check("1..2 1.5 1. 2", "1 .. 2 1.5 1 . 2");
        check("x-o)-y <-1 in-state", "x - o ) - y < - 1 in - state");
    }

    #[test]
    fn every_written_token_is_one_token() {
        for text in WRITTEN {
            check(text, text);
        }
    }

    #[test]
    fn texts_comments_and_white_space() {
        check("\u{feff}a // b\r\n/* c * / ** */ 'd \" \\' e' \"f\" /**/g", "a 'd \" \\' e' \"f\" g");
        check("a /* b", "a \n2: this comment never ends; close it with `*/`");
        check("a \"b\nc", "a c \n2: this text never ends; close it with the mark that it begins with");
        check("\"\\", "\n0: this text never ends; close it with the mark that it begins with");
    }

    #[test]
    fn a_run_of_bad_characters_is_one_error() {
        check(
            "a \0\0\0 b $$",
            "a b \n2: unexpected character U+0000; is this a text file? \n8: unexpected character `$`",
        );
    }
}
