//! From text to syntax tree: recursive descent.
//!
//! The parser goes on after an error at the next statement, member or declaration, so that one pass finds all errors;
//! of several errors at one place only the first is told. Every level of nesting in the tree comes from one level of
//! recursion here, which is counted: text nested deeper than [`NESTING`] is refused, so no later pass meets a
//! deeper tree.
//!
//! No word is reserved. A word is a keyword where the grammar allows one and what follows fits: `choice {` is a
//! statement, `choice c` a node, `choice := 1` an assignment. An escaped word is never a keyword.

mod action;
mod annotation;
mod chart;
mod composition;
mod declaration;
mod expr;

use ir::{FileId, Int, Span};

use super::ast::*;
use super::lexer::{self, Placed, Token};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// How deep expressions, statements, types and regions may be nested.
pub(crate) const NESTING: usize = 1_000;
/// How long a text may be, in bytes; places are 32-bit.
const LONGEST: usize = 1 << 30;

/// Parses a package into `ast`.
pub(crate) fn package(source: &str, file: FileId, ast: &mut Ast, diagnostics: &mut Diagnostics) -> PackageId {
    Parser::new(source, file, ast, diagnostics).package()
}

/// The error is reported already.
pub(crate) struct Failed;
pub(crate) type Parse<T> = Result<T, Failed>;

pub(crate) struct Parser<'s, 'd> {
    source: &'s str,
    tokens: Vec<Placed>,
    /// How many braces are open before each token.
    braces: Vec<u32>,
    at: usize,
    /// Where the last token taken ends.
    last: u32,
    pub(crate) ast: &'d mut Ast,
    pub(crate) diagnostics: &'d mut Diagnostics,
    depth: usize,
    /// Where the last error was.
    failed_at: Option<u32>,
    /// Set when the rest of the text is given up.
    stopped: bool,
    /// Whether what properties and traces say about instances is part of expressions.
    pub(crate) observing: bool,
}

impl<'s, 'd> Parser<'s, 'd> {
    pub(crate) fn new(
        source: &'s str,
        file: FileId,
        ast: &'d mut Ast,
        diagnostics: &'d mut Diagnostics,
    ) -> Self {
        let too_long = source.len() > LONGEST;
        if too_long {
            let message = "the text is longer than 1 GiB; split the model";
            diagnostics.push(Diagnostic::error(Code::TooLong, Span::default().in_file(file), message));
        }
        let source = if too_long { "" } else { source };
        let tokens = lexer::tokens(source, file, diagnostics);
        let mut open = 0u32;
        let braces = tokens.iter().map(|(token, _)| {
            let before = open;
            match token {
                Token::LeftBrace => open += 1,
                Token::RightBrace => open = open.saturating_sub(1),
                _ => {}
            }
            before
        });
        Parser {
            source,
            braces: braces.collect(),
            tokens,
            at: 0,
            last: 0,
            ast,
            diagnostics,
            depth: 0,
            failed_at: None,
            stopped: false,
            observing: false,
        }
    }

    // Tokens.

    pub(crate) fn token(&self) -> Token {
        if self.stopped { Token::End } else { self.tokens[self.at].0 }
    }
    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].1
    }
    /// The token `ahead` places further on.
    pub(crate) fn peek(&self, ahead: usize) -> Token {
        match self.tokens.get(self.at + ahead) {
            Some((token, _)) if !self.stopped => *token,
            _ => Token::End,
        }
    }
    /// The text of the token `ahead` places further on, if it is a word that is not escaped; otherwise empty.
    pub(crate) fn word_at(&self, ahead: usize) -> &'s str {
        match self.tokens.get(self.at + ahead) {
            Some((Token::Word, span)) if !self.stopped => {
                let text = self.text(*span);
                if text.starts_with('^') { "" } else { text }
            }
            _ => "",
        }
    }
    /// The word here, if there is one that is not escaped; otherwise empty.
    pub(crate) fn word(&self) -> &'s str {
        self.word_at(0)
    }
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.word() == word
    }
    pub(crate) fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }
    pub(crate) fn bump(&mut self) -> Span {
        let span = self.span();
        if self.token() != Token::End {
            self.last = span.end;
            self.at += 1;
        }
        span
    }
    pub(crate) fn eat(&mut self, token: Token) -> bool {
        let found = self.token() == token;
        if found {
            self.bump();
        }
        found
    }
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }
    pub(crate) fn expect(&mut self, token: Token) -> Parse<Span> {
        if self.token() == token { Ok(self.bump()) } else { self.unexpected(&token.to_string()) }
    }
    pub(crate) fn expect_word(&mut self, word: &str) -> Parse<Span> {
        if self.is_word(word) { Ok(self.bump()) } else { self.unexpected(&format!("`{word}`")) }
    }
    /// From the beginning of `start` to the end of the last token.
    pub(crate) fn from(&self, start: Span) -> Span {
        Span { end: self.last.max(start.end), ..start }
    }
    /// Whether the tokens from here on are written without space between them, and what they look like together.
    fn joined(&self, count: usize) -> Option<&'s str> {
        let first = self.span();
        let mut end = first.start;
        for ahead in 0..count {
            let (_, span) = self.tokens.get(self.at + ahead)?;
            if span.start != end {
                return None;
            }
            end = span.end;
        }
        Some(self.text(Span { end, ..first }))
    }
    /// Whether this word with hyphens stands here, and how many tokens it is.
    pub(crate) fn hyphenated(&self, word: &str) -> Option<usize> {
        let count = 2 * word.matches('-').count() + 1;
        (!self.stopped && self.joined(count) == Some(word)).then_some(count)
    }
    /// The first of these words, with hyphens or without, that stands here; it is taken.
    pub(crate) fn eat_one_of<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        // Longer ones first: `reset-queue` and `reset`.
        let found = words.iter().filter_map(|word| Some((self.hyphenated(word)?, *word))).max()?;
        for _ in 0..found.0 {
            self.bump();
        }
        Some(found.1)
    }
    /// One of these words, with its value.
    pub(crate) fn choice<T: Copy>(&mut self, options: &[(&str, T)]) -> Parse<T> {
        let words: Vec<&str> = options.iter().map(|(word, _)| *word).collect();
        let found = self.eat_one_of(&words);
        if let Some((_, value)) = options.iter().find(|(word, _)| Some(*word) == found) {
            return Ok(*value);
        }
        let listed: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        self.unexpected(&match listed.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => "something".to_owned(),
        })
    }

    /// A word, maybe with hyphens, and its place.
    pub(crate) fn hyphenated_word(&mut self) -> Parse<(&'s str, Span)> {
        if self.token() != Token::Word {
            return self.unexpected("a word");
        }
        let start = self.bump();
        while self.token() == Token::Minus
            && self.peek(1) == Token::Word
            && self.span().start == self.last
            && self.tokens[self.at + 1].1.start == self.span().end
        {
            self.bump();
            self.bump();
        }
        let span = self.from(start);
        Ok((self.text(span), span))
    }
    /// Whether a word here is a key of a task: a colon or a brace follows, or it is a setting of its own.
    pub(crate) fn starts_key(&self) -> bool {
        let mut ahead = 1;
        while self.peek(ahead) == Token::Minus && self.peek(ahead + 1) == Token::Word {
            ahead += 2;
        }
        let hyphenated_alone = ahead > 1 && self.word_at(ahead - 1) == "coverage";
        hyphenated_alone || matches!(self.peek(ahead), Token::Colon | Token::LeftBrace)
    }
    /// The text from a place to the last token that was taken.
    pub(crate) fn text_between(&self, start: Span) -> &'s str {
        self.text(Span { end: self.last.max(start.start), ..start })
    }
    /// Skips `{ … }`, whatever is in it.
    pub(crate) fn skip_braced(&mut self) -> Parse<()> {
        let open = self.expect(Token::LeftBrace)?;
        let depth = self.braces[self.at];
        while self.token() != Token::End {
            let closes = self.token() == Token::RightBrace && self.braces[self.at] == depth;
            self.bump();
            if closes {
                return Ok(());
            }
        }
        let message = "this `{` is never closed; add the `}`";
        self.fail(Diagnostic::error(Code::Unclosed, open, message))
    }
    /// Skips everything up to a token, which is skipped as well.
    pub(crate) fn skip_until(&mut self, token: Token) {
        while !matches!(self.token(), Token::End | Token::RightBrace) {
            if self.eat(token) {
                return;
            }
            self.bump();
        }
    }
    /// Skips everything up to one of these words before a brace.
    pub(crate) fn skip_to_word(&mut self, words: &[&str]) {
        while self.token() != Token::End
            && !(words.contains(&self.word()) && self.peek(1) == Token::LeftBrace)
        {
            self.bump();
        }
    }
    /// Skips everything up to what is in no braces.
    pub(crate) fn skip_to_outside(&mut self) {
        while self.token() != Token::End && self.braces[self.at] > 0 {
            self.bump();
        }
    }

    // Names and numbers.

    /// The name at a place, without its escape.
    fn name(&mut self, what: &str) -> Parse<(&'s str, Span)> {
        if self.token() != Token::Word {
            return self.unexpected(what);
        }
        let span = self.bump();
        let text = self.text(span);
        Ok((text.strip_prefix('^').unwrap_or(text), span))
    }
    pub(crate) fn ident(&mut self, what: &str) -> Parse<Ident> {
        let (text, span) = self.name(what)?;
        Ok(self.ast.ident(text, span))
    }
    pub(crate) fn reference(&mut self, what: &str) -> Parse<RefId> {
        let (text, span) = self.name(what)?;
        Ok(self.ast.refer(text, span))
    }
    /// A number with an optional sign.
    pub(crate) fn signed_integer(&mut self) -> Parse<Int> {
        let negative = self.eat(Token::Minus);
        let value = self.integer()?;
        Ok(if negative { -&value } else { value })
    }
    pub(crate) fn integer(&mut self) -> Parse<Int> {
        if self.token() != Token::Integer {
            return self.unexpected("a whole number");
        }
        let span = self.bump();
        Ok(self.text(span).parse().expect("digits are a number"))
    }
    /// A text without its quotation marks.
    pub(crate) fn string(&mut self) -> Parse<(&'s str, Span)> {
        if self.token() != Token::String {
            return self.unexpected("a text in quotation marks");
        }
        let span = self.bump();
        let text = self.text(span);
        Ok((&text[1..text.len() - 1], span))
    }

    // Lists.

    /// One or more, separated by commas.
    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut list = vec![item(self)?];
        while self.eat(Token::Comma) {
            list.push(item(self)?);
        }
        Ok(list)
    }
    /// None or more, separated by commas, up to `close`, which is taken.
    pub(crate) fn list_until<T>(
        &mut self,
        close: Token,
        item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        if self.eat(close) {
            return Ok(vec![]);
        }
        let list = self.list(item)?;
        self.expect(close)?;
        Ok(list)
    }
    /// Members in braces; after an error goes on with the next thing that looks like one.
    pub(crate) fn members(
        &mut self,
        mut starts: impl FnMut(&Self) -> bool,
        mut member: impl FnMut(&mut Self) -> Parse<()>,
    ) -> Parse<()> {
        let open = self.expect(Token::LeftBrace)?;
        let depth = self.braces[self.at];
        while self.token() != Token::RightBrace {
            if self.token() == Token::End {
                let message = "this `{` is never closed; add the `}`";
                return self.fail(Diagnostic::error(Code::Unclosed, open, message));
            }
            let before = self.at;
            if member(self).is_err() {
                if self.at == before {
                    self.bump();
                }
                self.skip_to_member(depth, &mut starts);
            }
            if self.braces[self.at] < depth {
                // The error has swallowed the end.
                return Ok(());
            }
        }
        self.bump();
        Ok(())
    }
    fn skip_to_member(&mut self, depth: u32, starts: &mut impl FnMut(&Self) -> bool) {
        while self.token() != Token::End {
            let here = self.braces[self.at];
            let closes = self.token() == Token::RightBrace && here <= depth;
            if here < depth || closes || (here == depth && starts(self)) {
                return;
            }
            self.bump();
        }
    }

    // Errors.

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.stopped && self.failed_at != Some(diagnostic.span.start) {
            self.failed_at = Some(diagnostic.span.start);
            self.diagnostics.push(diagnostic);
        }
    }
    pub(crate) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }
    pub(crate) fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let found = match self.token() {
            Token::Word | Token::Integer | Token::Decimal | Token::String => {
                let text = self.text(self.span());
                let shown: String = text.chars().take(40).collect();
                format!("`{shown}{}`", if shown.len() < text.len() { "…" } else { "" })
            }
            token => token.to_string(),
        };
        let message = format!("expected {wanted}, found {found}");
        self.fail(Diagnostic::error(Code::Syntax, self.span(), message))
    }
    /// Begins a level of nesting, unless there are too many; [`Self::leave`] ends it.
    pub(crate) fn enter(&mut self) -> Parse<()> {
        if self.depth == NESTING {
            let message = format!("more than {NESTING} levels of nesting; split the text into simpler parts");
            self.report(Diagnostic::error(Code::TooDeep, self.span(), message));
            self.stopped = true;
            return Err(Failed);
        }
        self.depth += 1;
        Ok(())
    }
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
    /// Runs `f` one level of nesting deeper.
    pub(crate) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.enter()?;
        let result = ir::deep(|| f(self));
        self.leave();
        result
    }
}
