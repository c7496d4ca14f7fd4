//! What backends must agree on about numbers and arrays.
//!
//! Terms mix integers and rationals freely, and the type of a sum or product does not always tell which
//! it is: half an integer counts as one. A solver has two sorts, so what is a real there is worked out
//! from the leaves. Arrays over a range of positions are equal when they agree there, whatever they are
//! elsewhere; solvers know total maps only, so this equality is spelt out.

use ir::{Node, Term, Terms, Type, Value};
use rustc_hash::FxHashSet;

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

/// The sub-terms of `term`, itself included, that are reals for a solver.
pub fn reals(terms: &Terms, term: Term) -> FxHashSet<Term> {
    let mut reals = FxHashSet::default();
    // Operands come before their operators.
    terms.for_each_subterm(term, |t| {
        let real = match terms.node(t) {
            Node::Const(value) => matches!(value, Value::Rat(_)),
            Node::Var(..) | Node::Read(..) => is_real_type(terms.type_of(t)),
            Node::Add(list) | Node::Mul(list) => list.iter().any(|part| reals.contains(part)),
            Node::Div(a, b) | Node::Mod(a, b) | Node::Rem(a, b) | Node::Ite(_, a, b) => {
                reals.contains(a) || reals.contains(b)
            }
            _ => false,
        };
        if real {
            reals.insert(t);
        }
    });
    reals
}

/// Whether `term` is a number that is an integer for sure.
pub fn is_integral(terms: &Terms, term: Term) -> bool {
    let number = matches!(terms.type_of(term), Type::Int | Type::Rat | Type::Clock);
    number && !reals(terms, term).contains(&term)
}
