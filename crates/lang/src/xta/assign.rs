//! Assignments: places get values, clocks are set.
//!
//! Structures and arrays are assigned leaf by leaf. A value is checked against the range of the place
//! unless ranges show that it fits.

use ir::{Checked, FaultKind, Faults, Scope, Span, Term, VarId};

use crate::code::Code as Cause;
use crate::xta::ast::*;
use crate::xta::code::Code;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::{Class, Operand, Val, then};
use crate::xta::types::*;

/// How many entries one assignment may copy one by one.
const MOST_COPIED: u64 = 4096;

impl Elaborator {
    /// Evaluates an expression for its effects.
    pub(crate) fn discard(&mut self, expr: ExprId) -> Option<()> {
        let ast = self.ast.clone();
        let Expr { kind, span } = &ast.exprs[expr];
        match kind {
            ExprKind::Assign(op, place, value) => self.assignment(*op, *place, *value, *span).map(|_| ()),
            ExprKind::Step { place, up, .. } => self.step(*place, *up, *span, false).map(|_| ()),
            _ => {
                let operand = self.operand(expr)?;
                self.check(operand.faults);
                Some(())
            }
        }
    }
    pub(crate) fn assignment(
        &mut self,
        op: Option<Binary>,
        target: ExprId,
        value: ExprId,
        span: Span,
    ) -> Option<Place> {
        if self.code.is_none() {
            return self.fail(
                Cause::SideEffect,
                span,
                "an assignment is only possible in updates; did you mean `==`?",
            );
        }
        let target_span = self.ast.exprs[target].span;
        let Some(operand) = self.operand(target) else { return self.all_wrong(&[value]) };
        let Val::Place(mut place) = operand.val else {
            return self.fail(
                Cause::NotAssignable,
                target_span,
                "this is no variable and cannot be assigned",
            );
        };
        let mut faults = operand.faults;
        if self.disturbed_by(&[value]) {
            self.check(std::mem::take(&mut faults));
            place = self.keep_place(place);
        }
        let value_span = self.ast.exprs[value].span;
        let operand = match op {
            None => self.operand(value)?,
            Some(op) => {
                let mut before = Operand::safe(Val::Place(place.clone()));
                if self.disturbed_by(&[value]) {
                    before = self.keep(before, target_span)?;
                }
                let value = self.operand(value)?;
                self.binary(op, before, target_span, value, value_span)?
            }
        };
        self.assign(&place, operand, value_span, faults)?;
        Some(place)
    }
    /// `++` and `--`: the value before (kept if wanted) and the place.
    pub(crate) fn step(
        &mut self,
        target: ExprId,
        up: bool,
        span: Span,
        wanted: bool,
    ) -> Option<(Operand, Place)> {
        if self.code.is_none() {
            return self.fail(Cause::SideEffect, span, "`++` and `--` are only possible in updates");
        }
        let target_span = self.ast.exprs[target].span;
        let operand = self.operand(target)?;
        let Val::Place(place) = operand.val else {
            return self.fail(Cause::NotAssignable, target_span, "this is no variable and cannot be changed");
        };
        let mut before = Operand::safe(Val::Place(place.clone()));
        if wanted {
            before = self.keep(before, target_span)?;
        }
        let one = Operand::safe(Val::Int(self.system.terms.int(1)));
        let op = if up { Binary::Add } else { Binary::Sub };
        let value = self.binary(op, before.clone(), target_span, one, target_span)?;
        self.assign(&place, value, span, operand.faults)?;
        Some((before, place))
    }
    /// Emits an assignment; `faults` are those of the place itself.
    pub(crate) fn assign(
        &mut self,
        place: &Place,
        operand: Operand,
        span: Span,
        faults: Faults,
    ) -> Option<()> {
        if place.constant {
            return self.fail(Cause::NotAssignable, span, "a constant cannot be changed");
        }
        let operand = self.read(operand, span)?;
        match &place.ty {
            Ty::Clock => return self.reset(place, operand, span, faults),
            Ty::Opaque(_) => {
                let value = self.as_opaque(operand, span)?;
                self.check(faults);
                self.check(value.faults);
                return Some(());
            }
            Ty::Chan { .. } | Ty::Void => {
                return self.fail(
                    Cause::NotAssignable,
                    span,
                    format!("{} cannot be assigned", place.ty.show()),
                );
            }
            Ty::Array(..) | Ty::Struct(_) => {
                let Val::Place(from) = &operand.val else {
                    return self.fail(
                        Cause::TypeMismatch,
                        span,
                        format!("this is no value of {}", place.ty.show()),
                    );
                };
                if from.ty != place.ty || !place.ty.is_data() {
                    return self.fail(
                        Cause::TypeMismatch,
                        span,
                        format!("{} of another type is assigned", from.ty.show()),
                    );
                }
                self.check(faults);
                self.check(operand.faults.clone());
                self.copy(place, from, span)?;
                return Some(());
            }
            Ty::Bool | Ty::Int(_) => {}
        }
        let value = match &place.ty {
            Ty::Int(bounds) => {
                let mut value = self.as_int(operand, span)?;
                let term = value.term;
                self.outside(&mut value.faults, term, *bounds, FaultKind::OutOfRange, span);
                value
            }
            _ => match operand.val {
                Val::Bool(_, class) if class != Class::Data => {
                    return self.fail(Cause::ClockMisuse, span, "a condition over clocks cannot be stored");
                }
                Val::Bool(term, _) => Checked { term, faults: operand.faults },
                _ => {
                    let value = self.as_int(operand, span)?;
                    let zero = self.system.terms.int(0);
                    let is_zero = self.system.terms.eq(value.term, zero);
                    Checked { term: self.system.terms.not(is_zero), faults: value.faults }
                }
            },
        };
        let mut all = faults;
        then(&mut self.system.terms, &mut all, None, value.faults);
        let Object::Var(var) = place.object else {
            return self.fail(Cause::NotAssignable, span, "a constant cannot be changed");
        };
        let term = place.stored(&mut self.system.terms, var, value.term);
        self.emit(Code::Assign(var, Checked { term, faults: all }));
        Some(())
    }
    /// Assigns a structure or an array of data. Nothing is overwritten before it has been read: where
    /// values or positions depend on what is assigned, they are kept first.
    fn copy(&mut self, to: &Place, from: &Place, span: Span) -> Option<()> {
        let leaves: Vec<(Place, Place)> = to.leaves().into_iter().zip(from.leaves()).collect();
        let mut written: Vec<VarId> = leaves.iter().filter_map(|(to, _)| to.object.var()).collect();
        written.sort_unstable();
        let disturbed = |cx: &Self, term: Term| {
            cx.system.terms.vars_of(term).iter().any(|var| written.binary_search(var).is_ok())
        };
        // Places of one type are the same or apart, so that only positions matter.
        let at = |place: &Place| place.indices.iter().map(|(index, _)| *index).collect::<Vec<_>>();
        let mut read: Vec<Term> = at(to).into_iter().chain(at(from)).collect();
        read.extend(leaves.iter().filter_map(|(_, from)| match from.object {
            Object::Value(term) => Some(term),
            _ => None,
        }));
        let keep = read.into_iter().any(|term| disturbed(self, term));
        let to = if keep { self.keep_place(to.clone()) } else { to.clone() };
        let mut values = vec![];
        for (to, from) in to.leaves().into_iter().zip(from.leaves()) {
            let Object::Var(var) = to.object else { continue };
            let is_array = matches!(to.ty, Ty::Array(..));
            let plain = match from.object {
                Object::Value(term) => self.system.terms.as_const(term).is_some(),
                _ => true,
            };
            if !is_array || plain && to.indices.is_empty() && from.indices.is_empty() {
                values.push((var, to, from.term(&mut self.system.terms)));
                continue;
            }
            if to.ty.size() > MOST_COPIED {
                let message = format!(
                    "this assigns {} entries at once, and {MOST_COPIED} is the limit; use a loop over them",
                    to.ty.size()
                );
                return self.fail(Cause::TooLarge, span, message);
            }
            if to.indices.is_empty() && self.system.vars[var].scope == Scope::Local && !keep {
                // Nothing of the old value is left, and nobody can tell.
                let value = default_term(&mut self.system.terms, &to.ty);
                self.emit(Code::Assign(var, value.into()));
            }
            let terms = &mut self.system.terms;
            for (to, from) in to.elements(terms).into_iter().zip(from.elements(terms)) {
                values.push((var, to, from.term(terms)));
            }
        }
        if keep {
            for (_, _, value) in &mut values {
                let ty = self.system.terms.type_of(*value);
                let var = self.hidden("$value", ty, None, Span::default());
                self.emit(Code::Assign(var, (*value).into()));
                *value = self.system.terms.var(var);
            }
        }
        for (var, to, value) in values {
            let value = to.stored(&mut self.system.terms, var, value);
            self.emit(Code::Assign(var, value.into()));
        }
        Some(())
    }
    /// Gives a clock the value of another, or what is made of one by adding.
    fn copy_clock(
        &mut self,
        place: &Place,
        values: Vec<(Term, Term)>,
        span: Span,
        mut all: Faults,
    ) -> Option<()> {
        for (when, value) in &values {
            if matches!(self.system.terms.node(*value), ir::Node::Var(..)) {
                continue;
            }
            let zero = self.system.terms.int(0);
            if self.system.terms.has_clock(*value) {
                let positive = self.system.terms.le(zero, *value);
                let atoms = ir::clock_atom(&mut self.system.terms, positive);
                let shifted = |atom: &ir::ClockAtom| atom.plus.is_none() && atom.minus.is_some();
                self.stopwatches.sums |= !atoms.is_some_and(|atoms| atoms.iter().all(shifted));
            }
            let negative = self.system.terms.lt(*value, zero);
            let negative = self.system.terms.and([*when, negative]);
            let fault = self.hazard(FaultKind::OutOfRange, span, Some((*value, (0, i64::MAX))));
            let more = Faults::from_iter([(negative, fault)]);
            then(&mut self.system.terms, &mut all, None, more);
        }
        let ways = self.clocks_at(place, span)?;
        if let ([(_, clock)], [(_, value)]) = (ways.as_slice(), values.as_slice()) {
            self.emit(Code::Assign(*clock, Checked { term: *value, faults: all }));
            return Some(());
        }
        self.check(all);
        // Exactly one of them happens: conditions are about data, and exclude each other.
        for (when, clock) in ways {
            for (which, value) in &values {
                let both = self.system.terms.and([when, *which]);
                self.emit(Code::If(both.into(), vec![Code::Assign(clock, (*value).into())], vec![]));
            }
        }
        Some(())
    }
    fn reset(&mut self, place: &Place, operand: Operand, span: Span, faults: Faults) -> Option<()> {
        if let Val::Clock(values) = operand.val {
            let mut all = faults;
            then(&mut self.system.terms, &mut all, None, operand.faults);
            return self.copy_clock(place, values, span, all);
        }
        let value = self.as_int(operand, span)?;
        let mut all = faults;
        then(&mut self.system.terms, &mut all, None, value.faults);
        let terms = &mut self.system.terms;
        let zero = terms.int(0);
        let negative = terms.lt(value.term, zero);
        match self.context.truth(terms, &self.declared, negative) {
            Some(false) => {}
            Some(true) => {
                return self.fail(Cause::OutOfRange, span, "a clock cannot be set to a negative value");
            }
            None => {
                let fault = self.hazard(FaultKind::OutOfRange, span, Some((value.term, (0, i64::MAX))));
                let more = Faults::from_iter([(negative, fault)]);
                then(&mut self.system.terms, &mut all, None, more);
            }
        }
        let ways = self.clocks_at(place, span)?;
        if let [(_, clock)] = ways.as_slice() {
            self.emit(Code::Assign(*clock, Checked { term: value.term, faults: all }));
            return Some(());
        }
        self.check(all);
        for (when, clock) in ways {
            self.emit(Code::If(when.into(), vec![Code::Assign(clock, value.term.into())], vec![]));
        }
        Some(())
    }
}
