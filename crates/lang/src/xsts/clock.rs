//! The few things that can be done with a clock.
//!
//! A clock can be reset to a constant, `c := n`, and constrained: `c ~ k`, `c - d ~ k`, `c ~ d` or
//! the same with sides exchanged, where `k` is a constant integer. Zones cannot represent more, so
//! everything else is refused with its place. A constraint is an ordinary boolean otherwise.

use ir::{Int, Rat, Span, Type, Value, VarId};

use super::ast::*;
use super::expr::{Elaborator, Place, Typed, Want, compare};
use crate::code::Code;
use crate::diagnostic::Diagnostic;

/// One side of a constraint.
enum Side {
    Clock(VarId),
    Difference(VarId, VarId),
    Constant(Int),
}

impl Elaborator<'_> {
    fn clock(&self, expr: ExprId) -> Option<VarId> {
        let ExprKind::Name(name) = self.ast.exprs[expr].kind else { return None };
        let binding = self.symbols.get(name)?;
        (binding.ty == Some(Type::Clock)).then_some(binding.var)
    }
    /// Whether the value of `expr` is computed from a clock, other than by comparing it.
    pub(crate) fn mentions_clock(&self, expr: ExprId) -> bool {
        match &self.ast.exprs[expr].kind {
            ExprKind::Name(_) => self.clock(expr).is_some(),
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => {
                ir::deep(|| self.mentions_clock(*operand))
            }
            ExprKind::Chain(chain) if chain.rest[0].0.level() >= Level::Sum => {
                ir::deep(|| chain.operands().any(|operand| self.mentions_clock(operand)))
            }
            ExprKind::Ite(_, a, b) => ir::deep(|| self.mentions_clock(*a) || self.mentions_clock(*b)),
            _ => false,
        }
    }
    /// `a op b`, where a clock occurs.
    pub(crate) fn clock_constraint(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> Option<Typed> {
        let left = self.side(a, b);
        let right = self.side(b, a);
        let (left, right) = (left?, right?);
        let terms = &mut self.system.terms;
        let mut difference = |c: VarId, d: VarId| {
            let (c, d) = (terms.var(c), terms.var(d));
            terms.sub(c, d)
        };
        let (left, right) = match (left, right) {
            (Side::Clock(c), Side::Clock(d)) => (difference(c, d), terms.int(0)),
            (Side::Clock(c), Side::Constant(k)) => (terms.var(c), terms.constant(Value::Int(k))),
            (Side::Constant(k), Side::Clock(c)) => (terms.constant(Value::Int(k)), terms.var(c)),
            (Side::Difference(c, d), Side::Constant(k)) => (difference(c, d), terms.constant(Value::Int(k))),
            (Side::Constant(k), Side::Difference(c, d)) => {
                let difference = difference(c, d);
                (terms.constant(Value::Int(k)), difference)
            }
            (Side::Difference(..), _) | (Side::Constant(_), _) => {
                self.refuse_arithmetic(a);
                return None;
            }
            (Side::Clock(_), Side::Difference(..)) => {
                self.refuse_arithmetic(b);
                return None;
            }
        };
        Some(Typed::new(compare(terms, op, left, right), Type::Bool))
    }
    fn side(&mut self, expr: ExprId, other: ExprId) -> Option<Side> {
        let ast = self.ast;
        let Expr { kind, span } = &ast.exprs[expr];
        if let Some(clock) = self.clock(expr) {
            return Some(Side::Clock(clock));
        }
        if let ExprKind::Chain(chain) = kind
            && let [(ChainOp::Sub, second)] = chain.rest[..]
            && let (Some(c), Some(d)) = (self.clock(chain.first), self.clock(second))
        {
            return Some(Side::Difference(c, d));
        }
        if self.mentions_clock(expr) {
            self.refuse_arithmetic(expr);
            return None;
        }
        let value = match self.rational_literal(kind) {
            Some(value) => Value::rat(value),
            None => {
                let typed = self.expr(expr, Want { ty: None, place: Place::Other })?;
                if !matches!(typed.ty, Type::Int | Type::Rat) {
                    let (clock, shown) = (self.shown(other), self.shown(expr));
                    let noun = self.noun(typed.ty);
                    self.error(
                        Code::TypeMismatch,
                        *span,
                        format!("clock `{clock}` is compared with `{shown}`, which is {noun}"),
                    );
                    return None;
                }
                let constant =
                    self.system.terms.as_const(typed.value.term).filter(|_| typed.value.faults.is_empty());
                let Some(value) = constant else {
                    let (clock, shown) = (self.shown(other), self.shown(expr));
                    let message = format!(
                        "clock `{clock}` is compared with `{shown}`, which is not a constant; \
                         clocks can only be compared with constant integers and with each other"
                    );
                    let help = "write the number itself; where it differs, say it for each value, as in \
                                `n == 1 && c <= 1 || n == 2 && c <= 2`";
                    self.diagnostics.push(Diagnostic::error(Code::ClockBound, *span, message).help(help));
                    return None;
                };
                value.clone()
            }
        };
        let value = value.as_rat();
        if value.denominator() != Int::ONE {
            let (clock, shown) = (self.shown(other), self.shown(expr));
            let message = format!(
                "clock `{clock}` is compared with `{shown}`, which is not an integer; choose a smaller unit of time: \
                 multiply all constants of clocks by {}",
                value.denominator()
            );
            self.error(Code::ClockBound, *span, message);
            return None;
        }
        Some(Side::Constant(value.numerator()))
    }
    /// `n % d` beside a clock is a rational number.
    fn rational_literal(&self, kind: &ExprKind) -> Option<Rat> {
        let ExprKind::Chain(chain) = kind else { return None };
        let [(ChainOp::Mod, second)] = chain.rest[..] else { return None };
        match (&self.ast.exprs[chain.first].kind, &self.ast.exprs[second].kind) {
            (ExprKind::Int(numerator), ExprKind::Int(denominator)) => Rat::new(numerator, denominator),
            _ => None,
        }
    }
    fn refuse_arithmetic(&mut self, expr: ExprId) {
        let message = "the only arithmetic with clocks is the difference of two clocks, \
                       compared with a constant, as in `c1 - c2 <= 5`";
        self.error(Code::ClockMisuse, self.ast.exprs[expr].span, message);
    }
    /// A clock where a value is needed.
    pub(crate) fn misused_clock(&mut self, name: Name, span: Span, place: Place) {
        let text = self.text(name);
        let message = match place {
            Place::Condition => {
                format!(
                    "clock `{text}` is used as a boolean; compare it with a constant, as in `{text} >= 5`"
                )
            }
            Place::Arithmetic => format!(
                "clock `{text}` is used in arithmetic; only the difference of two clocks can be used, \
                 and only compared with a constant"
            ),
            Place::Position => format!("clock `{text}` cannot be a position of an array"),
            Place::Bound => format!("clock `{text}` cannot be the bound of a loop"),
            Place::Assigned => {
                format!("clock `{text}` cannot be copied; only a constraint on it can be stored")
            }
            Place::Other => {
                format!("clock `{text}` cannot be used as a value; only a constraint on it can be")
            }
        };
        self.error(Code::ClockMisuse, span, message);
    }
    /// The value that clock `name` is reset to.
    pub(crate) fn reset(&mut self, name: Name, value: ExprId) -> Option<Int> {
        let span = self.ast.exprs[value].span;
        let text = self.text(name);
        if self.clock(value).is_some() {
            let other = self.shown(value);
            let message =
                format!("clock `{other}` cannot be copied to clock `{text}`; a clock is reset to a constant");
            self.error(Code::ClockMisuse, span, message);
            return None;
        }
        if self.mentions_clock(value) {
            self.refuse_arithmetic(value);
            return None;
        }
        let constant = self.expect(value, Type::Int, Place::Other)?;
        let term = self.system.terms.as_const(constant.term).filter(|_| constant.faults.is_empty());
        match term {
            Some(Value::Int(value)) if !value.is_negative() => Some(value.clone()),
            _ => {
                let shown = self.shown(value);
                let message = format!(
                    "clock `{text}` is set to `{shown}`, but a clock can only be reset to a constant integer \
                     that is not negative"
                );
                self.error(Code::ClockMisuse, span, message);
                None
            }
        }
    }
}
