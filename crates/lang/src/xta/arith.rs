//! Integer arithmetic of C on the exact integers of terms.
//!
//! `/` and `%` of terms are Euclidean; those of C truncate. For a dividend a >= 0 both agree, whatever
//! the sign of the divisor; for a < 0, a / b is -((-a) / b) and a % b is -((-a) % b). Shifts are
//! products and quotients by powers of two. Bit operations on values that are known to be small and
//! not negative are spelled out bit by bit.

use ir::{Checked, FaultKind, Faults, Node, Span, Term, Terms, Value};

use crate::xta::ast::Binary;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::then;

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
            Binary::Add => terms.add([x, y]),
            Binary::Sub => terms.sub(x, y),
            Binary::Mul => terms.mul([x, y]),
            Binary::Min | Binary::Max => {
                let less = if op == Binary::Min { terms.lt(x, y) } else { terms.lt(y, x) };
                terms.ite(less, x, y)
            }
            Binary::Div | Binary::Mod => {
                if b_range.low <= 0 && 0 <= b_range.high {
                    let zero = terms.int(0);
                    let by_zero = terms.eq(y, zero);
                    if self.context.truth(terms, &self.declared, by_zero) != Some(false) {
                        let fault = self.hazard(FaultKind::DivisionByZero, b_span);
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
                let Some(by) = b_const.filter(|by| (0..32).contains(by)) else {
                    return self.fail(b_span, "a shift needs a constant number of places from 0 to 31");
                };
                let power = terms.int(1 << by);
                if op == Binary::ShiftLeft { terms.mul([x, power]) } else { terms.div(x, power) }
            }
            Binary::BitAnd | Binary::BitOr | Binary::BitXor => {
                if let (Some(x), Some(y)) = (a_const, b_const) {
                    terms.int(match op {
                        Binary::BitAnd => x & y,
                        Binary::BitOr => x | y,
                        _ => x ^ y,
                    })
                } else {
                    let high = a_range.high.max(b_range.high);
                    if a_range.low < 0 || b_range.low < 0 || high > 0xffff {
                        let message = format!(
                            "`{}` needs values known to be from 0 to 65535; declare narrower types",
                            op.text()
                        );
                        return self.fail(b_span, message);
                    }
                    bitwise(terms, op, x, y, high)
                }
            }
            _ => unreachable!("comparisons and logic are handled by their callers"),
        };
        Some(Checked { term, faults })
    }
}

fn bitwise(terms: &mut Terms, op: Binary, x: Term, y: Term, high: i64) -> Term {
    // Conditions that became integers go back to conditions.
    if high <= 1 {
        let (a, b) = (bit(terms, x, 0), bit(terms, y, 0));
        return joined(terms, op, a, b, 1);
    }
    let bits = 64 - high.leading_zeros();
    let mut sum = vec![];
    for at in 0..bits {
        let (a, b) = (bit(terms, x, at), bit(terms, y, at));
        sum.push(joined(terms, op, a, b, 1 << at));
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

/// Whether a bit of a non-negative number is set.
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
