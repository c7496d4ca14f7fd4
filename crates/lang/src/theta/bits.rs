//! What operators on bit-vectors mean, as integers from 0 to 2^n - 1.
//!
//! The meaning is SMT-LIB's, division by zero included: the quotient has ones everywhere (1 for a negative dividend of
//! the signed one), the remainder is the dividend. A signed reading of `x` is `x` below 2^(n-1), and `x - 2^n` from there
//! on. Results are reduced modulo 2^n unless they are seen to fit.

use ir::{Bitwise, Int, Term, Terms, Value};

use super::ast::{Binary, Unary};

/// How results of `width` bits are reduced.
pub(crate) type Wrap<'a> = &'a mut dyn FnMut(&mut Terms, Term, u32) -> Term;

fn power(terms: &mut Terms, exponent: u32) -> Term {
    terms.constant(Value::Int(Int::power_of_two(exponent)))
}
/// 2^n - 1.
fn ones(terms: &mut Terms, width: u32) -> Term {
    terms.constant(Value::Int(&Int::power_of_two(width) - &Int::ONE))
}

/// A bit-vector of `width` bits, read with a sign.
pub(crate) fn signed(terms: &mut Terms, x: Term, width: u32) -> Term {
    let (half, all) = (power(terms, width - 1), power(terms, width));
    let (small, below) = (terms.lt(x, half), terms.sub(x, all));
    terms.ite(small, x, below)
}

/// An operator with one operand.
pub(crate) fn unary(terms: &mut Terms, op: Unary, x: Term, width: u32, wrap: Wrap<'_>) -> Term {
    match op {
        Unary::BvNeg => {
            let minus = terms.neg(x);
            wrap(terms, minus, width)
        }
        Unary::BvNot => {
            let all = ones(terms, width);
            terms.sub(all, x)
        }
        _ => x,
    }
}

/// An operator with two operands of `width` bits, whose result has as many.
pub(crate) fn binary(terms: &mut Terms, op: Binary, [x, y]: [Term; 2], width: u32, wrap: Wrap<'_>) -> Term {
    let zero = terms.int(0);
    match op {
        Binary::BvAdd => {
            let sum = terms.add([x, y]);
            wrap(terms, sum, width)
        }
        Binary::BvSub => {
            let difference = terms.sub(x, y);
            wrap(terms, difference, width)
        }
        Binary::BvMul => {
            let product = terms.mul([x, y]);
            wrap(terms, product, width)
        }
        Binary::BvAnd | Binary::BvOr | Binary::BvXor => {
            let op = match op {
                Binary::BvAnd => Bitwise::And,
                Binary::BvOr => Bitwise::Or,
                _ => Bitwise::Xor,
            };
            // Operands say how many bits they have, whatever is put in their place later.
            let [x, y] = [x, y].map(|operand| terms.wrap(operand, width, false));
            terms.bitwise(op, x, y)
        }
        Binary::BvUdiv => {
            let (by_zero, all) = (terms.eq(y, zero), ones(terms, width));
            let quotient = terms.div(x, y);
            terms.ite(by_zero, all, quotient)
        }
        // By zero, it is the dividend.
        Binary::BvUrem => terms.modulo(x, y),
        Binary::BvSdiv => {
            let (x, y) = (signed(terms, x, width), signed(terms, y, width));
            let negative = terms.lt(x, zero);
            let quotient = truncated(terms, x, y, Terms::div);
            let quotient = wrap(terms, quotient, width);
            let (one, all) = (terms.int(1), ones(terms, width));
            let (by_zero, undefined) = (terms.eq(y, zero), terms.ite(negative, one, all));
            terms.ite(by_zero, undefined, quotient)
        }
        Binary::BvSrem => {
            let (x, y) = (signed(terms, x, width), signed(terms, y, width));
            let rest = truncated(terms, x, y, Terms::modulo);
            wrap(terms, rest, width)
        }
        Binary::BvSmod => {
            let (a, b) = (signed(terms, x, width), signed(terms, y, width));
            let rest = terms.modulo(a, b);
            let (exact, positive) = (terms.eq(rest, zero), terms.le(zero, b));
            let below = terms.add([rest, b]);
            let as_is = terms.or([exact, positive]);
            let rest = terms.ite(as_is, rest, below);
            wrap(terms, rest, width)
        }
        Binary::BvShl => by_places(terms, y, width, zero, |terms, places| {
            let factor = power(terms, places);
            let shifted = terms.mul([x, factor]);
            wrap(terms, shifted, width)
        }),
        Binary::BvLshr => by_places(terms, y, width, zero, |terms, places| {
            let factor = power(terms, places);
            terms.div(x, factor)
        }),
        Binary::BvAshr => {
            let x = signed(terms, x, width);
            let (negative, all) = (terms.lt(x, zero), ones(terms, width));
            let beyond = terms.ite(negative, all, zero);
            by_places(terms, y, width, beyond, |terms, places| {
                let factor = power(terms, places);
                let shifted = terms.div(x, factor);
                wrap(terms, shifted, width)
            })
        }
        Binary::BvRol | Binary::BvRor => {
            let all = terms.int(i64::from(width));
            let by = terms.modulo(y, all);
            by_places(terms, by, width, zero, |terms, places| {
                let left = if op == Binary::BvRol { places } else { (width - places) % width };
                let (up, down) = (power(terms, left), power(terms, width - left));
                let high = terms.mul([x, up]);
                let (high, low) = (wrap(terms, high, width), terms.div(x, down));
                terms.add([high, low])
            })
        }
        _ => unreachable!("an operator of bit-vectors with such a result"),
    }
}

/// A comparison of bit-vectors.
pub(crate) fn comparison(terms: &mut Terms, op: Binary, [x, y]: [Term; 2], width: u32) -> Term {
    let (x, y) = match op {
        Binary::BvSlt | Binary::BvSle | Binary::BvSgt | Binary::BvSge => {
            (signed(terms, x, width), signed(terms, y, width))
        }
        _ => (x, y),
    };
    match op {
        Binary::BvUlt | Binary::BvSlt => terms.lt(x, y),
        Binary::BvUle | Binary::BvSle => terms.le(x, y),
        Binary::BvUgt | Binary::BvSgt => terms.gt(x, y),
        _ => terms.ge(x, y),
    }
}

/// The bits of `x` from `from` to just before `until`.
pub(crate) fn extract(terms: &mut Terms, x: Term, until: u32, from: u32) -> Term {
    let down = power(terms, from);
    let shifted = terms.div(x, down);
    terms.wrap(shifted, until - from, false)
}

/// `x`, and behind it the `width` bits of `y`.
pub(crate) fn concat(terms: &mut Terms, x: Term, y: Term, width: u32) -> Term {
    let up = power(terms, width);
    let high = terms.mul([x, up]);
    terms.add([high, y])
}

/// A quotient or remainder that is rounded to zero: of numbers without signs, with the sign of the dividend.
fn truncated(terms: &mut Terms, x: Term, y: Term, op: fn(&mut Terms, Term, Term) -> Term) -> Term {
    let zero = terms.int(0);
    let (minus, positive) = (terms.neg(x), op(terms, x, y));
    let other = op(terms, minus, y);
    let negative = terms.neg(other);
    let sign = terms.le(zero, x);
    terms.ite(sign, positive, negative)
}

/// One term for each of the places that something is shifted by, below `width`; `beyond` from there on.
fn by_places(
    terms: &mut Terms,
    by: Term,
    width: u32,
    beyond: Term,
    mut term: impl FnMut(&mut Terms, u32) -> Term,
) -> Term {
    if let Some(Value::Int(places)) = terms.as_const(by) {
        return match places.to_i64().and_then(|places| u32::try_from(places).ok()) {
            Some(places) if places < width => term(terms, places),
            _ => beyond,
        };
    }
    let mut result = beyond;
    for places in (0..width).rev() {
        let (number, here) = (terms.int(i64::from(places)), term(terms, places));
        let this = terms.eq(by, number);
        result = terms.ite(this, here, result);
    }
    result
}
