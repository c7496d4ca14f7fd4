//! Reactions: what a transition or a state does when something happens, `trigger [guard] / effects`.
//!
//! Several triggers are alternatives. Effects are separated by semicolons; where none follows, the next reaction begins.

use ir::{Int, Span};

use super::names::{Build, Meaning};
use super::parser::{Failed, Parse, Parser};
use crate::code::Code;
use crate::gamma::ast::*;
use crate::text::Text;

/// A reaction.
pub(super) struct Reaction {
    /// What it waits for, one of them.
    pub(super) triggers: Vec<Cause>,
    pub(super) guard: Option<Guard>,
    pub(super) effects: Vec<ActionId>,
    pub(super) span: Span,
}

/// What a reaction waits for.
#[derive(Clone)]
pub(super) enum Cause {
    /// The state is entered.
    Entry,
    /// The state is left.
    Exit,
    /// Always.
    Always,
    /// Nothing else is enabled.
    Else,
    /// An event of a port.
    Event(String, String, Span),
    /// An event of the statechart itself, by its variable.
    Local(String, Span),
    /// So much time has passed since the state was entered.
    After(Duration, Span),
    /// The same, again and again.
    Every(Duration, Span),
}

/// When a reaction is enabled.
#[derive(Copy, Clone)]
pub(super) enum Guard {
    Condition(ExprId),
    Else,
}

/// The reactions of a text.
pub(super) fn read(text: &Text, build: &mut Build<'_>) -> Vec<Reaction> {
    let mut parser = Parser::new(text, build);
    let mut list = vec![];
    while !parser.is_end() {
        match parser.reaction() {
            Ok(reaction) => list.push(reaction),
            // The rest is not understood after a mistake.
            Err(Failed) => return list,
        }
    }
    list
}

impl Parser<'_, '_, '_> {
    pub(super) fn reaction(&mut self) -> Parse<Reaction> {
        let start = self.token();
        let mut triggers = vec![];
        if !self.is("[") && !self.is("/") {
            triggers.push(self.cause()?);
            while self.eat(",") || self.eat("||") {
                triggers.push(self.cause()?);
            }
        }
        let mut guard = None;
        if self.eat("[") {
            guard = Some(match self.word() {
                "else" | "default" if self.word_at(1) == "]" => {
                    self.bump();
                    Guard::Else
                }
                _ => Guard::Condition(self.expr()?.expr),
            });
            self.expect("]")?;
        }
        let mut effects = vec![];
        if self.eat("/") && !self.is_end() {
            loop {
                self.effect(&mut effects)?;
                if !self.eat(";") || self.is_end() || self.begins_reaction() {
                    break;
                }
            }
        }
        if self.is("#") || self.is(">") {
            let message = "entry and exit points of transitions are not supported";
            return self.fail(Code::UnsupportedPart, self.span(), message);
        }
        Ok(Reaction { triggers, guard, effects, span: self.from(start) })
    }
    /// Whether a reaction begins here that no effect begins like.
    fn begins_reaction(&self) -> bool {
        matches!(
            (self.word(), self.word_at(1)),
            ("entry" | "exit" | "always" | "oncycle", "/" | "[") | ("every" | "after", _)
        )
    }
    fn cause(&mut self) -> Parse<Cause> {
        let span = self.span();
        match self.word() {
            "entry" => drop(self.bump()),
            "exit" => {
                self.bump();
                return Ok(Cause::Exit);
            }
            "always" | "oncycle" => {
                self.bump();
                return Ok(Cause::Always);
            }
            "else" | "default" => {
                self.bump();
                return Ok(Cause::Else);
            }
            word @ ("after" | "every") => {
                self.bump();
                let time = self.duration()?;
                return Ok(if word == "after" { Cause::After(time, span) } else { Cause::Every(time, span) });
            }
            _ => {
                let (path, span) = self.path()?;
                let Some(meaning) = self.build.find(&path, span) else { return Err(Failed) };
                return match meaning {
                    Meaning::Event { port, event, .. } => Ok(Cause::Event(port, event, span)),
                    Meaning::Local { flag, .. } => Ok(Cause::Local(flag, span)),
                    _ => self.fail(Code::WrongKind, span, format!("`{path}` is no event")),
                };
            }
        }
        Ok(Cause::Entry)
    }
    /// `2 s`, `500ms`
    fn duration(&mut self) -> Parse<Duration> {
        let start = self.token();
        let value = self.expr()?;
        let (unit, span) = self.name("a unit of time: `s`, `ms`, `us` or `ns`")?;
        let finer: i64 = match unit {
            "s" => return Ok(Duration { value: value.expr, unit: Unit::Second }),
            "ms" => return Ok(Duration { value: value.expr, unit: Unit::Millisecond }),
            "us" => 1_000,
            "ns" => 1_000_000,
            _ => return self.fail(Code::Syntax, span, format!("`{unit}` is no unit of time")),
        };
        let whole = match &self.build.ast.exprs[value.expr].kind {
            ExprKind::Integer(value) => {
                let finer = Int::from(finer);
                value.div(&finer).filter(|whole| whole * &finer == *value)
            }
            _ => None,
        };
        let Some(whole) = whole else {
            let message = "times are whole numbers of milliseconds here";
            return self.fail(Code::UnsupportedPart, self.from(start), message);
        };
        let span = self.from(start);
        let value = self.build.expr(ExprKind::Integer(whole), span);
        Ok(Duration { value, unit: Unit::Millisecond })
    }
    fn effect(&mut self, effects: &mut Vec<ActionId>) -> Parse<()> {
        let start = self.token();
        if self.is("raise") {
            return self.raise(effects);
        }
        let step = |parser: &Self| ["++", "--"].into_iter().find(|sign| parser.is(sign));
        if let Some(sign) = step(self) {
            self.bump();
            let (path, span) = self.path()?;
            return self.stepped(&path, span, sign, effects);
        }
        let (path, span) = self.path()?;
        if let Some(sign) = step(self) {
            self.bump();
            return self.stepped(&path, span, sign, effects);
        }
        let signs = ["=", "+=", "-=", "*=", "/=", "%="];
        let Some(sign) = signs.into_iter().find(|sign| self.is(sign)) else {
            if self.is("(") {
                let message = format!("`{path}` is an operation of another program, which is not supported");
                return self.fail(Code::UnsupportedExternalFunction, span, message);
            }
            return self.unexpected("an assignment");
        };
        self.bump();
        let name = self.target(&path, span)?;
        let value = match sign {
            "=" => self.expr()?.expr,
            sign => {
                let (before, right) = (self.variable_value(&path, span)?, self.expr()?);
                self.combined(start, before, sign, right)?.expr
            }
        };
        let span = self.from(start);
        let action = self.build.assign(&name, value, span);
        effects.push(action);
        Ok(())
    }
    fn target(&mut self, path: &str, span: Span) -> Parse<String> {
        match self.build.find(path, span) {
            Some(Meaning::Variable { name, .. }) => Ok(name),
            Some(_) => self.fail(Code::NotAssignable, span, format!("`{path}` is no variable")),
            None => Err(Failed),
        }
    }
    /// `x++`
    fn stepped(&mut self, path: &str, span: Span, sign: &str, effects: &mut Vec<ActionId>) -> Parse<()> {
        let name = self.target(path, span)?;
        let before = self.build.variable(&name, span);
        let one = self.build.expr(ExprKind::Integer(Int::from(1)), span);
        let op = if sign == "++" { AddOp::Plus } else { AddOp::Minus };
        let value = self.build.expr(ExprKind::Sum(before, vec![(op, one)]), span);
        effects.push(self.build.assign(&name, value, span));
        Ok(())
    }
    /// `raise e`, `raise e : value`
    fn raise(&mut self, effects: &mut Vec<ActionId>) -> Parse<()> {
        let start = self.token();
        self.bump();
        let (path, span) = self.path()?;
        let Some(meaning) = self.build.find(&path, span) else { return Err(Failed) };
        let value = if self.eat(":") { Some(self.expr()?) } else { None };
        let whole = self.from(start);
        match meaning {
            Meaning::Event { port, event, .. } => {
                let event = self.build.event(&port, &event, span);
                let arguments = value.map(|value| value.expr).into_iter().collect();
                let kind = ActionKind::Raise { event, arguments };
                effects.push(self.build.ast.actions.push(Action { kind, span: whole }));
            }
            Meaning::Local { flag, value: of } => {
                if let (Some((name, _)), Some(value)) = (of, value) {
                    effects.push(self.build.assign(&name, value.expr, whole));
                }
                let yes = self.build.expr(ExprKind::Bool(true), span);
                effects.push(self.build.assign(&flag, yes, whole));
            }
            _ => return self.fail(Code::WrongKind, span, format!("`{path}` is no event")),
        }
        Ok(())
    }
}
