//! Statements.

use ir::Span;

use super::{Parse, Parser};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;
use crate::gamma::lexer::Token;

impl Parser<'_, '_> {
    fn push_action(&mut self, start: Span, kind: ActionKind) -> ActionId {
        let span = self.from(start);
        self.ast.actions.push(Action { kind, span })
    }
    /// Statements up to the first thing that is none; after an error goes on with the next one.
    pub(super) fn actions(&mut self, list: &mut Vec<ActionId>) -> Parse<()> {
        while self.starts_action() {
            let depth = self.braces[self.at];
            match self.action() {
                Ok(action) => list.push(action),
                Err(failed) => {
                    // Behind the next semicolon of this level.
                    while self.token() != Token::End && self.braces[self.at] >= depth {
                        let here = self.braces[self.at] == depth;
                        if here && self.token() == Token::RightBrace {
                            return Err(failed);
                        }
                        let ended = here && self.token() == Token::Semicolon;
                        if here && self.starts_other() {
                            return Err(failed);
                        }
                        self.bump();
                        if ended {
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }
    /// Whether something else than a statement begins here, which the members around it go on with.
    fn starts_other(&self) -> bool {
        match self.word() {
            "transition" => self.word_at(1) == "from" || self.at_numbered_transition(),
            "region" | "procedure" | "lambda" | "state" | "timeout" => self.peek(1) == Token::Word,
            "entry" | "exit" => self.peek(1) == Token::Divide,
            _ => self.token() == Token::At && self.peek(1) == Token::LeftParen,
        }
    }
    /// `transition (3) from`, which could be a call as well.
    fn at_numbered_transition(&self) -> bool {
        let signed = usize::from(self.peek(2) == Token::Minus);
        self.is_word("transition")
            && self.peek(1) == Token::LeftParen
            && self.peek(2 + signed) == Token::Integer
            && self.peek(3 + signed) == Token::RightParen
            && self.word_at(4 + signed) == "from"
    }
    /// Whether a statement begins here: in lists that nothing closes, everything else ends the list.
    pub(super) fn starts_action(&self) -> bool {
        match self.token() {
            Token::LeftBrace | Token::LeftParen | Token::Integer | Token::Decimal | Token::String => true,
            Token::Minus | Token::Plus | Token::Not | Token::Hash | Token::Less => true,
            Token::At => {
                matches!(self.word_at(1), "Transient" | "Resettable" | "Unremovable" | "Injected")
            }
            Token::Word => {
                let next = self.peek(1);
                match self.word() {
                    "entry" | "exit" if next == Token::Divide => false,
                    "transition" => next != Token::Word && !self.at_numbered_transition(),
                    "raise" | "set" | "return" | "var" | "const" => true,
                    "no" => self.word_at(1) == "operation" || next != Token::Word,
                    "invariant" => matches!(next, Token::Assign | Token::Dot | Token::LeftBracket),
                    "not" | "forall" | "exists" | "timeout" if next == Token::Word => self.word() == "not",
                    "and" | "or" | "xor" | "imply" | "div" | "mod" => next != Token::Word,
                    _ if next == Token::Word => {
                        matches!(self.word_at(1), "and" | "or" | "xor" | "imply" | "div" | "mod")
                    }
                    _ => true,
                }
            }
            _ => false,
        }
    }
    /// One statement with its semicolon.
    pub(super) fn action(&mut self) -> Parse<ActionId> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.action_kind()?;
            Ok(parser.push_action(start, kind))
        })
    }
    fn action_kind(&mut self) -> Parse<ActionKind> {
        let next = self.peek(1);
        match (self.token(), self.word()) {
            (Token::LeftBrace, _) => return self.block(),
            (_, "if") if next == Token::LeftParen => return self.conditional(),
            (_, "switch") if next == Token::LeftParen => return self.switch(),
            (_, "for") if next == Token::LeftParen => return self.repeated(),
            (_, "choice") if next == Token::LeftBrace => return self.nondeterministic(),
            _ => {}
        }
        let kind = self.inline()?;
        if !self.eat(Token::Semicolon) {
            // The statement is understood; what is missing stands behind its last word.
            let end = Span { start: self.last, end: self.last, ..self.span() };
            let message = "expected `;` at the end of the statement";
            self.report(Diagnostic::error(Code::Syntax, end, message));
        }
        Ok(kind)
    }
    fn block(&mut self) -> Parse<ActionKind> {
        let mut list = vec![];
        let starts = |_: &Self| true;
        self.members(starts, |parser| {
            if !parser.starts_action() {
                return parser.unexpected("a statement or `}`");
            }
            parser.actions(&mut list)
        })?;
        Ok(ActionKind::Block(list))
    }
    fn inline(&mut self) -> Parse<ActionKind> {
        let next = self.peek(1);
        let named = next == Token::Word;
        match self.word() {
            "var" | "const" if named => return Ok(ActionKind::Declare(self.variable()?)),
            "return" if !matches!(next, Token::Assign | Token::Dot) => {
                self.bump();
                let value = if self.token() == Token::Semicolon { None } else { Some(self.expr()?) };
                return Ok(ActionKind::Return(value));
            }
            "break" if next == Token::Semicolon => {
                self.bump();
                return Ok(ActionKind::Break);
            }
            "assert" if next == Token::LeftParen => {
                self.bump();
                self.bump();
                let claim = self.expr()?;
                self.expect(Token::RightParen)?;
                return Ok(ActionKind::Assert(claim));
            }
            "no" if self.word_at(1) == "operation" => {
                self.bump();
                self.bump();
                return Ok(ActionKind::Nothing);
            }
            "raise" if named => {
                self.bump();
                let start = self.span();
                let port = self.reference("a port")?;
                self.expect(Token::Dot)?;
                let event = self.reference("an event")?;
                let span = self.from(start);
                let kind = EventRefKind::PortEvent(port, event);
                let event = self.ast.event_refs.push(EventRef { kind, span });
                return Ok(ActionKind::Raise { event, arguments: self.arguments()? });
            }
            "set" if named => {
                self.bump();
                let timeout = self.reference("a timeout")?;
                self.expect(Token::Assign)?;
                return Ok(ActionKind::Set { timeout, time: self.duration()? });
            }
            _ if self.token() == Token::At => return Ok(ActionKind::Declare(self.variable()?)),
            _ => {}
        }
        let value = self.expr()?;
        if self.eat(Token::Assign) {
            let target = value;
            return Ok(ActionKind::Assign { target, value: self.expr()? });
        }
        Ok(ActionKind::Expr(value))
    }
    /// `(e)`
    fn condition(&mut self) -> Parse<ExprId> {
        self.expect(Token::LeftParen)?;
        let condition = self.expr()?;
        self.expect(Token::RightParen)?;
        Ok(condition)
    }
    fn conditional(&mut self) -> Parse<ActionKind> {
        self.bump();
        let mut branches = vec![Branch { guard: self.condition()?, action: self.action()? }];
        while self.is_word("elseif") && self.peek(1) == Token::LeftParen {
            self.bump();
            branches.push(Branch { guard: self.condition()?, action: self.action()? });
        }
        let otherwise = if self.eat_word("else") { Some(self.action()?) } else { None };
        Ok(ActionKind::If { branches, otherwise })
    }
    fn switch(&mut self) -> Parse<ActionKind> {
        self.bump();
        let value = self.condition()?;
        let (mut cases, mut default) = (vec![], None);
        let starts = |parser: &Self| matches!(parser.word(), "case" | "default");
        self.members(starts, |parser| {
            if parser.is_word("default") && parser.peek(1) == Token::Colon {
                let place = parser.bump();
                parser.bump();
                if default.replace(parser.action()?).is_some() {
                    let message = "a `switch` has one `default`; remove the others";
                    parser.report(Diagnostic::error(Code::RepeatedPart, place, message));
                }
                return Ok(());
            }
            parser.expect_word("case")?;
            let guard = parser.expr()?;
            parser.expect(Token::Colon)?;
            cases.push(Branch { guard, action: parser.action()? });
            Ok(())
        })?;
        Ok(ActionKind::Switch { value, cases, default })
    }
    fn repeated(&mut self) -> Parse<ActionKind> {
        self.bump();
        self.expect(Token::LeftParen)?;
        let param = self.param()?;
        let param = self.ast.params.push(param);
        self.expect_word("in")?;
        let values = self.expr()?;
        self.expect(Token::RightParen)?;
        Ok(ActionKind::For { param, values, body: self.action()? })
    }
    fn nondeterministic(&mut self) -> Parse<ActionKind> {
        self.bump();
        let mut branches = vec![];
        let starts = |parser: &Self| parser.is_word("branch") && parser.peek(1) == Token::LeftBracket;
        self.members(starts, |parser| {
            parser.expect_word("branch")?;
            parser.expect(Token::LeftBracket)?;
            let guard = parser.expr()?;
            parser.expect(Token::RightBracket)?;
            branches.push(Branch { guard, action: parser.action()? });
            Ok(())
        })?;
        Ok(ActionKind::Choice(branches))
    }
}
