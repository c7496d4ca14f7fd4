//! Tokens of the UPPAAL language.
//!
//! The longest match wins. The words that structure a process (`state`, `trans`, `guard`, …) and the
//! names of query kinds are ordinary identifiers here; the parser knows them by their place, so that
//! variables may bear these names. A backslash at the end of a line joins it with the next.

use std::fmt;

use ir::Span;
use logos::{Lexer, Logos};

use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::text::Text;

/// The tokens of one text.
pub(crate) struct Tokens<'s> {
    text: &'s Text,
    lexer: Lexer<'s, Token>,
}

impl<'s> Tokens<'s> {
    /// The tokens of `text`; a byte order mark is skipped.
    pub(crate) fn new(text: &'s Text) -> Self {
        let mut lexer = Token::lexer(&text.decoded);
        if text.decoded.starts_with('\u{feff}') {
            lexer.bump('\u{feff}'.len_utf8());
        }
        Tokens { text, lexer }
    }
    /// The next token, its place in the source, and how it is written.
    ///
    /// What is no token is reported and skipped; a run of bad characters is one error.
    pub(crate) fn next(&mut self, diagnostics: &mut Diagnostics) -> (Token, Span, &'s str) {
        let mut bad: Option<Span> = None;
        loop {
            let next = self.lexer.next();
            let range = self.lexer.span();
            let span = Span::new(range.start, range.end);
            match (next, bad) {
                (Some(Err(Bad::Character)), Some(run)) if run.end == span.start => bad = Some(run.to(span)),
                (Some(Err(Bad::Character)), _) => {
                    self.report(bad, diagnostics);
                    bad = Some(span);
                }
                (Some(Err(Bad::Comment)), _) => {
                    self.report(bad, diagnostics);
                    let start = self.text.place(Span { end: span.start + 2, ..span });
                    let message = "this comment never ends; close it with `*/`";
                    diagnostics.push(Diagnostic::error(Cause::Unclosed, start, message));
                    return (Token::End, self.text.end(), "");
                }
                (Some(Ok(token)), _) => {
                    self.report(bad, diagnostics);
                    return (token, self.text.place(span), self.lexer.slice());
                }
                (None, _) => {
                    self.report(bad, diagnostics);
                    return (Token::End, self.text.end(), "");
                }
            }
        }
    }
    /// Where the last token given starts in the decoded text.
    pub(crate) fn position(&self) -> usize {
        self.lexer.span().start
    }
    /// What stands between a position and the last token given.
    pub(crate) fn since(&self, start: usize) -> &'s str {
        self.text.decoded[start..self.position()].trim()
    }
    /// The token after the last one given; nothing is reported.
    pub(crate) fn peek(&self) -> Token {
        self.lexer.clone().find_map(Result::ok).unwrap_or(Token::End)
    }
    /// The tokens after the last one given, with how they are written; nothing is reported.
    pub(crate) fn ahead(&self) -> impl Iterator<Item = (Token, &'s str)> + use<'s> {
        let mut lexer = self.lexer.clone();
        std::iter::from_fn(move || lexer.by_ref().find_map(Result::ok).map(|token| (token, lexer.slice())))
    }
    /// Whether there is nothing but white space and comments left.
    pub(crate) fn is_empty(&self) -> bool {
        self.lexer.clone().next().is_none()
    }
    fn report(&self, bad: Option<Span>, diagnostics: &mut Diagnostics) {
        let Some(span) = bad else { return };
        let text = &self.text.decoded[span.start as usize..span.end as usize];
        let first = text.chars().next().unwrap_or_default();
        let shown = match first {
            '"' => "`\"`; a text ends on its line".to_owned(),
            _ if first.is_control() => format!("U+{:04X}; is this a text file?", first as u32),
            _ => format!("`{first}`"),
        };
        let message = format!("unexpected character {shown}");
        diagnostics.push(Diagnostic::error(Cause::UnexpectedCharacter, self.text.place(span), message));
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
    (words: $($word:literal $word_name:ident,)* marks: $($text:literal $name:ident,)*) => {
        /// A token.
        #[derive(Logos, Copy, Clone, PartialEq, Eq, Debug)]
        #[logos(error = Bad)]
        #[logos(skip r"[ \t\r\n\x0c]+")]
        #[logos(skip r"\\[ \t\r]*\n")]
        #[logos(skip(r"//[^\n]*", allow_greedy = true))]
        pub(crate) enum Token {
            #[regex(r"[A-Za-z_$][A-Za-z0-9_$#]*")]
            Identifier,
            #[regex(r"[0-9]+")]
            Integer,
            #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
            Double,
            #[regex(r#""[^"\n]*""#)]
            Text,
            #[token("/*", block_comment)]
            Comment,
            End,
            $(#[token($word)] $word_name,)*
            $(#[token($text)] $name,)*
        }

        impl fmt::Display for Token {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    Token::Identifier => "a name",
                    Token::Integer | Token::Double => "a number",
                    Token::Text => "a text",
                    Token::Comment => "a comment",
                    Token::End => "the end of the text",
                    $(Token::$word_name => concat!("`", $word, "`"),)*
                    $(Token::$name => concat!("`", $text, "`"),)*
                })
            }
        }

        impl Token {
            /// Whether the token is a word that cannot be a name.
            pub(crate) fn is_keyword(self) -> bool {
                matches!(self, $(Token::$word_name)|*)
            }
        }
    };
}

tokens! {
    words:
    "const" Const,
    "urgent" Urgent,
    "broadcast" Broadcast,
    "meta" Meta,
    "hybrid" Hybrid,
    "int" Int,
    "bool" Bool,
    "clock" Clock,
    "chan" Chan,
    "void" Void,
    "double" DoubleType,
    "string" StringType,
    "scalar" Scalar,
    "struct" Struct,
    "typedef" Typedef,
    "true" True,
    "false" False,
    "forall" Forall,
    "exists" Exists,
    "sum" Sum,
    "deadlock" Deadlock,
    "and" AndWord,
    "or" OrWord,
    "xor" XorWord,
    "imply" Imply,
    "not" NotWord,
    "if" If,
    "else" Else,
    "while" While,
    "do" Do,
    "for" For,
    "return" Return,
    marks:
    "{" LeftBrace,
    "}" RightBrace,
    "(" LeftParen,
    ")" RightParen,
    "[" LeftBracket,
    "]" RightBracket,
    ";" Semicolon,
    ":" Colon,
    "," Comma,
    "." Dot,
    "'" Prime,
    "?" Question,
    "=" Equals,
    ":=" ColonEquals,
    "+=" PlusEquals,
    "-=" MinusEquals,
    "*=" TimesEquals,
    "/=" DivideEquals,
    "%=" PercentEquals,
    "|=" OrEquals,
    "&=" AndEquals,
    "^=" XorEquals,
    "<<=" LeftShiftEquals,
    ">>=" RightShiftEquals,
    "++" Increment,
    "--" Decrement,
    "==" Equal,
    "!=" NotEqual,
    "<" Less,
    "<=" LessEqual,
    ">" Greater,
    ">=" GreaterEqual,
    "<?" Min,
    ">?" Max,
    "->" Arrow,
    "-u->" UncontrollableArrow,
    "!" Not,
    "&&" And,
    "||" OrOr,
    "&" Ampersand,
    "|" Bar,
    "^" Caret,
    "~" Tilde,
    "<<" LeftShift,
    ">>" RightShift,
    "+" Plus,
    "-" Minus,
    "*" Times,
    "**" Power,
    "/" Divide,
    "%" Percent,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let mut diagnostics = Diagnostics::default();
        let text = Text::verbatim(source);
        let mut tokens = Tokens::new(&text);
        let mut shown = vec![];
        loop {
            let (token, span, written) = tokens.next(&mut diagnostics);
            if token == Token::End {
                break;
            }
            assert_eq!(&source[span.start as usize..span.end as usize], written);
            shown.push(written.to_owned());
        }
        shown.extend(diagnostics.finish().into_iter().map(|d| format!("\n{}: {}", d.span.start, d.message)));
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn the_longest_match_wins() {
        check("a<<=b<?c>=d:=e--f->g", "a <<= b <? c >= d := e -- f -> g");
        check("int integer forall_ 12 1.5 .5e3", "int integer forall_ 12 1.5 .5e3");
        check("a**b*c", "a ** b * c");
        check("P.x'==0", "P . x ' == 0");
    }

    #[test]
    fn comments_and_white_space_are_skipped() {
        check("\u{feff}a // b\r\n/* c * / ** */ d /**/e", "a d e");
        check("a /* b", "a \n2: this comment never ends; close it with `*/`");
    }

    #[test]
    fn a_run_of_bad_characters_is_one_error() {
        check(
            "a \0\0 b @",
            "a b \n2: unexpected character U+0000; is this a text file? \n7: unexpected character `@`",
        );
    }
}
