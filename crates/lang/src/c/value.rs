//! Values become terms, with the conditions under which their evaluation goes wrong and those under which it overflows.
//!
//! Integers are exact and wrap around where their type does; intervals show where they need not. What is reached through a
//! pointer is a case for each region that the pointer may point to.

use ir::range::{Interval, Ranges};
use ir::{Bitwise, Fault, FaultId, FaultKind, Faults, Span, System, Term, Terms, Type};

use super::ast::{Binary, IntWord};
use super::code::{Base, Place, PlaceId, Sign, Step, ValueId, ValueNode};
use super::memory::{Memory, NULL, Part, constant, number_of};
use super::points_to::{Region, RegionId, Shape, alike};
use super::types::{Length, Ty, TyId};
use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Values and places of a program as terms of a system.
pub(super) struct Values<'a> {
    pub memory: &'a mut Memory,
    pub system: &'a mut System,
    pub diagnostics: &'a mut Diagnostics,
    /// What is known where the value is evaluated.
    pub context: Ranges,
    /// What `At` stands for.
    pub atoms: &'a [Term],
}

/// A value.
#[derive(Clone)]
pub(super) struct Val {
    /// The integer, or the region of a pointer.
    pub term: Term,
    /// The position of a pointer in its region.
    pub index: Option<Term>,
    pub checks: Checks,
}

/// What can happen on the way to a value.
#[derive(Clone, Default)]
pub(super) struct Checks {
    pub faults: Faults,
    /// Where a signed operation overflows.
    pub overflow: Vec<Term>,
}

/// One of the variables that a place may be.
#[derive(Clone)]
pub(super) struct Alternative {
    /// Where it is; nothing if there is no other.
    pub when: Option<Term>,
    pub region: RegionId,
    /// The element, of an array.
    pub at: Option<Term>,
}

impl Checks {
    /// What happens later, only where `reached` holds.
    pub fn then(&mut self, terms: &mut Terms, reached: Option<Term>, more: Checks) {
        for (condition, fault) in more.faults {
            let condition = terms.and(reached.into_iter().chain([condition]));
            if terms.as_const(condition) != Some(&false.into()) {
                self.faults.push((condition, fault));
            }
        }
        for condition in more.overflow {
            let condition = terms.and(reached.into_iter().chain([condition]));
            self.overflow.push(condition);
        }
    }
}

impl Values<'_> {
    fn plain(&self, term: Term) -> Val {
        Val { term, index: None, checks: Checks::default() }
    }
    fn number(&mut self, value: i128) -> Term {
        self.system.terms.constant(constant(value))
    }
    fn range(&self, term: Term) -> Interval {
        self.context.of(&self.system.terms, &self.memory.declared, term)
    }
    fn certain(&self, condition: Term) -> Option<bool> {
        self.context.truth(&self.system.terms, &self.memory.declared, condition)
    }
    fn fault(&mut self, checks: &mut Checks, condition: Term, kind: FaultKind, span: Span) {
        if self.certain(condition) == Some(false) {
            return;
        }
        let fault = self.fault_id(kind, span);
        checks.faults.push((condition, fault));
    }
    fn fault_id(&mut self, kind: FaultKind, span: Span) -> FaultId {
        let system = &mut *self.system;
        let known = self.memory.faults.entry((kind, span));
        *known.or_insert_with(|| system.faults.push(Fault { kind, span, limit: None }))
    }
    pub fn demand(&mut self, checks: &mut Checks, holds: Term, kind: FaultKind, span: Span) {
        let wrong = self.system.terms.not(holds);
        self.fault(checks, wrong, kind, span);
    }
    fn refuse(&mut self, span: Span, what: &str) {
        let message = format!("{what} is not supported in what `main` reaches");
        self.diagnostics.push(Diagnostic::error(Cause::UnsupportedOperator, span, message));
    }
    fn convert(&mut self, term: Term, to: IntWord) -> Term {
        let Values { memory, system, context, .. } = self;
        memory.types.model.convert(&mut system.terms, context, &memory.declared, term, to)
    }
    /// Evaluates something where a condition holds, or does not.
    fn where_holds<T>(&mut self, condition: Term, holds: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.context.clone();
        self.context.learn(&self.system.terms, &self.memory.declared, condition, holds);
        let result = f(self);
        self.context = outside;
        result
    }

    /// An integer or a pointer.
    pub fn value(&mut self, id: ValueId) -> Val {
        ir::deep(|| self.value_of(id))
    }
    fn value_of(&mut self, id: ValueId) -> Val {
        let made = self.memory.code.values[id];
        match made.node {
            ValueNode::Int(value) => {
                let term = self.number(value);
                self.plain(term)
            }
            ValueNode::Null => {
                let (term, index) = (self.system.terms.int(NULL), self.system.terms.int(0));
                Val { term, index: Some(index), checks: Checks::default() }
            }
            ValueNode::Load(place) => self.load(place, made.ty),
            ValueNode::Convert(inner) => {
                let mut value = self.value(inner);
                if let Some(to) = self.memory.types.as_int(made.ty) {
                    value.term = self.convert(value.term, to);
                }
                value
            }
            ValueNode::Negate(inner) => {
                let mut value = self.value(inner);
                let exact = self.system.terms.neg(value.term);
                value.term = self.wrapped(exact, made.ty, &mut value.checks);
                value
            }
            ValueNode::Complement(inner) => {
                let mut value = self.value(inner);
                let one = self.system.terms.int(-1);
                let exact = self.system.terms.sub(one, value.term);
                if let Some(word) = self.memory.types.as_int(made.ty) {
                    value.term = self.convert(exact, word);
                }
                value
            }
            ValueNode::Binary(op, a, b) => self.arithmetic(op, a, b, made.ty, made.span),
            ValueNode::Compare(..)
            | ValueNode::Not(_)
            | ValueNode::And(..)
            | ValueNode::Or(..)
            | ValueNode::At(_) => {
                let mut value = self.truth(id);
                let (one, zero) = (self.system.terms.int(1), self.system.terms.int(0));
                value.term = self.system.terms.ite(value.term, one, zero);
                value
            }
            ValueNode::Cond(condition, a, b) => {
                let mut chosen = self.truth(condition);
                let x = self.where_holds(chosen.term, true, |cx| cx.value(a));
                let y = self.where_holds(chosen.term, false, |cx| cx.value(b));
                let terms = &mut self.system.terms;
                let (yes, no) = (chosen.term, terms.not(chosen.term));
                chosen.checks.then(terms, Some(yes), x.checks);
                chosen.checks.then(terms, Some(no), y.checks);
                let index = x.index.zip(y.index).map(|(x, y)| terms.ite(yes, x, y));
                Val { term: terms.ite(yes, x.term, y.term), index, checks: chosen.checks }
            }
            ValueNode::Address(place) => self.address(place),
            ValueNode::Advance(pointer, by, sign) => self.advance(pointer, by, sign, made.span),
            ValueNode::Distance(a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                let mut checks = x.checks;
                checks.then(&mut self.system.terms, None, y.checks);
                let same = self.system.terms.eq(x.term, y.term);
                self.demand(&mut checks, same, FaultKind::InvalidPointer, made.span);
                let zero = self.system.terms.int(0);
                let exact = self.system.terms.sub(x.index.unwrap_or(zero), y.index.unwrap_or(zero));
                let term = self.wrapped(exact, made.ty, &mut checks);
                Val { term, index: None, checks }
            }
        }
    }
    /// An exact result in its type: where it does not fit, a signed one overflows, and every one wraps around.
    fn wrapped(&mut self, exact: Term, ty: TyId, checks: &mut Checks) -> Term {
        let Some(word) = self.memory.types.as_int(ty) else { return exact };
        let all = self.memory.types.model.range(word);
        if word.signed() && !all.contains(self.range(exact)) {
            let (low, high) = (self.number(all.low), self.number(all.high));
            let terms = &mut self.system.terms;
            let (above, below) = (terms.le(low, exact), terms.le(exact, high));
            let fits = terms.and([above, below]);
            let overflows = terms.not(fits);
            checks.overflow.push(overflows);
        }
        self.convert(exact, word)
    }
    fn arithmetic(&mut self, op: Binary, a: ValueId, b: ValueId, ty: TyId, span: Span) -> Val {
        let (x, y) = (self.value(a), self.value(b));
        let mut checks = x.checks;
        checks.then(&mut self.system.terms, None, y.checks);
        let (x, y) = (x.term, y.term);
        let Some(word) = self.memory.types.as_int(ty) else { return self.plain(x) };
        let width = self.memory.types.model.width(word);
        let term = match op {
            Binary::Add | Binary::Sub | Binary::Mul => {
                let terms = &mut self.system.terms;
                let exact = match op {
                    Binary::Add => terms.add([x, y]),
                    Binary::Sub => terms.sub(x, y),
                    _ => terms.mul([x, y]),
                };
                self.wrapped(exact, ty, &mut checks)
            }
            Binary::Div | Binary::Rem => {
                let zero = self.system.terms.int(0);
                let by_zero = self.system.terms.eq(y, zero);
                self.fault(&mut checks, by_zero, FaultKind::DivisionByZero, span);
                if word.signed() {
                    let least = self.memory.types.model.range(word).low;
                    let (least, minus) = (self.number(least), self.system.terms.int(-1));
                    let terms = &mut self.system.terms;
                    let (extreme, inverse) = (terms.eq(x, least), terms.eq(y, minus));
                    let overflows = terms.and([extreme, inverse]);
                    self.fault(&mut checks, overflows, FaultKind::DivisionOverflow, span);
                }
                let exact = self.quotient(op, x, y);
                self.convert(exact, word)
            }
            Binary::Shl | Binary::Shr => {
                let (zero, bits) = (self.system.terms.int(0), self.system.terms.int(i64::from(width)));
                let terms = &mut self.system.terms;
                let (from, below) = (terms.le(zero, y), terms.lt(y, bits));
                let fine = terms.and([from, below]);
                self.demand(&mut checks, fine, FaultKind::InvalidShift, span);
                let range = self.range(y);
                let low = range.low.clamp(0, i128::from(width) - 1) as u32;
                let high = range.high.clamp(low.into(), i128::from(width) - 1) as u32;
                let power = self.power_of_two(y, low, high);
                match op {
                    Binary::Shr => self.system.terms.div(x, power),
                    _ => {
                        let exact = self.system.terms.mul([x, power]);
                        self.wrapped(exact, ty, &mut checks)
                    }
                }
            }
            Binary::And | Binary::Or | Binary::Xor => self.bitwise(op, x, y, word),
            _ => x,
        };
        Val { term, index: None, checks }
    }
    /// A quotient or remainder, rounded to zero.
    fn quotient(&mut self, op: Binary, x: Term, y: Term) -> Term {
        let negative = self.range(x).low < 0;
        let terms = &mut self.system.terms;
        let apply = |terms: &mut Terms, x: Term| match op {
            Binary::Div => terms.div(x, y),
            _ => terms.modulo(x, y),
        };
        let positive = apply(terms, x);
        if !negative {
            return positive;
        }
        let minus = terms.neg(x);
        let other = apply(terms, minus);
        let other = terms.neg(other);
        let zero = terms.int(0);
        let sign = terms.le(zero, x);
        terms.ite(sign, positive, other)
    }
    /// Two to the power of a term that lies between two numbers, or is not looked at.
    fn power_of_two(&mut self, by: Term, low: u32, high: u32) -> Term {
        let mut result = self.number(1 << high);
        for places in (low..high).rev() {
            let power = self.number(1 << places);
            let terms = &mut self.system.terms;
            let number = terms.int(i64::from(places));
            let here = terms.le(by, number);
            result = terms.ite(here, power, result);
        }
        result
    }
    fn bitwise(&mut self, op: Binary, x: Term, y: Term, word: IntWord) -> Term {
        let op = match op {
            Binary::And => Bitwise::And,
            Binary::Or => Bitwise::Or,
            _ => Bitwise::Xor,
        };
        let width = self.memory.types.model.width(word);
        let both = self.range(x).join(self.range(y));
        let all = self.memory.types.model.range(word);
        // As many bits as the operands have, and a sign if they may have one.
        let (width, signed) = match both.bits() {
            Some(bits) if all.contains(both) => (bits + u32::from(both.low < 0), both.low < 0),
            _ => (width, word.signed()),
        };
        if width == 0 {
            return self.system.terms.int(0);
        }
        let terms = &mut self.system.terms;
        let [a, b] = [x, y].map(|operand| terms.wrap(operand, width, false));
        let result = terms.bitwise(op, a, b);
        self.context.wrap(terms, &self.memory.declared, result, width, signed)
    }

    /// Whether a value is other than zero.
    pub fn truth(&mut self, id: ValueId) -> Val {
        ir::deep(|| self.truth_of(id))
    }
    fn truth_of(&mut self, id: ValueId) -> Val {
        let made = self.memory.code.values[id];
        match made.node {
            ValueNode::Int(value) => {
                let term = self.system.terms.bool(value != 0);
                self.plain(term)
            }
            ValueNode::Not(inner) => {
                let mut value = self.truth(inner);
                value.term = self.system.terms.not(value.term);
                value
            }
            ValueNode::And(a, b) | ValueNode::Or(a, b) => {
                let is_and = matches!(made.node, ValueNode::And(..));
                let mut x = self.truth(a);
                let y = self.where_holds(x.term, is_and, |cx| cx.truth(b));
                let terms = &mut self.system.terms;
                let reached = if is_and { x.term } else { terms.not(x.term) };
                x.checks.then(terms, Some(reached), y.checks);
                x.term = match is_and {
                    true => terms.and([x.term, y.term]),
                    false => terms.or([x.term, y.term]),
                };
                x
            }
            ValueNode::Compare(op, a, b) => self.comparison(op, a, b, made.span),
            ValueNode::Convert(inner) if self.is_truth(inner) => self.truth(inner),
            ValueNode::At(number) => {
                let term = self.atoms[number as usize];
                self.plain(term)
            }
            _ => {
                let mut value = self.value(id);
                let zero = self.system.terms.int(0);
                let is_zero = self.system.terms.eq(value.term, zero);
                value.term = self.system.terms.not(is_zero);
                value.index = None;
                value
            }
        }
    }
    /// Whether a value is 0 or 1 by its operator.
    fn is_truth(&self, id: ValueId) -> bool {
        match self.memory.code.values[id].node {
            ValueNode::Compare(..)
            | ValueNode::Not(_)
            | ValueNode::And(..)
            | ValueNode::Or(..)
            | ValueNode::At(_) => true,
            ValueNode::Convert(inner) => self.is_truth(inner),
            _ => false,
        }
    }
    fn comparison(&mut self, op: Binary, a: ValueId, b: ValueId, span: Span) -> Val {
        // `(x < y) == 0`, `(x < y) != 0`.
        if matches!(op, Binary::Eq | Binary::Ne)
            && self.is_truth(a)
            && self.memory.code.values[b].node == ValueNode::Int(0)
        {
            let mut value = self.truth(a);
            if op == Binary::Eq {
                value.term = self.system.terms.not(value.term);
            }
            return value;
        }
        let (x, y) = (self.value(a), self.value(b));
        let mut checks = x.checks;
        checks.then(&mut self.system.terms, None, y.checks);
        let (mut left, mut right) = (x.term, y.term);
        let is_null = |value: ValueId| self.memory.code.values[value].node == ValueNode::Null;
        let against_null = is_null(a) || is_null(b);
        if let (Some(i), Some(j), false) = (x.index, y.index, against_null) {
            self.comparable(a, b, span);
            let terms = &mut self.system.terms;
            let same = terms.eq(left, right);
            if matches!(op, Binary::Eq | Binary::Ne) {
                let there = terms.eq(i, j);
                let equal = terms.and([same, there]);
                let term = if op == Binary::Eq { equal } else { terms.not(equal) };
                return Val { term, index: None, checks };
            }
            self.demand(&mut checks, same, FaultKind::InvalidPointer, span);
            (left, right) = (i, j);
        }
        let terms = &mut self.system.terms;
        let term = match op {
            Binary::Lt => terms.lt(left, right),
            Binary::Le => terms.le(left, right),
            Binary::Gt => terms.lt(right, left),
            Binary::Ge => terms.le(right, left),
            Binary::Eq => terms.eq(left, right),
            _ => {
                let equal = terms.eq(left, right);
                terms.not(equal)
            }
        };
        Val { term, index: None, checks }
    }
    /// Refuses to compare pointers that may have one address and be two regions, such as `&s` and `&s.f`.
    fn comparable(&mut self, a: ValueId, b: ValueId, span: Span) {
        let Memory { code, types, points_to, .. } = &mut *self.memory;
        let (x, y) = (points_to.of_value(code, types, a), points_to.of_value(code, types, b));
        let mixed = x
            .iter()
            .any(|x| y.iter().any(|y| x != y && points_to.get(*x).object == points_to.get(*y).object));
        if mixed {
            self.refuse(span, "a comparison of pointers to different parts of one object");
        }
    }

    // Pointers and places.

    fn advance(&mut self, pointer: ValueId, by: ValueId, sign: Sign, span: Span) -> Val {
        let (mut moved, by) = (self.value(pointer), self.value(by));
        moved.checks.then(&mut self.system.terms, None, by.checks);
        let Memory { code, types, points_to, .. } = &mut *self.memory;
        let regions = points_to.of_value(code, types, pointer);
        let zero = self.system.terms.int(0);
        let stays = self.system.terms.eq(by.term, zero);
        for region in regions {
            let path = self.memory.points_to.get(region).path.clone();
            let elements = path.iter().filter(|step| **step == Shape::Element).count();
            let behind = path.iter().rev().take_while(|step| **step == Shape::Element).count();
            if elements > 0 && behind == 0 {
                // A field of an element: its neighbours are other fields.
                let number = self.system.terms.int(number_of(region));
                let here = self.system.terms.eq(moved.term, number);
                let fine = self.system.terms.implies(here, stays);
                self.demand(&mut moved.checks, fine, FaultKind::InvalidPointer, span);
            } else if elements > behind && self.certain(stays) != Some(true) {
                self.refuse(span, "arithmetic on a pointer into an array within an array of structures");
            }
        }
        let terms = &mut self.system.terms;
        let index = moved.index.unwrap_or(zero);
        let exact = match sign {
            Sign::Plus => terms.add([index, by.term]),
            Sign::Minus => terms.sub(index, by.term),
        };
        let word = self.memory.types.model.difference_type();
        moved.index = Some(self.convert(exact, word));
        moved
    }
    fn address(&mut self, place: PlaceId) -> Val {
        let (list, checks) = self.access(place, Purpose::Address);
        let terms = &mut self.system.terms;
        let zero = terms.int(0);
        let mut all = list.into_iter().rev();
        let Some(last) = all.next() else {
            return Val { term: terms.int(NULL), index: Some(zero), checks };
        };
        let mut term = terms.int(number_of(last.region));
        let mut index = last.at.unwrap_or(zero);
        for Alternative { when, region, at } in all {
            let number = terms.int(number_of(region));
            if let Some(when) = when {
                term = terms.ite(when, number, term);
                index = terms.ite(when, at.unwrap_or(zero), index);
            }
        }
        Val { term, index: Some(index), checks }
    }
    fn load(&mut self, place: PlaceId, ty: TyId) -> Val {
        let (list, checks) = self.access(place, Purpose::Read);
        let zero = self.system.terms.int(0);
        let is_pointer = self.memory.types.is_pointer(ty);
        let mut all = list.into_iter().rev();
        let Some(last) = all.next() else {
            return Val { term: zero, index: is_pointer.then_some(zero), checks };
        };
        let mut term = self.read(&last, Part::Main, ty);
        let mut index = is_pointer.then(|| self.read(&last, Part::Index, ty));
        for alternative in all {
            let Some(when) = alternative.when else { continue };
            let here = self.read(&alternative, Part::Main, ty);
            term = self.system.terms.ite(when, here, term);
            if let Some(known) = index {
                let here = self.read(&alternative, Part::Index, ty);
                index = Some(self.system.terms.ite(when, here, known));
            }
        }
        Val { term, index, checks }
    }
    fn read(&mut self, alternative: &Alternative, part: Part, ty: TyId) -> Term {
        let var = self.memory.var(self.system, alternative.region, part);
        let whole = self.system.terms.var(var);
        let term = match alternative.at {
            Some(at) if self.system.terms.var_type(var) != Type::Int => self.system.terms.read(whole, at),
            _ => whole,
        };
        let held = self.memory.type_of(alternative.region);
        match (self.memory.types.as_int(ty), held.and_then(|held| self.memory.types.as_int(held))) {
            (Some(word), Some(held)) if word != held => self.convert(term, word),
            // What nobody set may be any integer: it stands for the value that it is congruent to.
            (Some(word), _) if alternative.at.is_some() && self.memory.is_untidy(alternative.region) => {
                self.convert(term, word)
            }
            _ => term,
        }
    }
    /// The variables that a place may be, and how the way there goes wrong.
    pub fn access(&mut self, id: PlaceId, purpose: Purpose) -> (Vec<Alternative>, Checks) {
        let Place { base, steps, span, .. } = self.memory.code.places[id].clone();
        let mut checks = Checks::default();
        let mut starts: Vec<Alternative> = vec![];
        match base {
            Base::Object(object) => {
                let region = self.memory.points_to.region(object, vec![]);
                starts.push(Alternative { when: None, region, at: None });
            }
            Base::Deref(pointer) => {
                let value = self.value(pointer);
                checks = value.checks;
                let target = self.memory.types.target(self.memory.code.values[pointer].ty);
                let Memory { code, types, points_to, .. } = &mut *self.memory;
                let mut fine = vec![];
                for region in points_to.of_value(code, types, pointer) {
                    let found = points_to.type_of(code, types, region);
                    let alike = found.zip(target).is_some_and(|(found, target)| alike(types, found, target));
                    if !alike {
                        fine.push((region, None));
                        continue;
                    }
                    fine.push((region, found));
                }
                let zero = self.system.terms.int(0);
                let index = value.index.unwrap_or(zero);
                let mut somewhere = vec![];
                for (region, found) in fine {
                    if found.is_none() {
                        self.refuse(span, "access through a pointer of another type");
                        continue;
                    }
                    let total = self.total(region, span);
                    let terms = &mut self.system.terms;
                    let number = terms.int(number_of(region));
                    let here = terms.eq(value.term, number);
                    let (from, below) = (terms.le(zero, index), terms.lt(index, total));
                    somewhere.push(terms.and([here, from, below]));
                    let many = !self.memory.dimensions(region).is_empty();
                    starts.push(Alternative { when: Some(here), region, at: many.then_some(index) });
                }
                let fine = self.system.terms.or(somewhere);
                self.demand(&mut checks, fine, FaultKind::InvalidPointer, span);
            }
        }
        let last = steps.len();
        // An element is one of the same array on all ways, so its index is evaluated once.
        let mut indices = vec![];
        for (number, step) in steps.iter().enumerate() {
            let Step::Index(index, array) = step else { continue };
            let value = self.value(*index);
            checks.then(&mut self.system.terms, None, value.checks);
            let length = self.length(*array, span);
            let zero = self.system.terms.int(0);
            let terms = &mut self.system.terms;
            let from = terms.le(zero, value.term);
            // The address behind the last element may be taken.
            let below = match purpose {
                Purpose::Address if number + 1 == last => terms.le(value.term, length),
                _ => terms.lt(value.term, length),
            };
            let fine = terms.and([from, below]);
            let place = self.memory.code.values[*index].span;
            self.demand(&mut checks, fine, FaultKind::IndexOutOfRange, place);
            indices.push((value.term, length));
        }
        let shape: Vec<Shape> = steps
            .iter()
            .map(|step| match step {
                Step::Field(number) => Shape::Field(*number),
                Step::Index(..) => Shape::Element,
            })
            .collect();
        let mut list = vec![];
        for Alternative { when, region, at } in starts {
            let Region { object, mut path } = self.memory.points_to.get(region).clone();
            path.extend(&shape);
            let region = self.memory.points_to.region(object, path);
            let at = indices.iter().fold(at, |at, (index, length)| {
                let terms = &mut self.system.terms;
                Some(match at {
                    None => *index,
                    Some(outer) => {
                        let rows = terms.mul([outer, *length]);
                        terms.add([rows, *index])
                    }
                })
            });
            list.push(Alternative { when, region, at });
        }
        (list, checks)
    }
    fn length(&mut self, array: TyId, span: Span) -> Term {
        match self.memory.types.get(array) {
            Ty::Array(_, length) => self.length_term(*length, span),
            _ => self.system.terms.int(1),
        }
    }
    fn length_term(&mut self, length: Length, span: Span) -> Term {
        match length {
            Length::Fixed(count) => self.number(count.into()),
            Length::Variable(object) => {
                let region = self.memory.points_to.region(object, vec![]);
                let var = self.memory.var(self.system, region, Part::Main);
                self.system.terms.var(var)
            }
            Length::Unknown => {
                self.refuse(span, "an array whose length is not said");
                self.system.terms.int(1)
            }
        }
    }
    /// How many elements a region has.
    fn total(&mut self, region: RegionId, span: Span) -> Term {
        let lengths = self.memory.dimensions(region);
        let factors: Vec<Term> = lengths.into_iter().map(|length| self.length_term(length, span)).collect();
        match factors.is_empty() {
            true => self.system.terms.int(1),
            false => self.system.terms.mul(factors),
        }
    }
}

/// What a place is looked up for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Read,
    Write,
    Address,
}
