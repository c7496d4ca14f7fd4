//! Integer arithmetic of C on the exact integers of terms.
//!
//! `/` and `%` of terms are Euclidean; those of C truncate. For a dividend a >= 0 both agree, whatever
//! the sign of the divisor; for a < 0, a / b is -((-a) / b) and a % b is -((-a) % b). Shifts are
//! products and quotients by powers of two, and powers products of as many factors. Bit operations are those of two's
//! complement; their operands say how many bits they have, which ranges tell, as remainders.
//!
//! UPPAAL computes with 32 bits, and what does not fit wraps around: `1 << 31` is -2^31. A sum, a difference, a
//! product or a shift to the left is therefore the number of 32 bits that is congruent to it modulo 2^32, unless
//! ranges show that it is that number itself. As congruences add up, a long sum wraps once. Whatever has a type
//! beyond 32 bits (`uint32_t`, `int64_t`) is computed exactly.

use ir::range::Interval;
use ir::{Bitwise, Checked, FaultKind, Faults, Node, Span, Term, Terms, Value};
use rustc_hash::FxHashSet;

use crate::code::Code as Cause;
use crate::xta::ast::Binary;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::then;
use crate::xta::types::interval;

impl Elaborator {
    /// One operation on integers.
    pub(crate) fn arithmetic(&mut self, op: Binary, a: Checked, b: Checked, b_span: Span) -> Option<Checked> {
        let (x, y) = (a.term, b.term);
        let mut faults = a.faults;
        then(&mut self.system.terms, &mut faults, None, b.faults);
        let a_range = self.context.of(&self.system.terms, &self.declared, x);
        let b_range = self.context.of(&self.system.terms, &self.declared, y);
        let terms = &mut self.system.terms;
        let term = match op {
            Binary::Add => {
                let sum = terms.add([x, y]);
                self.wrapped(sum, a_range.plus(b_range), &[x, y])
            }
            Binary::Sub => {
                let difference = terms.sub(x, y);
                self.wrapped(difference, a_range.plus(b_range.negated()), &[x, y])
            }
            Binary::Mul => {
                let product = terms.mul([x, y]);
                self.wrapped(product, a_range.times(b_range), &[x, y])
            }
            Binary::Min | Binary::Max => {
                let less = if op == Binary::Min { terms.lt(x, y) } else { terms.lt(y, x) };
                terms.ite(less, x, y)
            }
            Binary::Div | Binary::Mod => {
                if b_range.low <= 0 && 0 <= b_range.high {
                    let zero = terms.int(0);
                    let by_zero = terms.eq(y, zero);
                    if self.context.truth(terms, &self.declared, by_zero) != Some(false) {
                        let fault = self.hazard(FaultKind::DivisionByZero, b_span, None);
                        then(
                            &mut self.system.terms,
                            &mut faults,
                            None,
                            Faults::from_iter([(by_zero, fault)]),
                        );
                    }
                }
                let terms = &mut self.system.terms;
                let apply = |terms: &mut Terms, x: Term| match op {
                    Binary::Div => terms.div(x, y),
                    _ => terms.modulo(x, y),
                };
                let positive = apply(terms, x);
                if a_range.low >= 0 {
                    positive
                } else {
                    let minus = terms.neg(x);
                    let other = apply(terms, minus);
                    let negative = terms.neg(other);
                    let zero = terms.int(0);
                    let sign = terms.le(zero, x);
                    terms.ite(sign, positive, negative)
                }
            }
            Binary::ShiftLeft | Binary::ShiftRight => {
                let places = (0, SHIFT);
                self.outside(&mut faults, y, places, FaultKind::OutOfRange, b_span);
                let (low, high) = b_range.words();
                let (low, high) = (low.clamp(0, SHIFT), high.clamp(0, SHIFT));
                let terms = &mut self.system.terms;
                let high = high.max(low);
                let power = by_places(terms, y, low, high, |terms, places| terms.int(1 << places));
                if op == Binary::ShiftRight {
                    terms.div(x, power)
                } else {
                    let mut range = a_range.times(interval((1 << low, 1 << high)));
                    let mut kept = x;
                    if !WORD.contains(range) && !self.is_wide(x) {
                        // Bits that leave the word are dropped first, so that no product is larger than it.
                        let terms = &mut self.system.terms;
                        let rest =
                            by_places(terms, y, low, high, |terms, places| terms.int(1 << (32 - places)));
                        kept = terms.modulo(x, rest);
                        range = Interval { low: 0, high: (1 << 32) - 1 };
                    }
                    let shifted = self.system.terms.mul([kept, power]);
                    self.wrapped(shifted, range, &[x])
                }
            }
            Binary::Power => {
                self.outside(&mut faults, y, (0, MOST_FACTORS), FaultKind::OutOfRange, b_span);
                let (low, high) = b_range.words();
                let low = low.clamp(0, MOST_FACTORS);
                let high = high.clamp(low, MOST_FACTORS);
                self.power(x, y, low, high)
            }
            Binary::BitAnd | Binary::BitOr | Binary::BitXor => {
                let op = match op {
                    Binary::BitAnd => Bitwise::And,
                    Binary::BitOr => Bitwise::Or,
                    _ => Bitwise::Xor,
                };
                let range = a_range.join(b_range);
                match range.bits() {
                    // Conditions that became integers go back to conditions.
                    Some(0 | 1) if range.low >= 0 => conditions(terms, op, x, y),
                    Some(bits) if bits <= WIDEST => {
                        let width = bits + u32::from(range.low < 0);
                        let [a, b] = [x, y].map(|operand| terms.wrap(operand, width, false));
                        let result = terms.bitwise(op, a, b);
                        self.context.wrap(terms, &self.declared, result, width, range.low < 0)
                    }
                    _ => {
                        let message =
                            "bit operations need values of at most 64 bits; store them in variables first";
                        return self.fail(Cause::OutOfRange, b_span, message);
                    }
                }
            }
            _ => unreachable!("comparisons and logic are handled by their callers"),
        };
        Some(Checked { term, faults })
    }
    /// A product of equal factors, as many as another number says, which lies from `low` to `high`.
    fn power(&mut self, factor: Term, count: Term, low: i64, high: i64) -> Term {
        let mut powers = vec![self.system.terms.int(1)];
        for _ in 0..high {
            let before = *powers.last().expect("the first is there");
            let product = self.system.terms.mul([before, factor]);
            let range = |cx: &Self, term| cx.context.of(&cx.system.terms, &cx.declared, term);
            let range = range(self, before).times(range(self, factor));
            powers.push(self.wrapped(product, range, &[before, factor]));
        }
        let terms = &mut self.system.terms;
        by_places(terms, count, low, high, |_, factors| powers[factors as usize])
    }
    /// A sum of several values.
    pub(crate) fn total(&mut self, parts: Vec<Checked>) -> Checked {
        let from: Vec<Term> = parts.iter().map(|part| part.term).collect();
        let mut sum = Checked::strict(&mut self.system.terms, parts, |terms, v| terms.add(v.iter().copied()));
        let range = self.context.of(&self.system.terms, &self.declared, sum.term);
        sum.term = self.wrapped(sum.term, range, &from);
        sum
    }
    /// The number of 32 bits that a result in `range` becomes, if what it was computed `from` has no more.
    pub(crate) fn wrapped(&mut self, term: Term, range: Interval, from: &[Term]) -> Term {
        if WORD.contains(range) {
            return term;
        }
        if from.iter().any(|part| self.is_wide(*part)) {
            self.wide.insert(term);
            return term;
        }
        self.system.terms.wrap(term, 32, true)
    }
    /// Whether something has a type beyond 32 bits: a constant, or what is computed from variables of such a type. What
    /// only decides which value is meant, a condition or a position, does not count.
    fn is_wide(&self, term: Term) -> bool {
        let beyond = |range: Interval| !WORD.contains(range);
        if let Some(Value::Int(value)) = self.system.terms.as_const(term) {
            return value.to_i128().is_none_or(|value| beyond(Interval::one(value)));
        }
        let (mut seen, mut stack) = (FxHashSet::default(), vec![term]);
        while let Some(part) = stack.pop() {
            if !seen.insert(part) {
                continue;
            }
            match self.system.terms.node(part) {
                Node::Var(var, _) if self.declared.of(*var).is_some_and(beyond) => return true,
                Node::Ite(_, then, otherwise) => stack.extend([*then, *otherwise]),
                Node::Read(array, _) => stack.push(*array),
                Node::Write(array, _, value) => stack.extend([*array, *value]),
                _ if self.wide.contains(&part) => return true,
                node => node.for_each_child(|child| stack.push(child)),
            }
        }
        false
    }
}

/// What 32 bits hold.
const WORD: Interval = Interval { low: i32::MIN as i128, high: i32::MAX as i128 };

/// The most places that something is shifted by.
const SHIFT: i64 = 31;

/// The most factors of a power.
const MOST_FACTORS: i64 = 31;

/// A value for each of the numbers that a term may be, which lie from `low` to `high`.
fn by_places(
    terms: &mut Terms,
    by: Term,
    low: i64,
    high: i64,
    value: impl Fn(&mut Terms, i64) -> Term,
) -> Term {
    let mut result = value(terms, high);
    for at in (low..high).rev() {
        let (places, value) = (terms.int(at), value(terms, at));
        let here = terms.le(by, places);
        result = terms.ite(here, value, result);
    }
    result
}

/// The most bits of operands of bit operations.
const WIDEST: u32 = 64;

/// A bit operation on numbers that are 0 or 1.
fn conditions(terms: &mut Terms, op: Bitwise, x: Term, y: Term) -> Term {
    let (zero, one) = (terms.int(0), terms.int(1));
    let [a, b] = [x, y].map(|number| match *terms.node(number) {
        Node::Ite(condition, yes, no) if yes == one && no == zero => condition,
        _ => terms.eq(number, one),
    });
    let bit = match op {
        Bitwise::And => terms.and([a, b]),
        Bitwise::Or => terms.or([a, b]),
        Bitwise::Xor => terms.xor(a, b),
    };
    terms.ite(bit, one, zero)
}
