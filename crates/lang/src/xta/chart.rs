//! Sections that say how runs are drawn or measured, `gantt` and `progress`: read for their syntax, and ignored.

use crate::xta::lexer::Token;
use crate::xta::parser::{Parse, Parser};

impl Parser<'_, '_> {
    /// Whether such a section starts here.
    pub(crate) fn at_chart(&self) -> bool {
        (self.is_word("gantt") || self.is_word("progress")) && self.peek() == Token::LeftBrace
    }
    /// Reads one; a line that cannot be read does not keep the next from being looked at.
    pub(crate) fn chart(&mut self) -> Parse<()> {
        let gantt = self.is_word("gantt");
        let what = format!("the `{}` section", self.written);
        self.ignored(self.span, &what);
        self.bump();
        self.expect(Token::LeftBrace)?;
        while !matches!(self.token, Token::RightBrace | Token::End) {
            let line = if gantt { self.gantt_line() } else { self.measure() };
            if line.is_err() {
                self.skip_statement();
            }
        }
        self.expect(Token::RightBrace)?;
        self.eat(Token::Semicolon);
        Ok(())
    }
    /// `Train(i : id_t) : Train(i).Stop -> 1, for (j : id_t) waits[i][j] -> j;`
    fn gantt_line(&mut self) -> Parse<()> {
        self.ident("the name of a line")?;
        if self.eat(Token::LeftParen) {
            self.selection()?;
            self.expect(Token::RightParen)?;
        }
        self.expect(Token::Colon)?;
        loop {
            if self.eat(Token::For) {
                self.expect(Token::LeftParen)?;
                self.selection()?;
                self.expect(Token::RightParen)?;
            }
            self.expr()?;
            self.expect(Token::Arrow)?;
            self.expr()?;
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }
    /// `guard : measure;` or `measure;`
    fn measure(&mut self) -> Parse<()> {
        self.expr()?;
        if self.eat(Token::Colon) {
            self.expr()?;
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }
}
