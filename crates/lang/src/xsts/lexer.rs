//! Tokens of XSTS.
//!
//! The longest match wins. A dot is part of an identifier, so `Color.Red` is one token. The names of
//! the built-in types and the words of older dialects (`tran`, `ort`) are ordinary identifiers here;
//! the parser knows them by their place, so that variables may bear these names.

use std::fmt;

use ir::Span;
use logos::{Lexer, Logos};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::temporal::closing_brace;

/// The tokens of one text, with one-token memory in the hands of the caller.
pub(crate) struct Tokens<'s> {
    lexer: Lexer<'s, Token>,
    /// Whether a comment that never ends has swallowed the rest.
    pub(crate) cut: bool,
}

impl<'s> Tokens<'s> {
    /// The tokens of `source`; a byte order mark is skipped.
    pub(crate) fn new(source: &'s str) -> Self {
        Tokens::after(source, if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
    }
    /// The tokens behind the first bytes of `source`.
    pub(crate) fn after(source: &'s str, first: usize) -> Self {
        let mut lexer = Token::lexer(source);
        lexer.bump(first);
        Tokens { lexer, cut: false }
    }
    /// Skips what is between the `{` before this place and its `}`, whatever its language is; `None` if there is no `}`.
    pub(crate) fn skip_to_brace(&mut self) -> Option<Span> {
        let start = self.lexer.span().end;
        let length = closing_brace(self.lexer.remainder())?;
        self.lexer.bump(length);
        Some(Span::new(start, start + length))
    }
    /// The next token; what is no token is reported and skipped.
    pub(crate) fn next(&mut self, diagnostics: &mut Diagnostics) -> (Token, Span) {
        // A run of bad characters is one error.
        let mut bad: Option<Span> = None;
        loop {
            let next = self.lexer.next();
            let span = self.span();
            match (next, bad) {
                (Some(Err(Bad::Character)), Some(run)) if run.end == span.start => bad = Some(run.to(span)),
                (Some(Err(Bad::Character)), _) => {
                    self.report(bad, diagnostics);
                    bad = Some(span);
                }
                (Some(Err(Bad::Comment)), _) => {
                    self.report(bad, diagnostics);
                    let start = Span { end: span.start + 2, ..span };
                    let message = "this comment never ends; close it with `*/`";
                    diagnostics.push(Diagnostic::error(Code::Unclosed, start, message));
                    self.cut = true;
                    return (Token::End, Span { start: span.end, ..span });
                }
                (Some(Ok(token)), _) => {
                    self.report(bad, diagnostics);
                    return (token, span);
                }
                (None, _) => {
                    self.report(bad, diagnostics);
                    let end = self.lexer.source().len();
                    return (Token::End, Span::new(end, end));
                }
            }
        }
    }
    fn span(&self) -> Span {
        let range = self.lexer.span();
        Span::new(range.start, range.end)
    }
    fn report(&self, bad: Option<Span>, diagnostics: &mut Diagnostics) {
        let Some(span) = bad else { return };
        let text = &self.lexer.source()[span.start as usize..span.end as usize];
        let first = text.chars().next().unwrap_or_default();
        let shown = match first {
            '\\' => "`\\`; lines need no continuation mark, remove it".to_owned(),
            '&' => "`&`; the conjunction is written `&&`".to_owned(),
            '|' => "`|`; the disjunction is written `||`".to_owned(),
            _ if first.is_control() => format!("U+{:04X}; is this a text file?", first as u32),
            _ => format!("`{first}`"),
        };
        diagnostics.push(Diagnostic::error(
            Code::UnexpectedCharacter,
            span,
            format!("unexpected character {shown}"),
        ));
    }
}

/// Why something is no token.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub(crate) enum Bad {
    #[default]
    Character,
    Comment,
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

macro_rules! tokens {
    ($($text:literal $name:ident,)*) => {
        /// A token.
        #[derive(Logos, Copy, Clone, PartialEq, Eq, Debug)]
        #[logos(error = Bad)]
        #[logos(skip r"[ \t\r\n\x0c]+")]
        #[logos(skip(r"//[^\n]*", allow_greedy = true))]
        pub(crate) enum Token {
            #[regex(r"[A-Za-z_$][A-Za-z0-9_$.]*")]
            Identifier,
            #[regex(r"[0-9]+")]
            Integer,
            /// Not part of the language; known so that it can be explained.
            #[regex(r"[0-9]+\.[0-9]+")]
            Decimal,
            #[token("/*", block_comment)]
            Comment,
            End,
            $(#[token($text)] $name,)*
        }

        impl fmt::Display for Token {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    Token::Identifier => "a name",
                    Token::Integer | Token::Decimal => "a number",
                    Token::Comment => "a comment",
                    Token::End => "the end of the text",
                    $(Token::$name => concat!("`", $text, "`"),)*
                })
            }
        }

        /// The reserved words and the marks, as they are written.
        #[cfg(test)]
        pub(crate) const WRITTEN: &[&str] = &[$($text,)*];
    };
}

tokens! {
    "type" Type,
    "var" Var,
    "ctrl" Ctrl,
    "trans" Trans,
    "init" Init,
    "env" Env,
    "prop" Prop,
    "local" Local,
    "havoc" Havoc,
    "assume" Assume,
    "choice" Choice,
    "or" Or,
    "if" If,
    "then" Then,
    "else" Else,
    "for" For,
    "from" From,
    "to" To,
    "do" Do,
    "__delay" Delay,
    "true" True,
    "false" False,
    "iff" Iff,
    "xor" Xor,
    "rem" Rem,
    "default" Default,
    "{" LeftBrace,
    "}" RightBrace,
    "(" LeftParen,
    ")" RightParen,
    "[" LeftBracket,
    "]" RightBracket,
    ";" Semicolon,
    ":" Colon,
    "," Comma,
    ":=" Assign,
    "=" Equals,
    "==" Equal,
    "!=" NotEqual,
    "/=" SlashEquals,
    "<" Less,
    "<=" LessEqual,
    ">" Greater,
    ">=" GreaterEqual,
    "=>" Implies,
    "->" Arrow,
    "<-" LeftArrow,
    "!" Not,
    "&&" And,
    "||" OrOr,
    "+" Plus,
    "-" Minus,
    "*" Times,
    "/" Divide,
    "%" Percent,
}

impl Token {
    /// Whether the token is a word that cannot be a name.
    pub(crate) fn is_keyword(self) -> bool {
        use Token::*;
        matches!(
            self,
            Type | Var
                | Ctrl
                | Trans
                | Init
                | Env
                | Prop
                | Local
                | Havoc
                | Assume
                | Choice
                | Or
                | If
                | Then
                | Else
                | For
                | From
                | To
                | Do
                | Delay
                | True
                | False
                | Iff
                | Xor
                | Rem
                | Default
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let mut diagnostics = Diagnostics::default();
        let mut tokens = Tokens::new(source);
        let mut shown = vec![];
        loop {
            let (token, span) = tokens.next(&mut diagnostics);
            if token == Token::End {
                break;
            }
            shown.push(source[span.start as usize..span.end as usize].to_owned());
        }
        shown.extend(diagnostics.finish().into_iter().map(|d| format!("\n{}: {}", d.span.start, d.message)));
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn the_dot_is_part_of_a_name() {
        check("Color.Red==x.y", "Color.Red == x.y");
    }

    #[test]
    fn the_longest_match_wins() {
        check("a:=b<-c->d=>e<=f===g", "a := b <- c -> d => e <= f == = g");
        check("trans transx ctrl_ __delay __delays", "trans transx ctrl_ __delay __delays");
    }

    #[test]
    fn every_written_token_is_one_token() {
        for text in WRITTEN {
            check(text, text);
        }
    }

    #[test]
    fn comments_and_white_space_are_skipped() {
        check("\u{feff}a // b\r\n/* c * / ** */ d /**/e", "a d e");
        check("a /* b", "a \n2: this comment never ends; close it with `*/`");
    }

    #[test]
    fn a_run_of_bad_characters_is_one_error() {
        check(
            "a \0\0\0 b ##",
            "a b \n2: unexpected character U+0000; is this a text file? \n8: unexpected character `#`",
        );
    }
}
