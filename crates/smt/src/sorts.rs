//! What backends must agree on about numbers and arrays.
//!
//! Terms mix integers and rationals freely; a solver has two sorts, and what is a real there, the type of a
//! term tells. Arrays over a range of positions are equal when they agree there, whatever they are
//! elsewhere; solvers know total maps only, so this equality is spelt out. Solvers of integers know no bits, so
//! operations on them are spelt out as well.

use ir::range::{ALL, Interval};
use ir::{Int, Node, Term, Terms, Type, Value, VarId};
use rustc_hash::FxHashMap;

use crate::interrupt::Interrupt;

/// How many places an equality of arrays may be spelt out for.
const POSITIONS: i64 = 256;

/// The places at which two arrays of the type of `array` must agree to be equal, if that is not simply
/// everywhere. A place is a position, then a position in the array that is there, and so on.
pub fn compared_places(terms: &Terms, array: Term) -> Result<Option<Vec<Vec<i64>>>, Interrupt> {
    let mut places = vec![vec![]];
    let mut ty = terms.type_of(array);
    let mut ranged = false;
    while let Type::Array(id) = ty {
        let parts = terms.types.array_type(id);
        match parts.range {
            Some((first, last)) => {
                if last.saturating_sub(first).saturating_add(1).saturating_mul(places.len() as i64)
                    > POSITIONS
                {
                    return Err(Interrupt::Unsupported("equality of arrays this long".into()));
                }
                let longer = |place: &Vec<i64>| {
                    let place = place.clone();
                    (first..=last).map(move |at| place.iter().copied().chain([at]).collect::<Vec<i64>>())
                };
                places = places.iter().flat_map(longer).collect();
                ranged = true;
            }
            None if has_range(terms, parts.element) => {
                return Err(Interrupt::Unsupported("equality of arrays of arrays over a range".into()));
            }
            None => break,
        }
        ty = parts.element;
    }
    Ok(ranged.then_some(places))
}

/// Whether arrays over a range are part of the values of a type.
fn has_range(terms: &Terms, ty: Type) -> bool {
    let Type::Array(id) = ty else { return false };
    let parts = terms.types.array_type(id);
    parts.range.is_some() || has_range(terms, parts.element)
}

/// Whether a type is one of reals.
pub fn is_real_type(ty: Type) -> bool {
    matches!(ty, Type::Rat | Type::Clock)
}

/// How `a & b` is spelt out with quotients and remainders; `a | b` is `a + b - (a & b)`, and `a ^ b` is
/// `a + b - 2 (a & b)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conjunction {
    /// The sum of `((a / 2^from) % 2^count) * 2^from`: of the bits of `a` where a constant has ones.
    Runs {
        /// First bit and number of bits.
        runs: Vec<(u32, u32)>,
        /// Whether those bits are the ones that are left out.
        complement: bool,
    },
    /// So many bits one by one; then, if both have signs, minus two to that power where both are negative.
    Bits {
        /// How many.
        count: u32,
        /// Whether both can be negative.
        signs: bool,
    },
}

/// How to spell out a bit operation on `a` and `b`, where variables are within `ranges`.
pub fn conjunction(
    terms: &Terms,
    ranges: &FxHashMap<VarId, (Int, Int)>,
    a: Term,
    b: Term,
) -> Result<Conjunction, Interrupt> {
    if let Some(Value::Int(mask)) = terms.as_const(b) {
        let complement = mask.is_negative();
        let ones = if complement { &Int::from(-1) - mask } else { mask.clone() };
        return Ok(Conjunction::Runs { runs: runs(&ones), complement });
    }
    let (a, b) = (interval(terms, ranges, a), interval(terms, ranges, b));
    let signs = a.low < 0 && b.low < 0;
    let count = match (a.bits(), b.bits()) {
        // Of two numbers, bits beyond those of one without a sign do not count.
        (Some(x), Some(y)) => match (a.low >= 0, b.low >= 0) {
            (true, true) => x.min(y),
            (true, false) => x,
            (false, true) => y,
            (false, false) => x.max(y),
        },
        (Some(x), None) if a.low >= 0 => x,
        (None, Some(y)) if b.low >= 0 => y,
        _ => return Err(Interrupt::Unsupported("bits of integers without a range".into())),
    };
    Ok(Conjunction::Bits { count, signs })
}

/// The ones of a number that is not negative: where each run of them begins, and how long it is.
fn runs(ones: &Int) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = vec![];
    for at in 0..ones.bits() as u32 {
        if ones.bit_and(&Int::power_of_two(at)).is_zero() {
            continue;
        }
        match runs.last_mut() {
            Some((from, count)) if *from + *count == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

/// Where an integer term lies, where variables are within `ranges`.
fn interval(terms: &Terms, ranges: &FxHashMap<VarId, (Int, Int)>, term: Term) -> Interval {
    let mut done: FxHashMap<Term, Interval> = FxHashMap::default();
    terms.for_each_subterm(term, |part| {
        let range = match terms.node(part) {
            Node::Var(var, _) if terms.var_type(*var) == Type::Int => {
                ranges.get(var).map_or(ALL, |(least, greatest)| Interval::between(least, greatest))
            }
            Node::Var(..) => ALL,
            node => Interval::of_node(node, |child| done[&child]),
        };
        done.insert(part, range);
    });
    done[&term]
}
