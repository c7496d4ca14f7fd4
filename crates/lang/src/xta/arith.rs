//! Integer arithmetic of C on the exact integers of terms.
//!
//! `/` and `%` of terms are Euclidean; those of C truncate. For a dividend a >= 0 both agree, whatever
//! the sign of the divisor; for a < 0, a / b is -((-a) / b) and a % b is -((-a) % b). Shifts are
//! products and quotients by powers of two, and powers products of as many factors. Bit operations are those of two's complement, spelled out bit
//! by bit as far as the ranges of the operands go.
//!
//! UPPAAL computes with 32 bits, and what does not fit wraps around: `1 << 31` is -2^31. A sum, a difference, a
//! product or a shift to the left is therefore the number of 32 bits that is congruent to it modulo 2^32, unless
//! ranges show that it is that number itself. As congruences add up, a long sum wraps once. Whatever has a type
//! beyond 32 bits (`uint32_t`, `int64_t`) is computed exactly.

use ir::{Checked, FaultKind, Faults, Node, Span, Term, Terms, Value};
use rustc_hash::FxHashSet;

use crate::code::Code as Cause;
use crate::xta::ast::Binary;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::then;
use crate::xta::range::Interval;
use crate::xta::types::Bounds;

impl Elaborator {
    /// One operation on integers.
    pub(crate) fn arithmetic(&mut self, op: Binary, a: Checked, b: Checked, b_span: Span) -> Option<Checked> {
        let (x, y) = (a.term, b.term);
        let mut faults = a.faults;
        then(&mut self.system.terms, &mut faults, None, b.faults);
        let a_range = self.context.of(&self.system.terms, &self.declared, x);
        let b_range = self.context.of(&self.system.terms, &self.declared, y);
        let constant = |terms: &Terms, t: Term| match terms.as_const(t) {
            Some(Value::Int(value)) => value.to_i64(),
            _ => None,
        };
        let (a_const, b_const) = (constant(&self.system.terms, x), constant(&self.system.terms, y));
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
                let (low, high) = (b_range.low.clamp(0, SHIFT), b_range.high.clamp(0, SHIFT));
                let terms = &mut self.system.terms;
                let high = high.max(low);
                let power = by_places(terms, y, low, high, |terms, places| terms.int(1 << places));
                if op == Binary::ShiftRight {
                    terms.div(x, power)
                } else {
                    let mut range = a_range.times(Interval { low: 1 << low, high: 1 << high });
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
                let low = b_range.low.clamp(0, MOST_FACTORS);
                let high = b_range.high.clamp(low, MOST_FACTORS);
                self.power(x, y, low, high)
            }
            Binary::BitAnd | Binary::BitOr | Binary::BitXor => {
                let word = i64::from(i32::MIN)..=i64::from(u32::MAX);
                let known = |range: Interval| word.contains(&range.low) && word.contains(&range.high);
                if let (Some(x), Some(y)) = (a_const, b_const) {
                    terms.int(match op {
                        Binary::BitAnd => x & y,
                        Binary::BitOr => x | y,
                        _ => x ^ y,
                    })
                } else if known(a_range) && known(b_range) {
                    bitwise(terms, op, x, y, a_range.join(b_range))
                } else {
                    let message = format!(
                        "`{}` needs values of at most 32 bits; store them in variables first",
                        op.text()
                    );
                    return self.fail(Cause::OutOfRange, b_span, message);
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
        let terms = &mut self.system.terms;
        let (half, all) = (terms.int(-WORD.low), terms.int(1 << 32));
        let above = terms.add([term, half]);
        let above = terms.modulo(above, all);
        terms.sub(above, half)
    }
    /// Whether something has a type beyond 32 bits: a constant, or what is computed from variables of such a type. What
    /// only decides which value is meant, a condition or a position, does not count.
    fn is_wide(&self, term: Term) -> bool {
        let beyond = |(low, high): Bounds| !WORD.contains(Interval { low, high });
        if let Some(Value::Int(value)) = self.system.terms.as_const(term) {
            return value.to_i64().is_none_or(|value| beyond((value, value)));
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
const WORD: Interval = Interval { low: i32::MIN as i64, high: i32::MAX as i64 };

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

/// Bit by bit; the values lie in `range`. Negative numbers have ones in all higher places, as in two's
/// complement, so that the highest place that matters counts for what is above it, too.
fn bitwise(terms: &mut Terms, op: Binary, x: Term, y: Term, range: Interval) -> Term {
    // Conditions that became integers go back to conditions.
    if range.low >= 0 && range.high <= 1 {
        let (a, b) = (bit(terms, x, 0), bit(terms, y, 0));
        return joined(terms, op, a, b, 1);
    }
    let bits = 64 - range.high.max(0).leading_zeros().min((!range.low.min(-1)).leading_zeros());
    let mut sum = vec![];
    for at in 0..bits {
        let (a, b) = (bit(terms, x, at), bit(terms, y, at));
        sum.push(joined(terms, op, a, b, 1 << at));
    }
    if range.low < 0 {
        let zero = terms.int(0);
        let (a, b) = (terms.lt(x, zero), terms.lt(y, zero));
        sum.push(joined(terms, op, a, b, -(1 << bits)));
    }
    terms.add(sum)
}

/// `weight` where the bits combine to one, else 0.
fn joined(terms: &mut Terms, op: Binary, a: Term, b: Term, weight: i64) -> Term {
    let bit = match op {
        Binary::BitAnd => terms.and([a, b]),
        Binary::BitOr => terms.or([a, b]),
        _ => terms.xor(a, b),
    };
    let (weight, zero) = (terms.int(weight), terms.int(0));
    terms.ite(bit, weight, zero)
}

/// Whether a bit of a number is set; division rounds down, so negative numbers are as in two's complement.
fn bit(terms: &mut Terms, x: Term, at: u32) -> Term {
    let (zero, one) = (terms.int(0), terms.int(1));
    if at == 0
        && let Node::Ite(condition, yes, no) = *terms.node(x)
        && yes == one
        && no == zero
    {
        return condition;
    }
    let (power, two) = (terms.int(1 << at), terms.int(2));
    let shifted = terms.div(x, power);
    let last = terms.modulo(shifted, two);
    terms.eq(last, one)
}
