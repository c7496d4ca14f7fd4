//! Expressions become terms, with the conditions under which their evaluation goes wrong.
//!
//! Integers and booleans convert into each other as in C. A condition over clocks has a [`Class`]:
//! guards and invariants must be convex in the clocks wherever the data is known, so clocks may stand
//! in conjunctions, and in disjunctions with conditions on data. A clock that is selected by data
//! stands for all clocks it may be, each with the condition that it is meant.
//!
//! Where effects are allowed, assignments and calls inside an expression are emitted as code before
//! it, and values computed earlier are kept in local variables if later effects could change them.

use ir::{Checked, FaultKind, Faults, Span, Term, Terms, Type};
use rustc_hash::FxHashSet;

use crate::code::Code as Cause;
use crate::xta::ast::*;
use crate::xta::code::Code;
use crate::xta::elaborate::Elaborator;
use crate::xta::opaque::Opaque;
use crate::xta::scope::Symbol;
use crate::xta::types::*;

/// How a condition depends on clocks.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    /// Not at all.
    Data,
    /// Convex in the clocks, for all data.
    Guard,
    /// In any other way.
    Constraint,
}

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Int(Term),
    Bool(Term, Class),
    /// A sum with clocks; several if data decides which clocks are meant.
    Clock(Vec<(Term, Term)>),
    Place(Place),
    /// A value that is not computed.
    Opaque(Opaque),
    Void,
}

/// A value and how its evaluation goes wrong.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) val: Val,
    pub(crate) faults: Faults,
}

impl Operand {
    pub(crate) fn new(val: Val, faults: Faults) -> Self {
        Operand { val, faults }
    }
    pub(crate) fn safe(val: Val) -> Self {
        Operand { val, faults: Faults::new() }
    }
    /// A condition on data.
    pub(crate) fn bool(value: Checked) -> Self {
        Operand::new(Val::Bool(value.term, Class::Data), value.faults)
    }
    pub(crate) fn int(value: Checked) -> Self {
        Operand::new(Val::Int(value.term), value.faults)
    }
}

/// Appends faults that are met only where `reached` holds and nothing in `faults` was met before. A condition that was
/// looked at before, because a call is repeated, is not met again.
pub(crate) fn then(terms: &mut Terms, faults: &mut Faults, reached: Option<Term>, mut more: Faults) {
    if more.is_empty() {
        return;
    }
    let mut met: FxHashSet<Term> = faults.iter().map(|(condition, _)| *condition).collect();
    more.retain(|(condition, _)| met.insert(*condition));
    let earlier = terms.or(faults.iter().map(|(condition, _)| *condition));
    let clean = terms.not(earlier);
    for (condition, fault) in more {
        let condition = terms.and([clean].into_iter().chain(reached).chain([condition]));
        if terms.as_const(condition) != Some(&false.into()) {
            faults.push((condition, fault));
        }
    }
}

impl Elaborator {
    pub(crate) fn operand(&mut self, expr: ExprId) -> Option<Operand> {
        ir::deep(|| self.operand_here(expr))
    }
    fn operand_here(&mut self, expr: ExprId) -> Option<Operand> {
        let ast = self.ast.clone();
        let Expr { kind, span } = &ast.exprs[expr];
        let rates_count = self.rates_count;
        let operand = match self.with_rates(kind) {
            Some((clock, speed, count)) => self.rate(clock, speed, count, *span),
            None => self.operand_of(kind, *span),
        };
        self.rates_count = rates_count;
        operand
    }
    fn operand_of(&mut self, kind: &ExprKind, span: Span) -> Option<Operand> {
        match kind {
            ExprKind::Int(value) => Some(Operand::safe(Val::Int(self.system.terms.int(*value)))),
            ExprKind::Bool(value) => {
                Some(Operand::safe(Val::Bool(self.system.terms.bool(*value), Class::Data)))
            }
            ExprKind::Double => Some(Operand::safe(Val::Opaque(Opaque::Double))),
            ExprKind::Text => Some(Operand::safe(Val::Opaque(Opaque::Text))),
            ExprKind::Spawn(_) => {
                let message = "dynamic templates (`spawn`) are not supported";
                self.fail(Cause::UnsupportedDynamicTemplate, span, message)
            }
            ExprKind::Name(name) => self.name(*name, span),
            ExprKind::Deadlock if self.in_query => {
                Some(Operand::safe(Val::Bool(self.system.terms.deadlock(), Class::Constraint)))
            }
            ExprKind::Deadlock => self.fail(Cause::Misplaced, span, "`deadlock` stands only in queries"),
            ExprKind::Not(inner) => {
                let (value, class) = self.truth(*inner)?;
                let term = self.system.terms.not(value.term);
                Some(Operand::new(Val::Bool(term, negated(class)), value.faults))
            }
            ExprKind::Plus(inner) => {
                let value = self.value(*inner)?;
                if matches!(value.val, Val::Opaque(_)) {
                    return Some(value);
                }
                self.as_int(value, span).map(Operand::int)
            }
            ExprKind::Minus(inner) => {
                let value = self.value(*inner)?;
                if matches!(value.val, Val::Opaque(_)) {
                    return Some(value);
                }
                if let Val::Clock(ways) = value.val {
                    let terms = &mut self.system.terms;
                    let ways = ways.into_iter().map(|(when, term)| (when, terms.neg(term))).collect();
                    return Some(Operand::new(Val::Clock(ways), value.faults));
                }
                let zero = self.system.terms.int(0).into();
                let value = self.as_int(value, span)?;
                self.arithmetic(Binary::Sub, zero, value, span).map(Operand::int)
            }
            ExprKind::Chain(first, rest) => self.chain(*first, rest, span),
            ExprKind::Choose(condition, a, b) => self.choose(*condition, *a, *b, span),
            ExprKind::Assign(op, place, value) => {
                let place = self.assignment(*op, *place, *value, span)?;
                Some(Operand::safe(Val::Place(place)))
            }
            ExprKind::Step { place, up, prefix } => {
                let (before, after) = self.step(*place, *up, span, !prefix)?;
                Some(if *prefix { Operand::safe(Val::Place(after)) } else { before })
            }
            ExprKind::Index(array, index) => self.index(*array, *index),
            ExprKind::Field(base, field) => self.field(*base, *field),
            ExprKind::Call(function, args) => self.call_expr(*function, args, span),
            ExprKind::Quantified(what, ident, ty, body) => self.quantified(*what, *ident, *ty, *body),
            ExprKind::Rate(_) => {
                let message = "the rate of a clock stands in an invariant, as one of its conditions `x' == e`, or last \
                     behind conditions on data (`b imply x' == e`)";
                self.fail(Cause::Misplaced, span, message)
            }
            ExprKind::List(_) => {
                self.fail(Cause::Misplaced, span, "a list of values stands only in an initialiser")
            }
        }
    }
    /// The clock and the rate, if this is `x' == e` where it may stand, and where it counts. Rates may stand in the parts
    /// of a conjunction, and last behind conditions (`b imply x' == 0`).
    fn with_rates(&mut self, kind: &ExprKind) -> Option<(ExprId, ExprId, Term)> {
        let count = self.rates_count.take()?;
        match kind {
            ExprKind::Chain(_, rest)
                if rest.iter().all(|(op, _)| matches!(op, Binary::And | Binary::Or | Binary::Imply)) =>
            {
                self.rates_count = Some(count);
                None
            }
            ExprKind::Quantified(Quantification::Forall, ..) => {
                self.rates_count = Some(count);
                None
            }
            ExprKind::Chain(left, rest) => match (&self.ast.exprs[*left].kind, &rest[..]) {
                (ExprKind::Rate(clock), [(Binary::Eq, speed)]) => Some((*clock, *speed, count)),
                (_, [(Binary::Eq, right)]) => match self.ast.exprs[*right].kind {
                    ExprKind::Rate(clock) => Some((clock, *left, count)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
    fn name(&mut self, name: Name, span: Span) -> Option<Operand> {
        match self.lookup(name) {
            Some(Symbol::Place(place)) => Some(Operand::safe(Val::Place(place.clone()))),
            Some(Symbol::Broken) => None,
            Some(Symbol::Function(..) | Symbol::External(..)) => {
                let message = format!("`{0}` is a function; call it as `{0}(…)`", self.text(name));
                self.fail(Cause::WrongKind, span, message)
            }
            Some(Symbol::Type(_)) => {
                self.fail(Cause::WrongKind, span, format!("`{}` is a type, not a value", self.text(name)))
            }
            Some(Symbol::Location) => {
                self.fail(Cause::WrongKind, span, format!("`{}` is a location, not a value", self.text(name)))
            }
            Some(Symbol::Template(..) | Symbol::Instance(..)) if !self.in_query => {
                self.fail(Cause::WrongKind, span, format!("`{}` is a process, not a value", self.text(name)))
            }
            _ if self.in_query => self.older_location(name, span),
            _ => self.unknown("variable", name, span),
        }
    }

    // Conversions.

    /// A value; single variables are read.
    pub(crate) fn value(&mut self, expr: ExprId) -> Option<Operand> {
        let operand = self.operand(expr)?;
        let span = self.ast.exprs[expr].span;
        self.read(operand, span)
    }
    pub(crate) fn read(&mut self, operand: Operand, span: Span) -> Option<Operand> {
        let Val::Place(place) = &operand.val else { return Some(operand) };
        let val = match (&place.ty, &place.object) {
            (Ty::Bool, _) => Val::Bool(place.term(&mut self.system.terms), Class::Data),
            (Ty::Int(_), _) => Val::Int(place.term(&mut self.system.terms)),
            (Ty::Opaque(why), _) => Val::Opaque(*why),
            (Ty::Clock, Object::Clocks(_)) if self.in_rate => Val::Opaque(Opaque::Hybrid),
            (Ty::Clock, Object::Clocks(_)) => Val::Clock(
                self.clocks_at(place, span)?
                    .into_iter()
                    .map(|(when, clock)| (when, self.system.terms.var(clock)))
                    .collect(),
            ),
            _ => return Some(operand),
        };
        Some(Operand::new(val, operand.faults))
    }
    /// The clocks a place may be, each with the condition that it is.
    pub(crate) fn clocks_at(&mut self, place: &Place, span: Span) -> Option<Vec<(Term, ir::VarId)>> {
        let Object::Clocks(clocks) = &place.object else {
            return self.fail(Cause::TypeMismatch, span, "this is no clock");
        };
        let always = self.system.terms.bool(true);
        let Some(flat) = place.flat_index(&mut self.system.terms) else {
            return Some(vec![(always, clocks[0])]);
        };
        let range = self.context.of(&self.system.terms, &self.declared, flat);
        let mut ways = vec![];
        for (at, clock) in clocks.iter().enumerate() {
            let at = at as i64;
            if range.low <= at.into() && i128::from(at) <= range.high {
                let at = self.system.terms.int(at);
                ways.push((self.system.terms.eq(flat, at), *clock));
            }
        }
        ways.retain(|(when, _)| self.system.terms.as_const(*when) != Some(&false.into()));
        Some(ways)
    }
    pub(crate) fn int(&mut self, expr: ExprId) -> Option<Checked> {
        let value = self.value(expr)?;
        let span = self.ast.exprs[expr].span;
        self.as_int(value, span)
    }
    pub(crate) fn as_int(&mut self, operand: Operand, span: Span) -> Option<Checked> {
        let term = match operand.val {
            Val::Int(term) => term,
            Val::Bool(term, Class::Data) => {
                let (one, zero) = (self.system.terms.int(1), self.system.terms.int(0));
                self.system.terms.ite(term, one, zero)
            }
            Val::Bool(..) => {
                return self.fail(Cause::ClockMisuse, span, "a condition over clocks is no integer");
            }
            Val::Clock(_) => {
                let message =
                    "a clock is used as an integer; clocks are only compared, with integers or each other";
                return self.fail(Cause::ClockMisuse, span, message);
            }
            Val::Place(Place { object: Object::Channel(channel), ty, .. }) => {
                let name = &self.channels[channel].name;
                let message = format!("`{name}` is {}, not a variable", ty.show());
                return self.fail(Cause::TypeMismatch, span, message);
            }
            Val::Place(place) => {
                let message = format!("this is {}, not an integer", place.ty.show());
                return self.fail(Cause::TypeMismatch, span, message);
            }
            Val::Opaque(why) => return self.depends_on(why, span),
            Val::Void => return self.fail(Cause::TypeMismatch, span, "this call gives no value"),
        };
        Some(Checked { term, faults: operand.faults })
    }
    pub(crate) fn truth(&mut self, expr: ExprId) -> Option<(Checked, Class)> {
        let value = self.value(expr)?;
        let span = self.ast.exprs[expr].span;
        let truth = self.as_truth(value, span)?;
        self.conjuncts.note(expr, span, truth.0.term);
        Some(truth)
    }
    pub(crate) fn as_truth(&mut self, operand: Operand, span: Span) -> Option<(Checked, Class)> {
        if let Val::Bool(term, class) = operand.val {
            return Some((Checked { term, faults: operand.faults }, class));
        }
        let Checked { term, faults } = self.as_int(operand, span)?;
        let zero = self.system.terms.int(0);
        let is_zero = self.system.terms.eq(term, zero);
        Some((Checked { term: self.system.terms.not(is_zero), faults }, Class::Data))
    }
    /// A condition that clocks do not matter for.
    pub(crate) fn data_truth(&mut self, expr: ExprId) -> Option<Checked> {
        let (value, class) = self.truth(expr)?;
        if class != Class::Data {
            let span = self.ast.exprs[expr].span;
            return self.fail(Cause::ClockMisuse, span, "clocks cannot be tested here");
        }
        Some(value)
    }
    /// Something that has a place.
    pub(crate) fn place(&mut self, expr: ExprId) -> Option<Place> {
        let operand = self.operand(expr)?;
        let span = self.ast.exprs[expr].span;
        let Val::Place(place) = operand.val else {
            return self.fail(Cause::TypeMismatch, span, "this is no variable");
        };
        self.check(operand.faults);
        Some(place)
    }
    /// Emits faults of an evaluation whose value is not needed as code.
    pub(crate) fn check(&mut self, faults: Faults) {
        if !faults.is_empty()
            && let Some(code) = &mut self.code
        {
            code.push(Code::Check(faults));
        }
    }
    pub(crate) fn emit(&mut self, code: Code) {
        if let Code::Assign(var, _) = code {
            self.context.assign(&mut self.system.terms, &self.declared, var, None);
            self.learned();
        }
        self.code.as_mut().expect("effects are allowed here").push(code);
    }
    /// Keeps a value in a local variable, so that later effects do not change it.
    pub(crate) fn keep(&mut self, operand: Operand, span: Span) -> Option<Operand> {
        let operand = self.read(operand, span)?;
        let (term, ty) = match operand.val {
            Val::Int(term) => (term, Type::Int),
            Val::Bool(term, Class::Data) => (term, Type::Bool),
            Val::Place(place) => {
                self.check(operand.faults);
                let place = self.keep_place(place);
                return Some(Operand::safe(Val::Place(place)));
            }
            _ => return Some(operand),
        };
        if self.system.terms.as_const(term).is_some() && operand.faults.is_empty() {
            return Some(operand);
        }
        let var = self.hidden("$value", ty, None, Span::default());
        self.emit(Code::Assign(var, Checked { term, faults: operand.faults }));
        let term = self.system.terms.var(var);
        Some(Operand::safe(match ty {
            Type::Int => Val::Int(term),
            _ => Val::Bool(term, Class::Data),
        }))
    }
    /// A place whose positions no later effect changes.
    pub(crate) fn keep_place(&mut self, mut place: Place) -> Place {
        for (index, bounds) in &mut place.indices {
            if self.system.terms.as_const(*index).is_none() {
                let var = self.hidden("$index", Type::Int, Some(*bounds), Span::default());
                self.emit(Code::Assign(var, (*index).into()));
                *index = self.system.terms.var(var);
            }
        }
        place
    }
    /// Whether an earlier value must be kept because of effects of `later`.
    pub(crate) fn disturbed_by(&mut self, later: &[ExprId]) -> bool {
        self.code.is_some() && later.iter().any(|expr| self.has_effects(*expr))
    }

    // Selection.

    fn index(&mut self, array: ExprId, index: ExprId) -> Option<Operand> {
        let Some(base) = self.operand(array) else { return self.all_wrong(&[index]) };
        let span = self.ast.exprs[array].span;
        let Val::Place(mut place) = base.val else {
            return self.fail(Cause::TypeMismatch, span, "this is no array");
        };
        let mut faults = base.faults;
        let Ty::Array(bounds, _) = place.ty else {
            return self.fail(
                Cause::TypeMismatch,
                span,
                format!("this is {}, not an array", place.ty.show()),
            );
        };
        if self.disturbed_by(&[index]) {
            self.check(std::mem::take(&mut faults));
            place = self.keep_place(place);
        }
        let at = self.int(index)?;
        let span = self.ast.exprs[index].span;
        then(&mut self.system.terms, &mut faults, None, at.faults);
        let known = faults.len();
        self.outside(&mut faults, at.term, bounds, FaultKind::IndexOutOfRange, span);
        let mut position = at.term;
        let constant = self.system.terms.as_const(position).is_some();
        if faults.len() > known && (constant || self.in_query || self.code.is_none()) {
            // It goes wrong before anything is looked at, but conditions on data may be tested apart from
            // those on clocks: there must be something to look at all the same.
            let terms = &mut self.system.terms;
            let (low, high) = (terms.int(bounds.0), terms.int(bounds.1));
            let (above, below) = (terms.le(low, position), terms.le(position, high));
            let within = terms.and([above, below]);
            position = terms.ite(within, position, low);
        }
        Some(Operand::new(Val::Place(place.entry(position)), faults))
    }
    /// Adds the fault that `term` leaves its bounds, if it can.
    pub(crate) fn outside(
        &mut self,
        faults: &mut Faults,
        term: Term,
        bounds: Bounds,
        kind: FaultKind,
        span: Span,
    ) {
        let terms = &mut self.system.terms;
        let (low, high) = (terms.int(bounds.0), terms.int(bounds.1));
        let mut ways = vec![terms.lt(term, low), terms.lt(high, term)];
        ways.retain(|way| self.context.truth(terms, &self.declared, *way) != Some(false));
        if !ways.is_empty() {
            let condition = terms.or(ways);
            let fault = self.hazard(kind, span, Some((term, bounds)));
            then(&mut self.system.terms, faults, None, Faults::from_iter([(condition, fault)]));
        }
    }
    fn field(&mut self, base: ExprId, field: Ident) -> Option<Operand> {
        if self.in_query
            && let Some(found) = self.process_part(base, field)
        {
            return found;
        }
        let operand = self.operand(base)?;
        let span = self.ast.exprs[base].span;
        let Val::Place(place) = &operand.val else {
            return self.fail(Cause::TypeMismatch, span, "this is no structure");
        };
        let Ty::Struct(fields) = &place.ty else {
            return self.fail(
                Cause::TypeMismatch,
                span,
                format!("this is {}, not a structure", place.ty.show()),
            );
        };
        match fields.iter().position(|(name, _)| *name == field.name) {
            Some(at) => Some(Operand::new(Val::Place(place.field(at)), operand.faults)),
            None => {
                let message = format!("the structure has no field `{}`", self.text(field.name));
                self.fail(Cause::UnknownName, field.span, message)
            }
        }
    }
}

fn negated(class: Class) -> Class {
    if class == Class::Data { Class::Data } else { Class::Constraint }
}
